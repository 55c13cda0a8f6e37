import type { Channel } from '../channels/channel'
import type { ExecutionRecord, RunError, Trigger } from '../domain/execution-record'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { createHttpClient } from '../net/http-client'
import type { Gate } from '../net/pool'
import type { Budget, Ports } from '../ports'
import type { Refusals } from '../records/refusals'
import type { SiteState } from '../records/site-state'
import { type CrawlReport, NO_CRAWL } from '../sitemap/crawl-books'
import { closeBooks } from './close-books'
import { openCrawl } from './crawl-site'
import { openChannels, type Participant } from './open-channels'
import { refusalsAfter } from './refusals'
import type { UrlFigures } from './run-channel'

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
  /** Channels that stay off for this site. */
  readonly refusals: Refusals
  /** By channel, those that took part. */
  readonly outcomes: Readonly<Record<string, UrlFigures>>
}

/** Crawl, ask the marks of all channels, submit, mark, close the books. Saving the record is the caller's. */
export async function runSite(request: RunRequest, context: RunContext): Promise<RunResult> {
  const { ports, settings, budget } = context
  const errors: RunError[] = []
  const client = createHttpClient({ ...ports, ...settings, budget })
  const participants = await openChannels({ request, context, client, errors })

  const crawl = participants.length === 0 ? null : await openCrawl(request, context, client, participants)
  const report = await crawl?.run(async (slice) => {
    for (const participant of participants) await participant.take(slice)
  })
  for (const participant of participants) await participant.finish()
  if (report !== undefined) await crawl?.remember(report)

  const refusals = refusalsAfter(request, context, participants, errors)
  const record = await closeBooks({ request, context, participants, crawl: report ?? NO_CRAWL, errors })
  const notBefore = Object.assign(
    {},
    othersNotBefore(request, participants),
    ...participants.map(({ run }) => run.notBefore),
  )
  const outcomes = Object.fromEntries(participants.map(({ channel, run }) => [channel.id, run.urls]))
  return { record, cursor: cursorAfter(request, report), notBefore, refusals, outcomes }
}

/** Where the next run goes on. One that looked at some channels only, or at nothing, has not moved the whole on. */
function cursorAfter({ channel, state }: RunRequest, report: CrawlReport | undefined): string | null {
  return report === undefined || channel !== 'all' ? state.cursor : report.cursor
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
