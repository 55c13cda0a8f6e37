import type { AlertReason } from '../alerts/alert'
import type { Channel } from '../channels/channel'
import type { ExecutionRecord, RunError, RunProgress, Trigger } from '../domain/execution-record'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { createHttpClient } from '../net/http-client'
import type { Gate } from '../net/pool'
import type { Budget, Ports } from '../ports'
import { createPendingUrls, EMPTY_PENDING, PendingBook } from '../records/pending-urls'
import type { SiteState } from '../records/site-state'
import { type CrawlReport, NO_CRAWL } from '../sitemap/crawl-books'
import { alertReasons } from './alert-reasons'
import { leastFor } from './budget'
import { closeBooks, enginesOf } from './close-books'
import { openCrawl } from './crawl-site'
import { openChannels, type Participant } from './open-channels'
import { refusalsAfter } from './refusals'
import type { UrlFigures } from './run-channel'
import { whatIsLeft } from './what-is-left'

const MS_PER_DAY = 86_400_000

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
  /** Given a way to see how far the run has come. */
  readonly watch: (progress: () => RunProgress) => void
}

/** What is known only when everything is saved. */
type Costs = 'requests' | 'kvReads' | 'kvWrites'

export interface RunResult {
  readonly record: Omit<ExecutionRecord, Costs>
  /** What the site remembers of this run besides its record. */
  readonly state: Pick<SiteState, 'rounds' | 'unfinished' | 'notBefore' | 'keyCheck' | 'refusals' | 'failed'>
  /** By channel, those that took part. */
  readonly outcomes: Readonly<Record<string, UrlFigures>>
  readonly alertReasons: readonly AlertReason[]
}

/** Crawl, ask the marks of all channels, submit, mark, close the books. Saving the record is the caller's. */
export async function runSite(request: RunRequest, context: RunContext): Promise<RunResult> {
  const { site, state } = request
  const { ports, settings, budget } = context
  const errors: RunError[] = []
  const client = createHttpClient({ ...ports, ...settings, budget })
  const pendingUrls = createPendingUrls(ports.store, ports.logger)
  const pending = new PendingBook(state.failed > 0 ? await pendingUrls.read(site.id) : EMPTY_PENDING)
  const participants = await openChannels({ request, context, client, pending, errors })

  const crawl = participants.length === 0 ? null : await openCrawl(request, context, client, participants)
  if (crawl !== null) context.watch(() => ({ ...crawl.progress(), engines: enginesOf(participants) }))
  const report = await crawl?.run(async (slice) => {
    for (const participant of participants) await participant.take(slice)
  })
  for (const participant of participants) await participant.finish()
  if (report !== undefined) await crawl?.remember(report)
  if (report?.cutShort) errors.push(cutShort(report, request, settings))

  forgetSettled(pending, participants, request, report ?? NO_CRAWL)
  const list = pending.changes()
  if (list !== null) await pendingUrls.write(site.id, list)

  const refusals = refusalsAfter(request, context, participants, errors)
  const left = whatIsLeft(request, participants, report ?? NO_CRAWL)
  const closing = { request, context, participants, crawl: report ?? NO_CRAWL, errors, left }
  return {
    record: await closeBooks(closing),
    state: { ...left, refusals, failed: pending.count },
    outcomes: Object.fromEntries(participants.map(({ channel, run }) => [channel.id, run.urls])),
    alertReasons: alertReasons(closing),
  }
}

function cutShort(
  { filesRead }: CrawlReport,
  { channels, site }: RunRequest,
  { runRequestBudget }: Settings,
): RunError {
  const least = leastFor(channels, site)
  if (runRequestBudget < least) {
    return {
      code: 'budget_too_small',
      message: `RUN_REQUEST_BUDGET is ${runRequestBudget}, which is too small for ${site.id} to get anywhere`,
      advice: `set RUN_REQUEST_BUDGET to ${least} at least, or give the site fewer engines`,
    }
  }
  return {
    code: 'crawl_budget',
    message: `the budget ended after ${filesRead} sitemap files; the next run goes on from there`,
    advice:
      'nothing is lost; to be through sooner, put more URLs into each sitemap file, run more often (schedule), or raise RUN_REQUEST_BUDGET and RUN_TIME_BUDGET_MS',
  }
}

/** What is no longer pending, whatever became of it: of a channel that is off, of a mark that is gone, of a page that is. */
function forgetSettled(
  pending: PendingBook,
  participants: readonly Participant[],
  { site, state, channel, channels, startedAt }: RunRequest,
  { cutShort, errors, filesRead }: CrawlReport,
): void {
  if (channel === 'all') pending.keepOnly(channels.map(({ id }) => id))
  pending.forgetSettledBefore(new Date(startedAt - site.cacheTtlDays * MS_PER_DAY).toISOString())
  // Only a whole and clean crawl tells which pages are gone, and with a quota not everything is looked at.
  if (cutShort || filesRead === 0 || errors.length > 0 || state.rounds[channel] !== undefined) return
  const whole = participants.filter((one) => one.channel.quota?.(site) === undefined)
  pending.forgetUnmet(whole.map((one) => one.channel.id))
}
