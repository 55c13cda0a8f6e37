import type { Channel } from '../channels/channel'
import type { ExecutionRecord } from '../domain/execution-record'
import { fail, ok, type Result } from '../domain/problem'
import { nextRunAfter, TICKS } from '../domain/schedule'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { Gate } from '../net/pool'
import type { Ports } from '../ports'
import { createRunLeases, isLive, type Lease, wholeStartOf } from '../records/run-lease'
import type { SiteConfigManager } from '../records/site-config-manager'
import { createSiteStates, type SiteState } from '../records/site-state'
import { createBudget, leastFor, leastTime } from './budget'
import { type Known, performRun, type RunFrame, type RunOrder } from './perform-run'

/** Connections the platform lets wait for an answer at one time. */
const MAX_IN_FLIGHT = 6

export interface StartedRun {
  readonly runId: string
  /** The run itself. */
  readonly record: Promise<ExecutionRecord>
  /** All of it, with what comes after the record. Never rejects. */
  readonly closed: Promise<void>
}

export interface Scheduler {
  /** Runs every site that is due, the longest waiting first, within one budget. */
  tick(): Promise<void>
  start(order: RunOrder): Promise<Result<StartedRun>>
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
  if (Object.values(state.unfinished).some((resumeAt) => resumeAt <= now)) return true
  const next = nextRunAfter(site.schedule, wholeStartOf(lease))
  return next !== null && next <= now
}

/**
 * Those started longest ago first. Of those started by one tick the last comes first: it had to do with what the others left
 * over, and behind a site that never gets through it would have no more the next time.
 */
function inTurn(sites: readonly Site[], startOf: (site: Site) => number): readonly Site[] {
  const turn = (site: Site) => ({ site, start: startOf(site), tick: nextRunAfter(TICKS, startOf(site)) ?? 0 })
  const turns = sites.map(turn).sort((a, b) => a.tick - b.tick || b.start - a.start)
  return turns.map(({ site }) => site)
}

export function createScheduler(deps: SchedulerDeps): Scheduler {
  const { ports, settings, sites } = deps
  const { clock, logger, random } = ports

  const leases = createRunLeases(ports)
  const states = createSiteStates(ports)

  const newFrame = (): RunFrame => ({
    ports,
    settings,
    resolveKey: deps.resolveKey,
    budget: createBudget(clock, { timeMs: settings.runTimeBudgetMs, requests: settings.runRequestBudget }),
    gate: new Gate(MAX_IN_FLIGHT),
  })

  async function known(site: Site): Promise<Known> {
    const [lease, state] = await Promise.all([leases.read(site.id), states.read(site.id)])
    return { lease, state }
  }

  async function start(order: RunOrder): ReturnType<Scheduler['start']> {
    const { site } = order
    const { lease, state } = await known(site)
    if (lease !== null && isLive(lease, state.finishedRunId, clock.now())) {
      const retryAfterSeconds = Math.max(1, Math.ceil((lease.until - clock.now()) / 1000))
      const detail = `${site.id} is running since ${new Date(lease.startedAt).toISOString()}: try again later`
      return fail({ status: 409, code: 'already_running', detail, retryAfterSeconds })
    }
    const runId = random.id()
    const run = performRun(runId, order, { lease, state }, newFrame())
    return ok({
      runId,
      record: run.then(({ record }) => record),
      closed: run.then(({ afterwards }) => afterwards).catch(() => {}),
    })
  }

  /** Those that are due, in the order they are to run in. */
  async function dueSites(): Promise<readonly Site[]> {
    const all = await sites.list()
    const ids = all.map(({ id }) => id)
    const [held, remembered] = await Promise.all([leases.readMany(ids), states.readMany(ids)])
    const due = all.filter((site) => {
      const state = remembered.get(site.id)
      return state !== undefined && isDue(site, state, held.get(site.id) ?? null, clock.now())
    })
    logger.info('tick', { sites: all.length, due: due.length })
    return inTurn(due, ({ id }) => held.get(id)?.startedAt ?? 0)
  }

  async function tick(): Promise<void> {
    const due = await dueSites()
    const frame = newFrame()
    const { budget } = frame
    const afterwards: Promise<void>[] = []
    for (const [index, site] of due.entries()) {
      const channels = deps.channelsOf(site)
      // The start counts from the moment it is written: a site without enough to get anywhere would lose its turn.
      const enough =
        budget.requestsLeft() >= leastFor(channels, site) &&
        budget.msLeft() >= leastTime(settings.runTimeBudgetMs)
      if (!enough && index > 0) {
        logger.warn('the budget of this tick is spent: the sites not reached go first at the next', {
          sites: due.slice(index).map(({ id }) => id),
          advice: 'raise RUN_REQUEST_BUDGET and RUN_TIME_BUDGET_MS, or give the sites different schedules',
        })
        break
      }
      try {
        // Read again: another invocation may have started it while the sites before ran.
        const found = await known(site)
        if (isLive(found.lease, found.state.finishedRunId, clock.now())) continue
        // So may its owner have changed, switched off or deleted it.
        const present = await sites.get(site.id)
        if (!present.ok || !present.value.enabled) continue
        const now = present.value
        const order = { site: now, channels: deps.channelsOf(now), channel: 'all', trigger: 'cron' as const }
        afterwards.push((await performRun(random.id(), order, found, frame)).afterwards)
      } catch (error) {
        // One broken site delays no other.
        logger.error('a run could not be recorded', { site: site.id, detail: String(error) })
      }
    }
    await Promise.all(afterwards)
  }

  return { tick, start }
}
