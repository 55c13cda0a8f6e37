import type { AlertReason } from '../alerts/alert'
import type { Channel } from '../channels/channel'
import type { ExecutionRecord } from '../domain/execution-record'
import { LEASE_MS, type Lease } from '../records/run-lease'
import type { SiteState } from '../records/site-state'

const ADVICE =
  'if it was stopped by hand or by a deploy, there is nothing to do; if it happens again, it meets a limit, such as the CPU limit of the free plan: use the paid plan, split the sitemap into smaller files, or run Beckon on a machine of your own (Node)'

/** The record of a run that ended without one, from what its lease last said. */
export function interruptedRecord(siteId: string, lease: Lease): ExecutionRecord {
  const { runId, startedAt, until, trigger = 'cron', channel = 'all', progress } = lease
  const figures = Object.values(progress?.engines ?? {})
  const least = (count: (figure: (typeof figures)[number]) => number) =>
    figures.length === 0 ? 0 : Math.min(...figures.map(count))
  const totalUrls = progress?.totalUrls ?? 0
  const newUrls = progress?.newUrls ?? 0
  return {
    runId,
    siteId,
    channel,
    trigger,
    status: 'interrupted',
    timestamp: new Date(startedAt).toISOString(),
    // Alive at the last renewal; nobody knows how long after.
    durationMs: Math.max(0, until - LEASE_MS - startedAt),
    totalUrls,
    newUrls,
    cachedUrls: totalUrls - newUrls,
    submittedUrls: least(({ accepted }) => accepted),
    failedUrls: Math.max(0, ...figures.map(({ failed, rejected }) => failed + rejected)),
    leftOut: {},
    errors: [{ code: 'interrupted', message: 'the run ended without a word', advice: ADVICE }],
    engines: progress?.engines ?? {},
    batches: [],
    bingStats: {
      enabled: false,
      submitted: 0,
      successful: 0,
      failed: 0,
      skipped: 0,
      quotaUsed: 0,
      quotaRemaining: 0,
    },
    requests: 0,
    kvReads: 0,
    kvWrites: 0,
    marksPerWrite: 0,
  }
}

export function interruptedReason({ runId, timestamp }: ExecutionRecord): AlertReason {
  return {
    code: 'interrupted',
    message: `the run ${runId} of ${timestamp} ended without a word; this one took its work up`,
    advice: ADVICE,
  }
}

/** What the site remembers, with what the dead run got through: the next one goes on where it was. */
export function takenUp(
  state: SiteState,
  { channel = 'all', progress }: Lease,
  channels: readonly Channel[],
): SiteState {
  const cursor = progress?.cursor ?? null
  if (cursor === null) return state
  // Whether the files before hold anything that had to wait nobody knows: another round will tell.
  const owing = Object.fromEntries(channels.map(({ id }) => [id, 0]))
  return { ...state, rounds: { ...state.rounds, [channel]: { cursor, owing } } }
}
