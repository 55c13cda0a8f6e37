import type { Channel } from '../channels/channel'
import type { ExecutionRecord, RunProgress, Trigger } from '../domain/execution-record'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import type { Gate } from '../net/pool'
import type { Budget, Ports } from '../ports'
import { addRun } from '../records/daily-sums'
import { createExecutionLog } from '../records/execution-log'
import { meteredStore } from '../records/metered-store'
import { createRunLeases, isOrphan, type Lease, wholeStartOf } from '../records/run-lease'
import { createSiteStates, type SiteState } from '../records/site-state'
import { brokenRecord } from './broken-run'
import { interruptedReason, interruptedRecord, takenUp } from './interrupted-run'
import { presentable } from './presentable'
import { createRunAlerts } from './run-alerts'
import { runSite } from './run-site'

/** KV takes one write per key and second. */
const MIN_WRITE_GAP_MS = 1_000

export interface RunOrder {
  readonly site: Site
  readonly channels: readonly Channel[]
  readonly channel: string
  readonly trigger: Trigger
}

export interface RunFrame {
  readonly ports: Ports
  readonly settings: Settings
  readonly resolveKey: (key: unknown) => string | null
  readonly budget: Budget
  readonly gate: Gate
}

/** What was stored when the run began. */
export interface Known {
  readonly lease: Lease | null
  readonly state: SiteState
}

export interface PerformedRun {
  readonly record: ExecutionRecord
  /** What goes on after the run without holding it up: telling people. Never rejects. */
  readonly afterwards: Promise<void>
}

/** One run from its lease to its record, with the story of the one before it if that died. */
export async function performRun(
  runId: string,
  order: RunOrder,
  known: Known,
  frame: RunFrame,
): Promise<PerformedRun> {
  const { site, trigger, channel } = order
  const { budget, settings } = frame
  const { clock, sleep, logger } = frame.ports
  const meter = { reads: 0, writes: 0 }
  const ports = { ...frame.ports, store: meteredStore(frame.ports.store, meter) }
  const states = createSiteStates(ports)
  const history = createExecutionLog(ports.store, logger)
  const runAlerts = createRunAlerts({ ports, settings, budget })
  const requestsBefore = budget.requestsMade()
  const startedAt = clock.now()
  const secrets = new Set<string>()
  const resolveKey = (key: unknown) => {
    const value = frame.resolveKey(key)
    if (value !== null) secrets.add(value)
    return value
  }

  let progress: () => RunProgress = () => ({ totalUrls: 0, newUrls: 0, engines: {}, cursor: null })
  const dead = isOrphan(known.lease, known.state.finishedRunId, startedAt) ? known.lease : null
  // A run of all that died does not count: after this one of a single channel the site is still due.
  const wholeStartedAt =
    channel === 'all' ? startedAt : dead?.channel === 'all' ? 0 : wholeStartOf(known.lease)
  const holder = {
    siteId: site.id,
    runId,
    startedAt,
    trigger,
    channel,
    wholeStartedAt,
    progress: () => progress(),
  }
  // Before the lease of the dead one is written over: a run that dies at once would take its story along.
  const interrupted = dead === null ? null : interruptedRecord(site.id, dead)
  const closedOne =
    interrupted !== null && (await told(history.appendMissing(interrupted, known.state.lastExecution)))
  const closedAt = clock.now()
  if (closedOne) logger.error('an earlier run ended without a word', { site: site.id, runId: dead?.runId })
  const release = await createRunLeases(ports).hold(holder)
  try {
    logger.info('run started', { site: site.id, runId, trigger, channel })
    const state = dead === null ? known.state : takenUp(known.state, dead, order.channels)

    const result = await runSite(
      { ...order, runId, state, startedAt },
      {
        ports,
        settings,
        budget,
        gate: frame.gate,
        resolveKey,
        watch: (seen) => {
          progress = seen
        },
      },
    ).catch((error: unknown) => {
      logger.error('a run broke off', { site: site.id, runId, detail: String(error) })
      return brokenRecord({ ...order, runId, state, startedAt }, progress(), clock.now())
    })

    const reasons = presentable(secrets, [
      ...result.alertReasons,
      ...(closedOne && interrupted !== null ? [interruptedReason(interrupted)] : []),
    ])
    for (const reason of reasons) logger.error(reason.message, { site: site.id, runId, ...reason })
    if (dead !== null) await sleep(Math.max(0, closedAt + MIN_WRITE_GAP_MS - clock.now()))
    // The two writes that follow are part of the cost, and so are the reads of lease, state and history.
    const record = {
      ...presentable(secrets, result.record),
      requests: budget.requestsMade() - requestsBefore,
      kvReads: meter.reads + 3,
      kvWrites: meter.writes + 2,
    }
    const alerts = runAlerts.toSend(record, reasons, state)
    await told(history.append(record, state.lastExecution).then(() => true))
    const { batches: _, ...lastExecution } = record
    const sums = addRun(state.sums, { record, outcomes: result.outcomes })
    await states.write(site.id, {
      ...state,
      ...result.state,
      refusals: presentable(secrets, result.state.refusals ?? {}),
      finishedRunId: runId,
      lastExecution,
      sums,
      alerts,
    })
    return { record, afterwards: runAlerts.deliver(record, alerts).catch(() => {}) }
  } finally {
    release()
  }

  /** Whether it is in the history. One that cannot be written must not cost what the site has to remember. */
  function told(appended: Promise<boolean>): Promise<boolean> {
    return appended.catch((error: unknown) => {
      const message = 'the record of a run could not be added to the history'
      logger.error(message, { site: site.id, runId, detail: String(error) })
      return false
    })
  }
}
