import { type AlertReason, alertBody } from '../alerts/alert'
import { createAlertSender } from '../alerts/alert-sender'
import type { Channel } from '../channels/channel'
import type { ExecutionRecord, RunProgress, Trigger } from '../domain/execution-record'
import { plainText } from '../domain/plain-text'
import { hint } from '../domain/secret'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { createHttpClient } from '../net/http-client'
import type { Gate } from '../net/pool'
import type { Budget, Ports } from '../ports'
import { addRun } from '../records/daily-sums'
import { createExecutionLog } from '../records/execution-log'
import { meteredStore } from '../records/metered-store'
import { createRunLeases, isOrphan, type Lease, wholeStartOf } from '../records/run-lease'
import { createSiteStates, type SiteState, type WaitingAlert } from '../records/site-state'
import { brokenRecord } from './broken-run'
import { interruptedReason, interruptedRecord, takenUp } from './interrupted-run'
import { runSite } from './run-site'

/** KV takes one write per key and second. */
const MIN_WRITE_GAP_MS = 1_000
const ALERT_TRIES = 3

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
  const { clock, sleep, logger, random } = frame.ports
  const meter = { reads: 0, writes: 0 }
  const ports = { ...frame.ports, store: meteredStore(frame.ports.store, meter) }
  const states = createSiteStates(ports)
  const history = createExecutionLog(ports.store, logger)
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
    const alerts = settings.webhookUrl === null ? [] : alertsOf(record, reasons, state)
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
    return { record, afterwards: deliver(alerts, clock.now()).catch(() => {}) }
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

  /** Those of earlier runs that have a try left and the one of this run, each with this run's try counted. */
  function alertsOf(
    record: ExecutionRecord,
    reasons: readonly AlertReason[],
    state: SiteState,
  ): WaitingAlert[] {
    const waiting = state.alerts.filter(({ tries }) => tries < ALERT_TRIES)
    const body = alertBody(record, reasons, clock.now())
    const own = reasons.length === 0 ? [] : [{ id: random.id(), body, tries: 0 }]
    return [...own, ...waiting].map((alert) => ({ ...alert, tries: alert.tries + 1 }))
  }

  /** After everything is saved, so that a webhook that hangs keeps nobody waiting. */
  async function deliver(alerts: readonly WaitingAlert[], savedAt: number): Promise<void> {
    const { webhookUrl: url, webhookSecret: secret, requestTimeoutMs: timeoutMs } = settings
    if (url === null || alerts.length === 0) return
    // Its request was kept free for this, and the time of the run does not bind what tells of it.
    const client = createHttpClient({
      ...ports,
      ...settings,
      budget: { ...budget, takeRequest: () => budget.takeLast() },
    })
    const send = createAlertSender({ url, secret, client, clock, logger, timeoutMs })
    const done = await Promise.all(alerts.map(send))
    if (!done.includes(true)) return
    await sleep(Math.max(0, savedAt + MIN_WRITE_GAP_MS - clock.now()))
    const now = await states.read(site.id)
    // A run that began meanwhile has its own copy. It sends again what it holds; the id tells the receiver.
    if (now.finishedRunId !== runId) return
    const delivered = alerts.filter((_, index) => done[index]).map(({ id }) => id)
    await states.write(site.id, { ...now, alerts: now.alerts.filter(({ id }) => !delivered.includes(id)) })
  }
}

/**
 * The same, with the first four characters of a key wherever there was one, and without orders to a terminal: engines quote
 * what they were sent and say what they like, and records are shown in many places.
 */
function presentable<T>(secrets: ReadonlySet<string>, value: T): T {
  const text = JSON.stringify(value, (_name, item: unknown) => {
    if (typeof item !== 'string') return item
    return [...secrets].reduce((masked, secret) => masked.replaceAll(secret, hint(secret)), plainText(item))
  })
  return JSON.parse(text) as T
}
