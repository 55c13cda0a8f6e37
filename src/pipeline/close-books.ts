import type { BingStats, ExecutionRecord, RunError, RunStatus } from '../domain/execution-record'
import { createQuotaManager, quotaDate } from '../records/quota-manager'
import type { CrawlReport } from '../sitemap/crawl-books'
import type { Participant } from './open-channels'
import { refusalFor } from './refusals'
import type { RunContext, RunRequest, RunResult } from './run-site'
import type { Left } from './what-is-left'

interface Closing {
  readonly request: RunRequest
  readonly context: RunContext
  readonly participants: readonly Participant[]
  readonly crawl: CrawlReport
  readonly errors: readonly RunError[]
  readonly left: Left
}

/** The record of a run: sums of its books and nothing else. */
export async function closeBooks(closing: Closing): Promise<RunResult['record']> {
  const { request, context, participants, crawl } = closing
  const { runId, site, channel, trigger, startedAt } = request
  const errors: readonly RunError[] = [
    ...closing.errors,
    ...crawl.errors,
    ...crawl.warnings,
    ...participants.flatMap(({ channel, run }) =>
      run.books.errors().map((error) => ({ channel: channel.id, ...error })),
    ),
  ]
  // IndexNow's figures, or those of the only channel: Bing's stand in bingStats beside them.
  const main = participants[0]?.run.urls ?? { accepted: 0, failed: 0, deferred: 0 }
  const record = {
    runId,
    siteId: site.id,
    channel,
    trigger,
    status: statusOf(closing),
    timestamp: new Date(startedAt).toISOString(),
    durationMs: Math.max(0, context.ports.clock.now() - startedAt),
    totalUrls: crawl.totalUrls,
    newUrls: crawl.newUrls,
    cachedUrls: crawl.totalUrls - crawl.newUrls,
    submittedUrls: main.accepted,
    failedUrls: main.failed,
    leftOut: crawl.leftOut,
    errors,
    engines: enginesOf(participants),
    batches: participants.flatMap(({ run }) => run.books.batches),
    bingStats: await bingStats(closing, errors),
    marksPerWrite: marksPerWrite(participants),
  } satisfies RunResult['record']
  summarise(record, context)
  return record
}

export function enginesOf(participants: readonly Participant[]): ExecutionRecord['engines'] {
  return Object.assign({}, ...participants.map(({ run }) => run.books.engines()))
}

function statusOf({ request, participants, crawl, errors, left }: Closing): RunStatus {
  // A channel may have nothing to do, its quota being used up; what kept it from working is an error.
  if (participants.length === 0) return errors.length === 0 ? 'success' : 'failed'
  if (crawl.filesRead === 0 && !crawl.cutShort) return 'failed'
  // Going on would change nothing.
  if (errors.some(({ code }) => code === 'budget_too_small')) return 'failed'
  if (request.channels.some(({ id }) => left.unfinished[id] !== undefined)) return 'checkpointed'
  const sum = (count: (run: Participant['run']) => number) =>
    participants.reduce((total, { run }) => total + count(run), 0)
  const bad = sum(({ books, stopped }) => books.count('failed') + books.count('rejected') + (stopped ? 1 : 0))
  if (errors.length + crawl.errors.length + bad === 0) return 'success'
  const accepted = sum(({ books }) => books.count('accepted'))
  return accepted === 0 && crawl.errors.length === 0 && bad > 0 ? 'failed' : 'partial'
}

function marksPerWrite(participants: readonly Participant[]): number {
  const writes = participants.reduce((sum, { marks }) => sum + marks.saved.writes, 0)
  const marks = participants.reduce((sum, participant) => sum + participant.marks.saved.marks, 0)
  return writes === 0 ? 0 : Math.round(marks / writes)
}

/** Every URL that Bing had not settled is submitted or skipped, the day's quota being one reason to skip. */
async function bingStats(
  { request, context, participants }: Closing,
  errors: readonly RunError[],
): Promise<BingStats> {
  const bing = request.channels.find(({ id }) => id === 'bing')
  const { site, startedAt } = request
  const none = { accepted: 0, failed: 0, deferred: 0 }
  const urls = participants.find(({ channel }) => channel === bing)?.run.urls ?? none
  const figures = {
    enabled: bing !== undefined,
    submitted: urls.accepted + urls.failed,
    successful: urls.accepted,
    failed: urls.failed,
    skipped: urls.deferred,
  }
  if (bing === undefined) return { ...figures, quotaUsed: 0, quotaRemaining: 0 }
  // The record of the other channels must not wait for a quota that cannot be read.
  const day = await createQuotaManager({ ...context.ports, channelId: bing.id })
    .read(site.id, quotaDate(startedAt), bing.quota?.(site).perDay ?? 0)
    .catch(() => ({ used: 0, remaining: 0 }))
  const refusal = refusalFor(bing, request, context.resolveKey)
  const error = errors.find(({ channel }) => channel === bing.id)?.message ?? refusal?.reason
  return {
    ...figures,
    quotaUsed: day.used,
    quotaRemaining: day.remaining,
    ...(error === undefined ? {} : { error }),
  }
}

function summarise(record: RunResult['record'], { ports: { logger } }: RunContext): void {
  const { siteId, runId, status, totalUrls, newUrls, submittedUrls, failedUrls, engines, errors } = record
  const fields = { site: siteId, runId, status, totalUrls, newUrls, submittedUrls, failedUrls, engines }
  if (status === 'failed') logger.error('run finished', { ...fields, errors })
  else if (errors.length > 0) logger.warn('run finished', { ...fields, errors })
  else logger.info('run finished', fields)
}
