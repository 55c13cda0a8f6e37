import type { Channel } from '../channels/channel'
import type { ExecutionRecord, Trigger } from '../domain/execution-record'
import { fail, ok, type Result } from '../domain/problem'
import { nextRunAfter } from '../domain/schedule'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { Gate } from '../net/pool'
import type { Budget, Ports } from '../ports'
import { addRun } from '../records/daily-sums'
import { createExecutionLog } from '../records/execution-log'
import { meteredStore } from '../records/metered-store'
import { createRunLeases, isLive, type Lease } from '../records/run-lease'
import type { SiteConfigManager } from '../records/site-config-manager'
import { createSiteStates, type SiteState } from '../records/site-state'
import { createBudget } from './budget'
import { runSite } from './run-site'

/** Connections the platform lets wait for an answer at one time. */
const MAX_IN_FLIGHT = 6

export interface RunOrder {
  readonly site: Site
  readonly channels: readonly Channel[]
  readonly channel: string
  readonly trigger: Trigger
}

export interface Scheduler {
  /** Runs every site that is due, the longest waiting first, within one budget. */
  tick(): Promise<void>
  /** Starts one site now. The promise inside is the run itself. */
  start(order: RunOrder): Promise<Result<{ runId: string; record: Promise<ExecutionRecord> }>>
}

export interface SchedulerDeps {
  readonly ports: Ports
  readonly settings: Settings
  readonly sites: SiteConfigManager
  readonly channelsOf: (site: Site) => readonly Channel[]
  readonly resolveKey: (key: unknown) => string | null
}

/** Due by its schedule, because it never ran, or because its last run was cut short and may go on. */
export function isDue(site: Site, state: SiteState, lease: Lease | null, now: number): boolean {
  if (!site.enabled || isLive(lease, state.finishedRunId, now)) return false
  if (lease === null || state.lastExecution === null) return true
  // Named by no finished run: whoever held it died, and what it left undone is still to be done.
  if (lease.runId !== state.finishedRunId) return true
  if (state.lastExecution.status === 'checkpointed') {
    const waits = Object.values(state.notBefore)
    return waits.length === 0 || Math.min(...waits) <= now
  }
  const next = nextRunAfter(site.schedule, lease.startedAt)
  return next !== null && next <= now
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { ports, settings, sites } = deps
  const { clock, logger, random } = ports

  const newBudget = () =>
    createBudget(clock, { timeMs: settings.runTimeBudgetMs, requests: settings.runRequestBudget })

  async function run(order: RunOrder, runId: string, budget: Budget, gate: Gate): Promise<ExecutionRecord> {
    const { site } = order
    const meter = { reads: 0, writes: 0 }
    const store = meteredStore(ports.store, meter)
    const metered = { ...ports, store }
    const states = createSiteStates(store, logger)
    const requestsBefore = budget.requestsMade()
    const startedAt = clock.now()
    const release = await createRunLeases(metered).hold(site.id, runId)
    try {
      logger.info('run started', { site: site.id, runId, trigger: order.trigger, channel: order.channel })
      const state = await states.read(site.id)
      const context = { ports: metered, settings, budget, gate, resolveKey: deps.resolveKey }
      const result = await runSite({ ...order, runId, state, startedAt }, context)
      // The two writes that follow are part of the cost, and so is the read before the second.
      const costs = {
        requests: budget.requestsMade() - requestsBefore,
        kvReads: meter.reads + 1,
        kvWrites: meter.writes + 2,
      }
      const record = { ...result.record, ...costs }
      await createExecutionLog(store, logger).append(record)
      const { batches: _, ...lastExecution } = record
      const { cursor, notBefore, refusals, outcomes } = result
      const sums = addRun(state.sums, { record, outcomes })
      await states.write(site.id, { finishedRunId: runId, lastExecution, cursor, notBefore, refusals, sums })
      return record
    } finally {
      release()
    }
  }

  async function start(order: RunOrder): ReturnType<Scheduler['start']> {
    const { site } = order
    const [lease, state] = await Promise.all([
      createRunLeases(ports).read(site.id),
      createSiteStates(ports.store, logger).read(site.id),
    ])
    if (lease !== null && isLive(lease, state.finishedRunId, clock.now())) {
      const retryAfterSeconds = Math.max(1, Math.ceil((lease.until - clock.now()) / 1000))
      const detail = `${site.id} is running since ${new Date(lease.startedAt).toISOString()}: try again later`
      return fail({ status: 409, code: 'already_running', detail, retryAfterSeconds })
    }
    const runId = random.id()
    return ok({ runId, record: run(order, runId, newBudget(), new Gate(MAX_IN_FLIGHT)) })
  }

  async function tick(): Promise<void> {
    const all = await sites.list()
    const ids = all.map(({ id }) => id)
    const [leases, states] = await Promise.all([
      createRunLeases(ports).readMany(ids),
      createSiteStates(ports.store, logger).readMany(ids),
    ])
    const startOf = ({ id }: Site) => leases.get(id)?.startedAt ?? 0
    const due = all
      .filter((site) => {
        const state = states.get(site.id)
        return state !== undefined && isDue(site, state, leases.get(site.id) ?? null, clock.now())
      })
      .sort((a, b) => startOf(a) - startOf(b))
    logger.info('tick', { sites: all.length, due: due.length })
    const budget = newBudget()
    const gate = new Gate(MAX_IN_FLIGHT)
    for (const site of due) {
      if (budget.requestsLeft() === 0 || budget.msLeft() === 0) break
      const order = { site, channels: deps.channelsOf(site), channel: 'all', trigger: 'cron' as const }
      await run(order, random.id(), budget, gate).catch((error: unknown) => {
        // One broken site delays no other.
        logger.error('a run broke off', { site: site.id, detail: String(error) })
      })
    }
  }

  return { tick, start }
}
