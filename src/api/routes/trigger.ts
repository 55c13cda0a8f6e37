import { type Context, Hono } from 'hono'
import type { Channel } from '../../channels/channel'
import type { ExecutionRecord } from '../../domain/execution-record'
import { fail, ok, type Result } from '../../domain/problem'
import type { Site } from '../../domain/site'
import type { ApiDeps, ApiEnv } from '../app'
import { findSite } from '../find-site'
import { present } from '../problem-response'

const ALL = 'all'

/** Runs a site now. */
export function trigger({ sites, scheduler, channels, channelsOf, ports }: ApiDeps): Hono<ApiEnv> {
  function channelsNamed(site: Site, name: string): Result<readonly Channel[]> {
    if (name === ALL) return ok(channelsOf(site))
    const channel = channels.find(({ id }) => id === name)
    if (channel === undefined) {
      const known = [ALL, ...channels.map(({ id }) => id)].join(', ')
      return fail({
        status: 400,
        code: 'unknown_channel',
        field: 'channel',
        detail: `channel must be one of ${known}`,
      })
    }
    if (channel.isEnabled(site)) return ok([channel])
    const detail = `${channel.title} submission is not enabled for this site`
    return fail({ status: 400, code: 'channel_disabled', field: 'channel', detail })
  }

  async function handle(c: Context<ApiEnv>): Promise<Response> {
    const found = await findSite(sites, c.req.query('site'))
    if (!found.ok) return present(c, found.problem)
    const site = found.value
    const channel = c.req.query('channel') ?? ALL
    const chosen = channelsNamed(site, channel)
    if (!chosen.ok) return present(c, chosen.problem)
    const started = await scheduler.start({ site, channels: chosen.value, channel, trigger: 'manual' })
    if (!started.ok) return present(c, started.problem)

    const { runId, record } = started.value
    const logged = record.catch((error: unknown) => {
      ports.logger.error('a run broke off', { site: site.id, runId, detail: String(error) })
    })
    c.env.waitUntil(logged)
    if (c.req.query('async') === 'true') return c.json({ siteId: site.id, channel, runId }, 202)
    const done = await record
    return c.json({ success: succeeded(done), siteId: site.id, channel, record: done })
  }

  return (
    new Hono<ApiEnv>()
      // Hono would answer HEAD with the GET handler, and a link preview would start a run.
      .use('/trigger', async (c, next) => {
        if (c.req.method !== 'HEAD') return next()
        c.header('allow', 'GET, POST')
        return c.body(null, 405)
      })
      .on(['GET', 'POST'], '/trigger', handle)
  )
}

/** Nothing failed; a run that was cut short by its budget goes on by itself. */
function succeeded({ status, failedUrls }: ExecutionRecord): boolean {
  return status === 'success' || (status === 'checkpointed' && failedUrls === 0)
}
