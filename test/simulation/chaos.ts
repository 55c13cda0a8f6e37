import type { Chance } from './chance'
import { NO_STORE_FAULTS } from './hostile-store'
import type { Product } from './isolate'
import { MAX_SKEW_MS } from './judge'
import { BING_WEATHERS, INDEXNOW_WEATHERS } from './pretend-engine'
import { PretendSite, type SiteProfile, type SiteTrouble } from './pretend-site'
import { ENGINES, TOKEN, World } from './world'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
/** Near the end of a year, so that leap days and year ends come up. */
const START = Date.UTC(2027, 10, 20)
const CALM_DAYS = 5
const SITES = 12
const STORMY_DAYS = 20
export const SITE_DAYS_PER_SEED = SITES * (STORMY_DAYS + CALM_DAYS)
const MOST_PAGES = 18

export const TROUBLES: readonly SiteTrouble[] = [
  'html',
  'cut',
  'server_error',
  'hang',
  'not_found',
  'network',
  'empty',
  'half',
  'malformed',
  'many_children',
  'key_file_missing',
  'key_file_down',
]

export interface ChaosOptions {
  readonly product: Product
  readonly seed: number
  readonly sites?: number
  readonly days?: number
  readonly listen?: (event: string) => void
}

export interface ChaosResult {
  readonly siteDays: number
  readonly traceHash: string
  readonly violations: readonly string[]
  readonly counts: ReadonlyMap<string, number>
}

/** One seed: some days in which everything goes wrong, then calm, in which every page must reach every engine. */
export async function chaos({
  product,
  seed,
  sites = SITES,
  days = STORMY_DAYS,
  listen,
}: ChaosOptions): Promise<ChaosResult> {
  const world = openWorld(product, seed, listen)
  const { time } = world
  const clean = seed % 10 === 0
  populate(world, sites, clean)
  const end = time.now + days * DAY
  while (time.now < end && world.judge.violations.length === 0) await stormyDay(world, clean)
  if (world.judge.violations.length === 0) await calm(world)
  if (world.judge.violations.length === 0) {
    world.judge.allHeard()
    world.judge.bounded()
  }
  const { judge, counts, traceHash } = world
  if (clean && (counts.get('duplicate') ?? 0) > 0) judge.broken('I7', 'duplicates in a world without faults')
  return { siteDays: sites * (days + CALM_DAYS), traceHash, violations: judge.violations, counts }
}

function openWorld(product: Product, seed: number, listen: ChaosOptions['listen']): World {
  const requestBudget = seed % 3 === 0 ? 45 : 200
  const world = new World({
    product,
    seed,
    startMs: START + (seed % 365) * DAY,
    requestBudget,
    ...(listen && { listen }),
  })
  const { chance, internet } = world
  world.logLevel = chance.happens(0.1) ? 'debug' : 'info'
  internet.bingDialect = chance.pick(['field', 'documents'])
  internet.bingGenerosity = chance.pick([1, 3])
  return world
}

function populate(world: World, sites: number, clean: boolean): void {
  const { chance, time } = world
  const poisoned = clean ? 0 : chance.pick([0, 0.05, 0.2, 0.5])
  for (let n = 0; n < sites; n++) {
    const site = new PretendSite(n, profile(chance), time.now, chance.fork())
    site.publish(time.now, chance.int(1, 8))
    if (chance.happens(poisoned)) site.poison = chance.pick(TROUBLES)
    world.addSite(site)
  }
}

function profile(chance: Chance): SiteProfile {
  const bing = chance.happens(0.5)
  const ttlDays = chance.pick([4, 30, 30])
  return {
    files: chance.pick([0, 0, 1, 2, 3]),
    etags: chance.happens(0.5),
    indexLastmods: chance.happens(0.5),
    bing,
    // A day's quota that is less than what expires on it can never be enough.
    bingQuota: ttlDays < 10 ? chance.int(10, 14) : chance.int(6, 14),
    ttlDays,
    schedule: chance.pick([
      '0 0 * * *',
      `0 ${chance.int(0, 23)} * * *`,
      `30 ${chance.int(0, 23)} * * *`,
      '0 */8 * * *',
    ]),
    engines: chance.pick([[ENGINES[0]], [ENGINES[1]], [...ENGINES], [...ENGINES]]),
    method: chance.pick(['auto', 'auto', 'get', 'bulk']),
    clockBehindMs: chance.happens(0.3) ? chance.int(-12 * HOUR, 12 * HOUR) : 0,
  }
}

/** What the day brings: weather, troubles of sites, and when somebody ticks. */
async function stormyDay(world: World, clean: boolean): Promise<void> {
  const { chance, time, internet } = world
  const start = time.now
  if (!clean) brew(world)
  for (const site of world.sites.values()) {
    const trouble = !clean && chance.happens(0.15) ? chance.pick(TROUBLES) : (site.poison ?? 'fine')
    site.fall(trouble, time.now)
    if (site.poison !== null) world.count('poisoned_site_day')
  }
  const events: { at: number; act: () => void }[] = []
  const at = (act: () => void, moment = chance.int(0, DAY - 1)) => events.push({ at: start + moment, act })
  for (const moment of ticks(chance, clean)) at(() => void world.tick(), moment)
  for (const site of world.sites.values()) at(() => site.evolve(time.now, MOST_PAGES))
  if (!clean) {
    const ids = [...world.sites.keys()]
    for (let n = chance.int(0, 2); n > 0; n--) {
      at(() => void world.trigger(chance.pick(ids), chance.pick(['all', 'indexnow', 'bing'])))
    }
    if (chance.happens(0.3)) at(() => corrupt(world))
    if (chance.happens(0.2)) at(() => probe(world))
    if (chance.happens(0.5)) at(() => look(world))
    internet.webhook = chance.pick(['fine', 'fine', 'down', 'hang'])
  }
  for (const event of events.toSorted((a, b) => a.at - b.at)) {
    await time.until(event.at)
    event.act()
    if (world.judge.violations.length > 0) return
  }
  await time.until(start + DAY)
}

function brew(world: World): void {
  const { chance, internet } = world
  world.rates = {
    fail: chance.pick([0, 0, 0.002, 0.02]),
    stale: chance.pick([0, 0, 0.05, 0.5]),
    slow: chance.pick([0, 0.02, 0.2]),
    refuseSoon: chance.happens(0.5),
  }
  world.killRate = chance.pick([0, 0, 0.001, 0.01])
  world.maxSkewMs = chance.pick([0, 0, 0, 90_000, 90_000, MAX_SKEW_MS])
  world.maxOperations = chance.pick([1_000, 1_000, 1_000, 150])
  for (const engine of ENGINES) {
    const weather = chance.happens(0.5) ? chance.pick(INDEXNOW_WEATHERS) : 'fine'
    internet.engines.set(engine, { weather, rate: chance.pick([0.1, 0.5, 1]) })
  }
  const weather = chance.happens(0.5) ? chance.pick([...BING_WEATHERS, 'refused_key' as const]) : 'fine'
  internet.engines.set('ssl.bing.com', { weather, rate: chance.pick([0.1, 0.5, 1]) })
}

/** Every six hours or so; some missed, some twice, some around midnight. */
function ticks(chance: Chance, clean: boolean): number[] {
  const moments: number[] = []
  if (!clean && chance.happens(0.05)) return moments
  for (let hour = 0; hour < 24; hour += 6) {
    if (!clean && chance.happens(0.1)) continue
    const moment = hour * HOUR + (clean ? 0 : chance.int(0, 14) * MINUTE)
    moments.push(moment)
    // The real thing ticks every quarter of an hour; some days have enough of that to see who waits for whom.
    if (chance.happens(0.1)) moments.push(moment + 15 * MINUTE, moment + 30 * MINUTE, moment + 45 * MINUTE)
    if (clean) continue
    if (chance.happens(0.1)) moments.push(moment + chance.pick([0, 1, 1_000, 20_000, 70_000]))
  }
  if (!clean && chance.happens(0.3)) moments.push(DAY - chance.int(1, 10 * MINUTE))
  return moments
}

const GARBAGE: readonly string[] = [
  '',
  'null',
  '[]',
  '{"runId":',
  '{"used":-5,"lastUpdate":""}',
  '\u0000\u0001',
  '{"v":99}',
  '"x"',
]

/** Somebody or something spoils a record. */
function corrupt(world: World): void {
  const { chance, truth } = world
  const keys = truth.keys()
  if (keys.length === 0) return
  const key = chance.pick(keys)
  const [, kind, id = ''] = key.split(':')
  const site = [...world.sites.values()].find(({ id: name }) => key.includes(`:${name}`))
  if (site === undefined) return
  world.count(`corrupt_${key.startsWith('url_cache') ? 'marks' : kind}`)
  world.trace(`corrupt ${key} ${id}`)
  world.judge.troubled(site, 'store')
  if (kind === 'config') site.unusable = true
  const value = truth.read(key)
  if (value instanceof Uint8Array) {
    const spoiled = chance.happens(0.5) ? value.slice(0, chance.int(0, value.length - 1)) : value.slice()
    if (spoiled.length === value.length) spoiled[0] = 0
    truth.write(key, spoiled)
  } else {
    const text = chance.happens(0.5)
      ? chance.pick(GARBAGE)
      : (value ?? '').slice(0, chance.int(0, (value ?? '').length - 1))
    truth.write(key, text)
  }
}

const CLOSED = [
  '/status',
  '/history',
  '/api/sites',
  '/trigger',
  '/nothing',
  '/api/sites/s0.example',
  '/%2e%2e/status',
]

/** The owner looks around; what is shown holds no key. */
function look(world: World): void {
  const { chance } = world
  const id = chance.pick([...world.sites.keys()])
  const path = chance.pick([
    '/status',
    `/status?site=${id}`,
    `/history?site=${id}`,
    '/api/sites',
    `/api/sites/${id}`,
    `/api/sites/${id}/pending`,
    `/api/sites/${id}/urls?url=https://${id}/page-1`,
    '/api/stats/daily',
  ])
  world.count('owner_looked')
  void world.ask(path, TOKEN)
}

/** Somebody without the token looks around, or would like to do more. */
function probe(world: World): void {
  const { chance, judge } = world
  const path = chance.pick(CLOSED)
  const method = chance.pick(['GET', 'GET', 'POST', 'PUT', 'DELETE'])
  const token = chance.pick([null, 'wrong', ''])
  world.count('unauthorised_request')
  const check = ({ status }: Response) => {
    if (status !== 401) judge.broken('I15', `${method} ${path} answered ${status} without the token`)
  }
  void world.ask(path, token, check, method)
}

/** Faults off. What is pending must get through now, Bing's within its quota. */
async function calm(world: World): Promise<void> {
  const { time, internet } = world
  await time.until(time.now + 10 * MINUTE)
  await world.finish()
  world.rates = NO_STORE_FAULTS
  world.killRate = 0
  world.maxSkewMs = 0
  world.maxOperations = 1_000
  internet.engines.clear()
  internet.webhook = 'fine'
  for (const site of world.sites.values()) {
    site.fall('fine', time.now)
    // The owner puts right what was spoiled, and switches Bing on again where it was refused.
    world.restoreConfig(site, new Date(time.now).toISOString())
  }
  const start = Math.ceil(time.now / DAY) * DAY
  for (let hour = 0; hour < CALM_DAYS * 24; hour += 4) {
    await time.until(start + hour * HOUR)
    void world.tick()
    if (world.judge.violations.length > 0) return
  }
  await time.until(time.now + HOUR)
  await world.finish()
}
