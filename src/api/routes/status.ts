import { Hono } from 'hono'
import { nextRunAfter } from '../../domain/schedule'
import type { Site } from '../../domain/site'
import { createQuotaManager, quotaDate } from '../../records/quota-manager'
import { createRunLeases, isLive } from '../../records/run-lease'
import { createSiteStates } from '../../records/site-state'
import type { ApiDeps, ApiEnv } from '../app'
import { findSite } from '../find-site'
import { present } from '../problem-response'

/** How the service and its sites are doing. */
export function status({ ports, sites, channelsOf }: ApiDeps): Hono<ApiEnv> {
  const { clock, logger, store } = ports
  const quotas = createQuotaManager(ports)

  async function bingOf(site: Site) {
    const bing = channelsOf(site).find(({ id }) => id === 'bing')
    if (bing?.quota === undefined) return { enabled: false }
    const date = quotaDate(clock.now())
    const { perDay } = bing.quota(site)
    return {
      enabled: true,
      todayQuotaUsed: await quotas.used(site.id, date),
      todayQuotaRemaining: await quotas.remaining(site.id, date, perDay),
    }
  }

  async function statusOf(site: Site) {
    const [state, lease] = await Promise.all([
      createSiteStates(store, logger).read(site.id),
      createRunLeases(ports).read(site.id),
    ])
    const next = site.enabled ? nextRunAfter(site.schedule, clock.now()) : null
    const last = state.lastExecution
    return {
      siteId: site.id,
      currentRun: lease !== null && isLive(lease, state.finishedRunId, clock.now()) ? lease.runId : null,
      lastExecution: last,
      engines: last?.engines ?? {},
      pending: last === null ? null : Math.max(0, last.newUrls - last.submittedUrls),
      nextRun: next === null ? null : new Date(next).toISOString(),
      bing: await bingOf(site),
    }
  }

  return new Hono<ApiEnv>().get('/status', async (c) => {
    const id = c.req.query('site')
    if (id === undefined) {
      const all = await Promise.all((await sites.list()).map(statusOf))
      return c.json({ status: 'running', sites: all })
    }
    const found = await findSite(sites, id)
    return found.ok
      ? c.json({ status: 'running', ...(await statusOf(found.value)) })
      : present(c, found.problem)
  })
}
