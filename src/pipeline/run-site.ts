import type { Channel } from '../channels/channel'
import type { ExecutionRecord, RunError, Trigger } from '../domain/execution-record'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { fingerprinter } from '../marks/fingerprint'
import { createHttpClient } from '../net/http-client'
import type { Gate } from '../net/pool'
import type { Budget, Ports } from '../ports'
import { createQuotaManager } from '../records/quota-manager'
import type { SiteState } from '../records/site-state'
import { Crawler } from '../sitemap/crawler'
import { RESERVE, reserveFor } from './budget'
import { closeBooks } from './close-books'
import { missingIn, openChannels, type Participant } from './open-channels'

export interface RunRequest {
  readonly runId: string
  readonly site: Site
  /** Those taking part, in order. */
  readonly channels: readonly Channel[]
  /** What was asked for: a channel's id, or `all`. */
  readonly channel: string
  readonly trigger: Trigger
  readonly state: SiteState
  readonly startedAt: number
}

export interface RunContext {
  readonly ports: Ports
  readonly settings: Settings
  readonly budget: Budget
  readonly gate: Gate
  readonly resolveKey: (key: unknown) => string | null
}

export interface RunResult {
  /** Without the costs, which are known only when everything is saved. */
  readonly record: Omit<ExecutionRecord, 'requests' | 'kvReads' | 'kvWrites'>
  readonly cursor: string | null
  readonly notBefore: Readonly<Record<string, number>>
}

/** Crawl, ask the marks of all channels, submit, mark, close the books. Saving the record is the caller's. */
export async function runSite(request: RunRequest, context: RunContext): Promise<RunResult> {
  const { site, state } = request
  const { ports, settings, budget } = context
  const errors: RunError[] = []
  const client = createHttpClient({ ...ports, ...settings, budget })
  const quotas = createQuotaManager(ports)
  const participants = await openChannels({ request, context, client, quotas, errors })

  const crawler = new Crawler({
    site,
    client,
    timeoutMs: settings.sitemapTimeoutMs,
    retryWaitMs: settings.waits.sitemapRetryMs,
    reserve: RESERVE.ALERT + reserveFor(participants, site),
    retryContext: { ...ports, budget },
    fingerprint: fingerprinter(site.id),
    missing: (url) => missingIn(participants, url),
    cursor: state.cursor,
  })
  if (participants.length > 0) {
    for await (const slice of crawler.slices()) {
      for (const participant of participants) await participant.take(slice)
    }
  }
  for (const participant of participants) await participant.finish()

  const record = await closeBooks({ request, context, participants, crawl: crawler.report, quotas, errors })
  const notBefore = Object.assign(
    {},
    othersNotBefore(request, participants),
    ...participants.map(({ run }) => run.notBefore),
  )
  return { record, cursor: crawler.report.cursor, notBefore }
}

/** The waits of endpoints that took no part in this run: they still hold. */
function othersNotBefore(
  { site, state, startedAt }: RunRequest,
  participants: readonly Participant[],
): Record<string, number> {
  const asked = participants.flatMap(({ channel }) => channel.endpoints(site).map(({ address }) => address))
  return Object.fromEntries(
    Object.entries(state.notBefore).filter(
      ([address, until]) => until > startedAt && !asked.includes(address),
    ),
  )
}
