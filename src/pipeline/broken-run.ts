import type { RunProgress } from '../domain/execution-record'
import type { RunRequest, RunResult } from './run-site'

/** What is left of a run that a bug or a failing store ended: it is recorded like any other, and the site stays due. */
export function brokenRecord(
  { runId, site, channel, channels, trigger, startedAt, state }: RunRequest,
  { totalUrls, newUrls, engines }: RunProgress,
  now: number,
): RunResult {
  const { rounds, unfinished, notBefore, keyCheck, refusals, failed } = state
  const message = 'the run broke off: see the log'
  return {
    record: {
      runId,
      siteId: site.id,
      channel,
      trigger,
      status: 'failed',
      timestamp: new Date(startedAt).toISOString(),
      durationMs: Math.max(0, now - startedAt),
      totalUrls,
      newUrls,
      cachedUrls: totalUrls - newUrls,
      submittedUrls: 0,
      failedUrls: 0,
      leftOut: {},
      errors: [{ code: 'internal_error', message }],
      engines,
      batches: [],
      bingStats: {
        enabled: channels.some(({ id }) => id === 'bing'),
        submitted: 0,
        successful: 0,
        failed: 0,
        skipped: 0,
        quotaUsed: 0,
        quotaRemaining: 0,
      },
      marksPerWrite: 0,
    },
    state: { rounds, unfinished, notBefore, keyCheck, refusals, failed },
    outcomes: {},
    alertReasons: [{ code: 'internal_error', message, advice: 'the log of the Worker says what happened' }],
  }
}
