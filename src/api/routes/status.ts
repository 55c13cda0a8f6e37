import { z } from 'zod'
import type { Site } from '../../domain/site'
import { nextRun } from '../../pipeline/next-run'
import { createQuotaManager, quotaDate } from '../../records/quota-manager'
import { createRunLeases, isLive, type Lease } from '../../records/run-lease'
import { createSiteStates, type SiteState } from '../../records/site-state'
import { siteStatus } from '../answers'
import type { ApiDeps } from '../app'
import * as examples from '../examples'
import { siteNamed } from '../find-site'
import { present } from '../problem-response'
import { anySiteParameter } from '../query-fields'
import { refusalsOf } from '../refusals-of'
import { type Route, route } from '../route'

const FREE_PLAN_WRITES = 1_000

const running = z.literal('running').meta({ description: 'The service works' })
const answer = z.union([
  siteStatus.extend({ status: running }),
  z.object({ status: running, sites: z.array(siteStatus) }),
])

const iso = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString())

/** How the service and its sites are doing. */
export function status(deps: ApiDeps): readonly Route[] {
  const { ports, sites, channelsOf } = deps
  const { clock } = ports
  const quotas = createQuotaManager({ ...ports, channelId: 'bing' })

  async function bingOf(site: Site, state: SiteState) {
    const bing = channelsOf(site).find(({ id }) => id === 'bing')
    if (bing?.quota === undefined) return { enabled: false }
    const { bing: refusal } = refusalsOf(site, state, deps)
    if (refusal !== undefined) return { enabled: false, refusal }
    const date = quotaDate(clock.now())
    const { used, remaining } = await quotas.read(site.id, date, bing.quota(site).perDay)
    return {
      enabled: true,
      todayQuotaUsed: used,
      todayQuotaRemaining: remaining,
      lastSubmission: state.sums.lastSubmission.bing ?? null,
    }
  }

  function enginesOf(site: Site, { sums, notBefore, lastExecution }: SiteState) {
    const endpoints = channelsOf(site).flatMap((channel) =>
      channel.endpoints(site).map((endpoint) => ({ ...endpoint, channel: channel.id })),
    )
    return Object.fromEntries(
      endpoints.map(({ name, address, channel }) => {
        const known = sums.engines[name]
        const until = notBefore[address] ?? 0
        return [
          name,
          {
            channel,
            acceptedTotal: known?.accepted ?? 0,
            lastAnswer:
              known === undefined ? null : { at: known.at, status: known.status, averageMs: known.ms },
            setAsideUntil: iso(until > clock.now() ? until : null),
            lastRun: lastExecution?.engines[name] ?? null,
          },
        ]
      }),
    )
  }

  async function statusOf(site: Site, state: SiteState, lease: Lease | null) {
    const now = clock.now()
    const last = state.lastExecution
    const writesToday = state.sums.days[quotaDate(now)]?.kvWrites ?? 0
    return {
      siteId: site.id,
      enabled: site.enabled,
      currentRun: lease !== null && isLive(lease, state.finishedRunId, now) ? lease.runId : null,
      lastExecution: last,
      engines: enginesOf(site, state),
      pending: last === null ? null : Math.max(0, last.newUrls - last.submittedUrls),
      nextRun: iso(nextRun(site, state, lease, now)),
      bing: await bingOf(site, state),
      kv: { writesToday, shareOfFreePlan: writesToday / FREE_PLAN_WRITES },
    }
  }

  async function statusesOf(some: readonly Site[]) {
    const ids = some.map(({ id }) => id)
    const [states, leases] = await Promise.all([
      createSiteStates(ports).readMany(ids),
      createRunLeases(ports).readMany(ids),
    ])
    const known = some.flatMap((site) => {
      const state = states.get(site.id)
      return state === undefined ? [] : [statusOf(site, state, leases.get(site.id) ?? null)]
    })
    return Promise.all(known)
  }

  return [
    route({
      methods: ['GET'],
      path: '/status',
      summary: 'How the sites are doing',
      details:
        '`status` is always `running`: the service works. A run that is going on has its id in `currentRun`, which is ' +
        '`null` while the site is at rest.',
      query: z.strictObject({ site: anySiteParameter }),
      answers: {
        200: {
          says: 'One site, or all of them under `sites`',
          schema: answer,
          example: { status: 'running', ...examples.status },
        },
      },
      problems: { 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, query: { site: id } }) {
        if (id === undefined)
          return c.json({ status: 'running', sites: await statusesOf(await sites.list()) })
        const found = await siteNamed(sites, id, 'site')
        if (!found.ok) return present(c, found.problem)
        const [one] = await statusesOf([found.value])
        return c.json({ status: 'running', ...one })
      },
    }),
  ]
}
