import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/drivers/memory-store'
import type { KeyValueStore } from '../../src/ports'
import { composeInMemory } from '../support/memory-application'
import { bingSuccess, createInternet, pages } from '../support/shop-internet'
import { createVirtualClock, type VirtualClock } from '../support/virtual-clock'

/** What two runs of one site share, in the order each does it. */
const STEPS = ['sees', 'submits', 're-reads', 'writes'] as const
type Step = (typeof STEPS)[number]
type Name = 'A' | 'B'
type Move = `${Name} ${Step}`

const NOON = Date.UTC(2025, 0, 15, 12)
const QUOTA_KEY = 'bing:quota:shop.example:2025-01-15'

/** Every order of two runs' steps that keeps the order within each: 8 over 4. */
function interleavings(a: readonly Move[], b: readonly Move[]): Move[][] {
  const [firstA, ...restA] = a
  const [firstB, ...restB] = b
  if (firstA === undefined || firstB === undefined) return [[...a, ...b]]
  return [
    ...interleavings(restA, b).map((rest) => [firstA, ...rest]),
    ...interleavings(a, restB).map((rest) => [firstB, ...rest]),
  ]
}

const ALL = interleavings(
  STEPS.map((step): Move => `A ${step}`),
  STEPS.map((step): Move => `B ${step}`),
)

/** Lets a run's shared steps through one at a time, when it is told to. */
class Turnstile {
  #arrived = 0
  #passed = 0
  #open: (() => void) | null = null

  /** The first four pass one by one; what a run reads afterwards changes nothing. */
  async pass<T>(work: () => Promise<T>): Promise<T> {
    if (this.#arrived >= STEPS.length) return work()
    this.#arrived++
    await new Promise<void>((resolve) => {
      this.#open = resolve
    })
    const result = await work()
    this.#passed++
    return result
  }

  /** One step, or nothing when the run has ended without taking it. */
  async next(clock: VirtualClock, ended: () => boolean): Promise<boolean> {
    while (this.#open === null && !ended()) await clock.advance(1)
    if (this.#open === null) return false
    const before = this.#passed
    this.#open()
    this.#open = null
    while (this.#passed === before) await clock.advance(0)
    return true
  }
}

/** Quota and marks are shared. The rest is each run's own: it is the lease that failed to keep them apart. */
function storeOf(shared: KeyValueStore, own: KeyValueStore, turnstile: Turnstile): KeyValueStore {
  const of = (key: string) => (/^(bing:quota|url_cache):/.test(key) ? shared : own)
  return {
    getText: (key) => (key === QUOTA_KEY ? turnstile.pass(() => shared.getText(key)) : of(key).getText(key)),
    getBytes: (key) => of(key).getBytes(key),
    getTexts: (keys) => own.getTexts(keys),
    put: (key, value, options) =>
      key === QUOTA_KEY
        ? turnstile.pass(() => shared.put(key, value, options))
        : of(key).put(key, value, options),
    delete: (key) => of(key).delete(key),
    list: (prefix, cursor) => own.list(prefix, cursor),
  }
}

/** Two runs with 95 of 100 used, ten pages to send, and their steps in this order. */
async function play(moves: readonly Move[]) {
  const clock = createVirtualClock(NOON)
  const shared = createMemoryStore(clock)
  await shared.put(QUOTA_KEY, JSON.stringify({ used: 95, lastUpdate: '2025-01-15T10:00:00.000Z' }))
  let accepted = 0
  const audits: unknown[] = []
  const startRun = (seed: number) => {
    const turnstile = new Turnstile()
    const { fetch } = createInternet({
      pages: pages(10),
      bing: ({ urls }) =>
        turnstile.pass(async () => {
          accepted += urls.length
          return bingSuccess()
        }),
    })
    const app = composeInMemory({
      clock,
      startMs: NOON,
      seed,
      store: storeOf(shared, createMemoryStore(clock), turnstile),
      fetch,
      env: {
        BING_ENABLED: 'true',
        BING_API_KEY: '0123456789abcdef0123456789abcdef',
        REQUEST_TIMEOUT_MS: '100000',
      },
    })
    let ended = false
    const done = app.app
      .fetch(
        new Request('https://beckon.test/trigger?channel=bing', {
          headers: { authorization: 'Bearer a-token-of-32-characters-exactly' },
        }),
        { waitUntil: () => {} },
      )
      .finally(() => {
        ended = true
        audits.push(...app.log.entries('warn').filter(({ message }) => message.includes('audit')))
      })
    return { turnstile, done, ended: () => ended }
  }
  const runs = { A: startRun(1), B: startRun(2) }
  for (const move of moves) {
    const run = runs[move[0] as Name]
    await run.turnstile.next(clock, run.ended)
  }
  await clock.run(Promise.all([runs.A.done, runs.B.done]))
  const { used } = JSON.parse((await shared.getText(QUOTA_KEY)) ?? '')
  return { used, accepted, audits }
}

const isBefore = (moves: readonly Move[], one: Move, other: Move) => moves.indexOf(one) < moves.indexOf(other)

/** The other writes between a run's re-read and its write. */
const isSplit = (moves: readonly Move[]) =>
  (isBefore(moves, 'A re-reads', 'B writes') && isBefore(moves, 'B writes', 'A writes')) ||
  (isBefore(moves, 'B re-reads', 'A writes') && isBefore(moves, 'A writes', 'B writes'))

/** Both saw five left; otherwise the second came after the first had written, and saw none. */
const isOverlap = (moves: readonly Move[]) =>
  isBefore(moves, 'A sees', 'B writes') && isBefore(moves, 'B sees', 'A writes')

describe('two runs at once', () => {
  const overlaps = ALL.filter(isOverlap)
  const split = overlaps.filter(isSplit)
  const counted = overlaps.filter((moves) => !isSplit(moves))

  it('B09 both saw 5 left of 100: 105 and an audit line, in every order that splits no re-read from its write', async () => {
    expect([ALL.length, overlaps.length, counted.length, split.length]).toEqual([70, 68, 28, 40])
    for (const moves of counted) {
      const { used, accepted, audits } = await play(moves)
      expect({ moves, used, accepted }).toEqual({ moves, used: 105, accepted: 10 })
      expect(audits).toMatchObject([{ site: 'shop.example', date: '2025-01-15', used: 105, perDay: 100 }])
    }
  })

  it('B09 the soft limit: where one writes between the other’s re-read and write, the record is one batch short', async () => {
    const steps: readonly Step[] = ['re-reads', 'writes']
    const orders = split.map((moves) =>
      moves.filter((move) => steps.some((step) => move.endsWith(step))).join(', '),
    )
    expect([...new Set(orders)].toSorted()).toEqual([
      'A re-reads, B re-reads, A writes, B writes',
      'A re-reads, B re-reads, B writes, A writes',
      'B re-reads, A re-reads, A writes, B writes',
      'B re-reads, A re-reads, B writes, A writes',
    ])
    for (const moves of split) {
      const { used, accepted, audits } = await play(moves)
      expect({ moves, used, accepted, audits }).toEqual({ moves, used: 100, accepted: 10, audits: [] })
    }
  })

  it('one after the other: the second sees nothing left and sends nothing', async () => {
    const apart = ALL.filter((moves) => !isOverlap(moves))
    expect(apart).toHaveLength(2)
    for (const moves of apart) {
      expect(await play(moves)).toEqual({ used: 100, accepted: 5, audits: [] })
    }
  })
})
