import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { MarkTable } from '../../src/marks/mark-table'
import { UrlCache } from '../../src/marks/url-cache'
import type { KeyValueStore } from '../../src/ports'
import { createLogCapture } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1, 12)
const DAY_MS = 86_400_000
const KEY = 'url_cache:shop.example:0'
const keyOf = (bucket: string) => `url_cache:shop.example:${bucket}`
const A = 'https://a.example/indexnow'
const B = 'https://b.example/indexnow'
const url = (n: number, lastmod: number | null = null) => ({ fingerprint: BigInt(n), lastmod })

/** A store that notes when it was written, and fails when told to. */
function world() {
  const clock = createVirtualClock(START)
  const log = createLogCapture(clock)
  const memory = createMemoryStore(clock)
  const puts: { at: number; ttlSeconds: number | undefined }[] = []
  const trouble = { put: false, get: false }
  const store: KeyValueStore = {
    ...memory,
    getBytes: (key) => (trouble.get ? Promise.reject(new Error('KV is down')) : memory.getBytes(key)),
    put: (key, value, options) => {
      puts.push({ at: clock.now() - START, ttlSeconds: options?.ttlSeconds })
      return trouble.put ? Promise.reject(new Error('KV is down')) : memory.put(key, value, options)
    },
  }
  const open = (endpoints: readonly string[] = [A, B]) =>
    UrlCache.open({ store, clock, sleep: clock.sleep, logger: log.logger, keyOf, ttlDays: 30, endpoints })
  return { clock, log, store, puts, trouble, open }
}

describe('the cache of marks', () => {
  it('remembers per endpoint, across runs, whatever the order of the endpoints', async () => {
    const { clock, open, puts } = world()
    const first = await open([A, B])
    first.accept(url(1), 0)
    first.reject(url(2), 1)
    expect(first.unsaved).toBe(2)
    await clock.run(first.flush())
    expect(first.unsaved).toBe(0)
    expect(puts).toEqual([{ at: 0, ttlSeconds: 30 * 86_400 }])
    const second = await open([B, A])
    expect([1, 2, 3].map((n) => second.missing(url(n)))).toEqual([0b01, 0b10, 0b11])
    const third = await open([A, B])
    expect([1, 2, 3].map((n) => third.missing(url(n)))).toEqual([0b10, 0b01, 0b11])
  })

  it('tells what is remembered of a URL, in the order of the endpoints given', async () => {
    const { clock, open } = world()
    const first = await open([A, B])
    expect(first.found).toBe(false)
    first.accept(url(1, 5_000), 0)
    first.reject(url(1, 5_000), 1)
    first.accept(url(2), 1)
    await clock.run(first.flush())
    const cache = await open([B, A])
    expect(cache.found).toBe(true)
    const day = Math.floor(START / DAY_MS)
    expect(cache.markOf(1n)).toEqual({ day, lastmod: 5_000, accepted: 0b10, rejected: 0b01, expired: false })
    expect(cache.markOf(2n)).toEqual({ day, lastmod: null, accepted: 0b01, rejected: 0, expired: false })
    expect(cache.markOf(3n)).toBeNull()
    await clock.advance(29 * DAY_MS)
    expect(cache.markOf(1n)).toMatchObject({ expired: false })
    await clock.advance(DAY_MS)
    expect(cache.markOf(1n)).toMatchObject({ expired: true })
  })

  it('gives a scan the marks in place, with the day and the bits they are asked with', async () => {
    const { clock, open } = world()
    const first = await open([A, B])
    first.accept(url(1), 0)
    await clock.run(first.flush())
    const cache = await open([B, A])
    const { recent, ...rest } = cache.image
    expect(rest).toEqual({ buckets: [], bits: [0b10, 0b01], today: Math.floor(START / DAY_MS), ttlDays: 30 })
    expect(MarkTable.parse(recent)?.get(1n)).toMatchObject({ accepted: 0b01 })
  })

  it('D06 forgets after 30 days', async () => {
    const { clock, open } = world()
    const cache = await open([A])
    cache.accept(url(1), 0)
    await clock.advance(30 * DAY_MS - 12 * 3_600_000 - 1)
    expect(cache.missing(url(1))).toBe(0)
    await clock.advance(1)
    expect(cache.missing(url(1))).toBe(1)
  })

  it('stored bytes that are no table: everything is submitted again, and the log says so', async () => {
    const { clock, open, store, log } = world()
    await store.put(KEY, 'not a table')
    const cache = await open([A])
    expect(cache.missing(url(1))).toBe(1)
    expect(log.entries('error')).toMatchObject([{ key: KEY, message: expect.stringContaining('unreadable') }])
    cache.accept(url(1), 0)
    await clock.run(cache.flush())
    expect((await open([A])).missing(url(1))).toBe(0)
  })

  it('two overlapping runs lose nothing of each other', async () => {
    const { clock, open } = world()
    const [one, other] = [await open([A, B]), await open([B, A])]
    one.accept(url(1), 0)
    other.accept(url(1), 0)
    other.accept(url(2), 1)
    await clock.run(one.flush())
    await clock.run(other.flush())
    const later = await open([A, B])
    expect([1, 2].map((n) => later.missing(url(n)))).toEqual([0, 0b10])
    // And what the other run knew is known here too, after the flush.
    one.accept(url(3), 0)
    await clock.run(one.flush())
    expect(one.missing(url(2))).toBe(0b10)
  })

  it('writes at most once a second, and not at all when nothing is new', async () => {
    const { clock, open, puts } = world()
    const cache = await open([A])
    await clock.run(cache.flush())
    for (let n = 0; n < 3; n++) {
      cache.accept(url(n), 0)
      await clock.run(cache.flush())
    }
    await clock.run(Promise.all([cache.flush(), cache.flush()]))
    expect(puts.map(({ at }) => at)).toEqual([0, 1_000, 2_000])
  })

  it('flushes asked for at the same time become one write', async () => {
    const { clock, open, puts } = world()
    const cache = await open([A])
    cache.accept(url(1), 0)
    await clock.run(Promise.all([cache.flush(), cache.flush(), cache.flush()]))
    expect(puts).toHaveLength(1)
  })

  it('saves once the oldest mark is old enough', async () => {
    const { clock, open, puts } = world()
    const cache = await open([A])
    cache.accept(url(1), 0)
    await clock.advance(9_999)
    await clock.run(cache.flushOlderThan(10_000))
    expect(puts).toHaveLength(0)
    await clock.advance(1)
    await clock.run(cache.flushOlderThan(10_000))
    expect(puts).toHaveLength(1)
    await clock.advance(60_000)
    await clock.run(cache.flushOlderThan(10_000))
    expect(puts).toHaveLength(1)
    // The age is that of the oldest, counted anew after each save.
    cache.accept(url(2), 0)
    await clock.advance(9_999)
    cache.accept(url(3), 0)
    await clock.run(cache.flushOlderThan(10_000))
    expect(puts).toHaveLength(1)
    await clock.advance(1)
    await clock.run(cache.flushOlderThan(10_000))
    expect(puts).toHaveLength(2)
    expect(cache.saved).toEqual({ marks: 3, writes: 2 })
  })

  it.each(['put', 'get'] as const)('a failing %s keeps the marks for the next flush', async (what) => {
    const { clock, open, trouble, log } = world()
    const cache = await open([A])
    cache.accept(url(1), 0)
    trouble[what] = true
    await clock.run(cache.flush())
    expect(cache.unsaved).toBe(1)
    expect(cache.missing(url(1))).toBe(0)
    expect(log.entries('error')).toMatchObject([{ message: 'marks could not be saved', key: KEY, marks: 1 }])
    expect([cache.failures, cache.saved]).toEqual([1, { marks: 0, writes: 0 }])
    cache.accept(url(2), 0)
    await clock.run(cache.flush())
    expect([cache.failures, cache.unsaved]).toEqual([2, 2])
    expect(clock.now() - START).toBe(1_000)
    trouble[what] = false
    await clock.run(cache.flush())
    expect(cache.unsaved).toBe(0)
    expect([cache.failures, cache.saved]).toEqual([0, { marks: 2, writes: 1 }])
    expect((await open([A])).missing(url(1))).toBe(0)
  })

  it('a ninth endpoint in place of an old one starts with nothing', async () => {
    const { clock, open } = world()
    const eight = Array.from({ length: 8 }, (_, n) => `https://e${n}.example/indexnow`)
    const full = await open(eight)
    for (let n = 0; n < 8; n++) full.accept(url(1), n)
    await clock.run(full.flush())
    const changed = await open([...eight.slice(1), B])
    expect(changed.missing(url(1))).toBe(0b1000_0000)
    changed.accept(url(1), 7)
    await clock.run(changed.flush())
    expect((await open([...eight.slice(1), B])).missing(url(1))).toBe(0)
    await expect(open([...eight, B])).rejects.toThrow(RangeError)
  })
})
