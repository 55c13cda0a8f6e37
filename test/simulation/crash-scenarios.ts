import type { Product } from './isolate'
import { PretendSite, type SiteProfile } from './pretend-site'
import { ENGINES, type Plan, World } from './world'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const START = Date.UTC(2027, 4, 10, 0, 5)
const RECOVERY_DAYS = 3
/** No wait is longer than a few hours. */
const TICKS_PER_RECOVERY_DAY = 4

export interface CrashScenario {
  readonly name: string
  readonly requestBudget?: number
  readonly sites: readonly Partial<SiteProfile>[]
  readonly pages: number
  readonly badPages?: number
  /** What happens while the fault may strike. */
  readonly play: (world: World) => Promise<void>
}

const PROFILE: SiteProfile = {
  files: 0,
  etags: false,
  indexLastmods: false,
  bing: false,
  bingQuota: 50,
  ttlDays: 30,
  schedule: '0 0 * * *',
  engines: [ENGINES[0]],
  method: 'get',
  clockBehindMs: 0,
}

async function tick(world: World): Promise<void> {
  await world.time.run(world.tick())
}

/** The pages of every site change, and a day passes. */
async function nextDay(world: World): Promise<void> {
  for (const site of world.sites.values()) {
    site.evolve(world.time.now, 100)
    site.publish(world.time.now, 1, 0)
  }
  await world.time.until(world.time.now + DAY)
}

const twice = async (world: World): Promise<void> => {
  await tick(world)
  await nextDay(world)
  await tick(world)
}

export const CRASH_SCENARIOS: readonly CrashScenario[] = [
  { name: 'one file, one engine, one by one', sites: [{}], pages: 9, play: twice },
  { name: 'two engines and Bing', sites: [{ engines: [...ENGINES], bing: true }], pages: 7, play: twice },
  {
    name: 'an index by a clock that is hours behind, skipped where nothing changed',
    sites: [{ files: 3, etags: true, indexLastmods: true, bing: true, clockBehindMs: DAY / 2 }],
    pages: 5,
    play: twice,
  },
  {
    name: 'bulk with URLs that engines refuse',
    sites: [{ method: 'bulk', engines: [...ENGINES], bing: true }],
    pages: 5,
    badPages: 1,
    play: twice,
  },
  {
    name: 'Bing as its documents say it answers',
    sites: [{ bing: true, bingQuota: 4 }],
    pages: 6,
    badPages: 1,
    async play(world) {
      world.internet.bingDialect = 'documents'
      await twice(world)
    },
  },
  {
    name: 'Bing allows less than was thought, and that comes out among URLs it refuses',
    sites: [{ bing: true, bingQuota: 8 }],
    pages: 6,
    badPages: 1,
    async play(world) {
      world.internet.bingGenerosity = 0.5
      await twice(world)
    },
  },
  {
    name: 'three batches for Bing',
    sites: [{ bing: true, bingQuota: 250, method: 'bulk' }],
    pages: 250,
    async play(world) {
      world.internet.bingGenerosity = 3
      await tick(world)
    },
  },
  {
    name: 'a count of the day that somebody spoiled',
    sites: [{ bing: true, bingQuota: 4 }],
    pages: 9,
    async play(world) {
      world.internet.bingGenerosity = 3
      await tick(world)
      const today = new Date(world.time.now).toISOString().slice(0, 10)
      world.truth.write(`bing:quota:s0.example:${today}`, '{"used":')
      await world.time.run(world.trigger('s0.example', 'bing'))
      await nextDay(world)
      await tick(world)
    },
  },
  {
    name: 'an index and an engine so slow that the lease is renewed meanwhile',
    sites: [{ files: 3 }],
    pages: 6,
    async play(world) {
      world.internet.latency = [9_000, 9_500]
      for (let n = 0; n < 5; n++) {
        await tick(world)
        await world.time.until(world.time.now + 15 * MINUTE)
      }
      // What a killed run left is taken up by the next ticks, not by the run of the next day.
      if (world.plan?.fault.startsWith('killed')) world.judge.allHeard()
    },
  },
  {
    name: 'an index longer than the budget',
    requestBudget: 12,
    sites: [{ files: 8, indexLastmods: true }],
    pages: 10,
    async play(world) {
      for (let n = 0; n < 5; n++) {
        await tick(world)
        await world.time.until(world.time.now + 15 * MINUTE)
      }
      await nextDay(world)
    },
  },
  {
    name: 'a site that is never through before one that is small',
    requestBudget: 8,
    sites: [{ files: 18 }, {}],
    pages: 2,
    async play(world) {
      for (let n = 0; n < 4; n++) {
        await tick(world)
        await world.time.until(world.time.now + 15 * MINUTE)
      }
    },
  },
  {
    name: 'less quota than pages',
    sites: [{ bing: true, bingQuota: 3 }],
    pages: 5,
    async play(world) {
      await twice(world)
      await nextDay(world)
      await tick(world)
    },
  },
  {
    name: 'an engine that is busy, and one that is down',
    sites: [{ engines: [...ENGINES], files: 1, etags: true }],
    pages: 3,
    async play(world) {
      const { engines } = world.internet
      engines.set(ENGINES[0], { weather: 'throttled', rate: 1 })
      engines.set(ENGINES[1], { weather: 'server_error', rate: 1 })
      await tick(world)
      engines.delete(ENGINES[0])
      await world.time.until(world.time.now + 15 * MINUTE)
      await tick(world)
      engines.clear()
    },
  },
  {
    name: 'Bing is busy',
    sites: [{ bing: true }],
    pages: 2,
    async play(world) {
      world.internet.engines.set('ssl.bing.com', { weather: 'throttled', rate: 1 })
      await tick(world)
      world.internet.engines.clear()
      await world.time.until(world.time.now + 15 * MINUTE)
      await tick(world)
    },
  },
  {
    name: 'a key that Bing refuses',
    sites: [{ bing: true }],
    pages: 3,
    async play(world) {
      world.internet.engines.set('ssl.bing.com', { weather: 'refused_key', rate: 1 })
      await tick(world)
      world.internet.engines.clear()
      await nextDay(world)
      await tick(world)
    },
  },
  {
    name: 'two sites in one tick, and a run by hand',
    sites: [{ engines: [...ENGINES] }, { files: 2, bing: true }],
    pages: 6,
    async play(world) {
      await tick(world)
      await nextDay(world)
      await world.time.run(world.trigger('s1.example', 'all'))
      await tick(world)
    },
  },
  {
    name: 'after a run that died',
    sites: [{ engines: [...ENGINES], bing: true }],
    pages: 4,
    async play(world) {
      const lease = { runId: 'dead', startedAt: world.time.now - 600_000, until: world.time.now - 500_000 }
      world.judge.expectRun('dead', world.site(0), lease.startedAt)
      world.truth.write('sites:lease:s0.example', JSON.stringify(lease))
      await twice(world)
    },
  },
  {
    name: 'after a run that died, by a clock that is minutes ahead',
    sites: [{}],
    pages: 2,
    async play(world) {
      const { now } = world.time
      const lease = { runId: 'dead', startedAt: now + MINUTE, until: now + 2 * MINUTE }
      world.judge.expectRun('dead', world.site(0), now - 3 * MINUTE)
      world.truth.write('sites:lease:s0.example', JSON.stringify(lease))
      await tick(world)
      await world.time.until(now + 15 * MINUTE)
      await tick(world)
    },
  },
  {
    name: 'a key file that cannot be had, then a wrong one',
    sites: [{ engines: [...ENGINES], bing: true }],
    pages: 3,
    async play(world) {
      for (const trouble of ['key_file_down', 'key_file_missing', 'fine'] as const) {
        world.site(0).fall(trouble, world.time.now)
        await tick(world)
        await nextDay(world)
      }
      await tick(world)
    },
  },
  {
    name: 'a sitemap that cannot be had on the first day',
    sites: [{ files: 2 }],
    pages: 4,
    async play(world) {
      world.site(0).fall('server_error', world.time.now)
      await tick(world)
      world.site(0).fall('fine', world.time.now)
      await nextDay(world)
      await tick(world)
    },
  },
]

export interface CrashRun {
  readonly steps: readonly ('kv_read' | 'kv_write' | 'fetch')[]
  readonly violations: readonly string[]
}

/** Plays a scenario with one fault at one step, lets time heal it, and looks whether a promise was broken. */
export async function crashRun(product: Product, scenario: CrashScenario, plan: Plan): Promise<CrashRun> {
  const { requestBudget = 200 } = scenario
  const world = new World({ product, seed: 7, startMs: START, requestBudget })
  world.plan = plan
  for (const [n, profile] of scenario.sites.entries()) {
    const site = new PretendSite(n, { ...PROFILE, ...profile }, START, world.chance.fork())
    site.publish(START, scenario.pages, 0)
    site.publish(START, scenario.badPages ?? 0, 1)
    world.addSite(site)
  }
  await scenario.play(world)
  const steps = world.steps.slice()
  if (world.judge.violations.length === 0) await recover(world)
  return { steps, violations: world.judge.violations }
}

async function recover(world: World): Promise<void> {
  for (const site of world.sites.values()) world.restoreConfig(site, new Date(world.time.now).toISOString())
  for (let n = 0; n < RECOVERY_DAYS * TICKS_PER_RECOVERY_DAY; n++) {
    await world.time.until(world.time.now + DAY / TICKS_PER_RECOVERY_DAY)
    await tick(world)
  }
  await world.finish()
  if (world.judge.violations.length > 0) return
  world.judge.allHeard()
  world.judge.bounded()
}

/** The run that comes after a kill has looked around by then, and not done much. */
const STEPS_TO_THE_SECOND_KILL = 7
const STEPS_BETWEEN_DOUBLE_KILLS = 3

export const NO_FAULT: Plan = { step: -1, fault: 'killed_before' }

const FAULTS = {
  kv_read: ['killed_before', 'killed_after', 'kv_failed', 'kv_stale'],
  kv_write: ['killed_before', 'killed_after', 'kv_failed'],
  fetch: ['killed_before', 'killed_after', 'fetch_failed', 'fetch_hung'],
} as const

/** Every fault that can strike at every step of a scenario. */
export async function plansFor(product: Product, scenario: CrashScenario): Promise<Plan[]> {
  const { steps, violations } = await crashRun(product, scenario, NO_FAULT)
  if (violations.length > 0) throw new Error(`${scenario.name}: ${violations.join('; ')}`)
  return steps.flatMap((kind, index) => {
    const step = index + 1
    const twice: Plan = { step, fault: 'killed_before', again: step + STEPS_TO_THE_SECOND_KILL }
    const once = FAULTS[kind].map((fault): Plan => ({ step, fault }))
    return step % STEPS_BETWEEN_DOUBLE_KILLS === 0 ? [...once, twice] : once
  })
}
