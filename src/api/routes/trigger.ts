import { z } from 'zod'
import type { Channel } from '../../channels/channel'
import type { ExecutionRecord } from '../../domain/execution-record'
import { fail, ok, type Result } from '../../domain/problem'
import type { Site } from '../../domain/site'
import { executionRecord } from '../answers'
import type { ApiDeps } from '../app'
import * as examples from '../examples'
import { findSite } from '../find-site'
import { oneAtATime } from '../one-at-a-time'
import { present } from '../problem-response'
import { ALL_CHANNELS, channelParameter, siteParameter, unknownChannel } from '../query-fields'
import { type Route, route } from '../route'

const done = z.object({
  success: z.boolean(),
  siteId: z.string(),
  channel: z.string(),
  record: executionRecord,
})
const started = z.object({ siteId: z.string(), channel: z.string(), runId: z.string() })

/** Runs a site now. */
export function trigger({ sites, scheduler, channels, channelsOf, ports }: ApiDeps): readonly Route[] {
  const start = oneAtATime(scheduler.start, ports.clock)
  const query = z.strictObject({
    site: siteParameter,
    channel: channelParameter(channels, 'Which channels to run'),
    async: z
      .boolean({ message: 'must be true or false' })
      .default(false)
      .meta({ description: 'true: answer at once with the run’s id' }),
  })

  function channelsNamed(site: Site, name: string): Result<readonly Channel[]> {
    const unknown = unknownChannel(channels, name)
    if (unknown !== null) return fail(unknown)
    if (name === ALL_CHANNELS) return ok(channelsOf(site))
    const chosen = channels.filter(({ id }) => id === name)
    if (chosen.every((channel) => channel.isEnabled(site))) return ok(chosen)
    const detail = `${chosen[0]?.title} submission is not enabled for this site`
    const advice = `set ${site.source === 'env' ? `${name.toUpperCase()}_ENABLED` : `${name}Enabled`} to true`
    return fail({ status: 400, code: 'channel_disabled', field: 'channel', detail, advice })
  }

  return [
    route({
      methods: ['GET', 'POST'],
      path: '/trigger',
      summary: 'Run a site now',
      details: 'The run goes on when the client leaves. One run per site at a time.',
      query,
      answers: {
        200: {
          says: 'The run is over; success: nothing failed',
          schema: done,
          example: { success: false, siteId: 'www.example.com', channel: 'all', record: examples.record },
        },
        202: {
          says: 'It runs (`async=true`); /status and /history will know it by this id',
          schema: started,
          example: { siteId: 'www.example.com', channel: 'all', runId: examples.record.runId },
        },
      },
      problems: {
        400: ['site_required', 'unknown_channel', 'channel_disabled'],
        404: ['site_not_found'],
        409: ['already_running', 'site_unusable'],
      },
      async handle({ c, query: { site: id, channel, async } }) {
        const found = await findSite(sites, id)
        if (!found.ok) return present(c, found.problem)
        const site = found.value
        const chosen = channelsNamed(site, channel)
        if (!chosen.ok) return present(c, chosen.problem)
        const run = await start({ site, channels: chosen.value, channel, trigger: 'manual' })
        if (!run.ok) return present(c, { field: 'site', ...run.problem })

        const { runId, record, closed } = run.value
        const logged = record.catch((error: unknown) => {
          ports.logger.error('a run broke off', { site: site.id, runId, detail: String(error) })
        })
        c.env.waitUntil(logged)
        c.env.waitUntil(closed)
        if (async) return c.json({ siteId: site.id, channel, runId }, 202)
        const done = await record
        return c.json({ success: succeeded(done), siteId: site.id, channel, record: done })
      },
    }),
  ]
}

/** Nothing failed; a run that was cut short by its budget goes on by itself. */
function succeeded({ status, failedUrls }: ExecutionRecord): boolean {
  return status === 'success' || (status === 'checkpointed' && failedUrls === 0)
}
