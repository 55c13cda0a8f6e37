import type { BingStats, ExecutionRecord, RunError, RunStatus } from '../domain/execution-record'
import { type QuotaManager, quotaDate } from '../records/quota-manager'
import type { CrawlReport } from '../sitemap/crawl-books'
import type { Participant } from './open-channels'
import type { RunContext, RunRequest, RunResult } from './run-site'

interface Closing {
  readonly request: RunRequest
  readonly context: RunContext
  readonly participants: readonly Participant[]
  readonly crawl: CrawlReport
  readonly quotas: QuotaManager
  readonly errors: readonly RunError[]
}

/** The record of a run: sums of its books and nothing else. */
export async function closeBooks(closing: Closing): Promise<RunResult['record']> {
  const { request, context, participants, crawl } = closing
  const { runId, site, channel, trigger, startedAt } = request
  const errors = [
    ...closing.errors,
    ...crawl.errors,
    ...crawl.warnings,
    ...participants.flatMap(({ run }) => run.books.errors()),
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
    engines: Object.assign({}, ...participants.map(({ run }) => run.books.engines())),
    batches: participants.flatMap(({ run }) => run.books.batches),
    bingStats: await bingStats(closing),
  } satisfies Omit<ExecutionRecord, 'requests' | 'kvReads' | 'kvWrites'>
  summarise(record, context)
  return record
}

function statusOf({ participants, crawl, errors }: Closing): RunStatus {
  // A channel may have nothing to do, its quota being used up; what kept it from working is an error.
  if (participants.length === 0) return errors.length === 0 ? 'success' : 'failed'
  if (crawl.filesRead === 0 && !crawl.cutShort) return 'failed'
  if (crawl.cutShort || participants.some(({ run }) => run.checkpointed)) return 'checkpointed'
  const sum = (ending: 'accepted' | 'failed' | 'rejected') =>
    participants.reduce((total, { run }) => total + run.books.count(ending), 0)
  const trouble = errors.length + crawl.errors.length + sum('failed') + sum('rejected')
  if (trouble === 0) return 'success'
  return sum('accepted') === 0 && crawl.errors.length === 0 && errors.length === 0 ? 'failed' : 'partial'
}

async function bingStats({ request, participants, quotas }: Closing): Promise<BingStats> {
  const bing = request.channels.find(({ id }) => id === 'bing')
  const { site, startedAt } = request
  const none = { submitted: 0, successful: 0, failed: 0, skipped: 0, quotaUsed: 0, quotaRemaining: 0 }
  if (bing === undefined) return { enabled: false, ...none }
  const date = quotaDate(startedAt)
  const quotaUsed = await quotas.used(site.id, date)
  const quotaRemaining = await quotas.remaining(site.id, date, bing.quota?.(site).perDay ?? 0)
  const urls = participants.find(({ channel }) => channel === bing)?.run.urls
  if (urls === undefined) return { enabled: true, ...none, quotaUsed, quotaRemaining }
  return {
    enabled: true,
    submitted: urls.accepted + urls.failed,
    successful: urls.accepted,
    failed: urls.failed,
    skipped: urls.deferred,
    quotaUsed,
    quotaRemaining,
  }
}

function summarise(record: RunResult['record'], { ports: { logger } }: RunContext): void {
  const { siteId, runId, status, totalUrls, newUrls, submittedUrls, failedUrls, engines, errors } = record
  const fields = { site: siteId, runId, status, totalUrls, newUrls, submittedUrls, failedUrls, engines }
  if (status === 'failed') logger.error('run finished', { ...fields, errors })
  else if (errors.length > 0) logger.warn('run finished', { ...fields, errors })
  else logger.info('run finished', fields)
}
