import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { endpointId } from '../../src/marks/fingerprint'
import { UrlCache } from '../../src/marks/url-cache'
import type { KeyValueStore } from '../../src/ports'
import { createLogCapture } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1, 12)
const DAY_MS = 86_400_000
const MIB = 2 ** 20
const A = 'https://a.example/indexnow'
const B = 'https://b.example/indexnow'
/** Spread like the fingerprints of real URLs. */
const url = (n: number, lastmod: number | null = null) => ({
  fingerprint: endpointId(`https://shop.example/${n}`),
  lastmod,
})
const range = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => from + n)

function world() {
  const clock = createVirtualClock(START)
  const log = createLogCapture(clock)
  const memory = createMemoryStore(clock)
  const writes: { bucket: string; bytes: number }[] = []
  const control: { failing: string | null; stale: Uint8Array | null } = { failing: null, stale: null }
  const store: KeyValueStore = {
    ...memory,
    getBytes: (key) => (control.stale === null ? memory.getBytes(key) : Promise.resolve(control.stale)),
    put: (key, value, options) => {
      const bucket = key.slice(key.lastIndexOf(':') + 1)
      if (bucket === control.failing) return Promise.reject(new Error('killed'))
      writes.push({ bucket, bytes: value.length })
      return memory.put(key, value, options)
    },
  }
  const open = (endpoints = [A]) =>
    UrlCache.open({
      store,
      clock,
      sleep: clock.sleep,
      logger: log.logger,
      keyOf: (bucket) => `url_cache:shop.example:${bucket}`,
      ttlDays: 30,
      endpoints,
    })
  const accept = async (cache: UrlCache, from: number, to: number, endpoint = 0) => {
    for (const n of range(from, to)) cache.accept(url(n), endpoint)
    await clock.run(cache.flush())
  }
  return { clock, log, store, writes, control, open, accept }
}

const unknown = (cache: UrlCache, from: number, to: number, wanted = 1) =>
  range(from, to).filter((n) => (cache.missing(url(n)) & wanted) !== 0).length

describe('marks of a very large site', () => {
  it('move into buckets of at most 4 MiB, and later flushes write the recent table alone', async () => {
    const { writes, open, accept } = world()
    const cache = await open()
    for (let at = 0; at < 200_000; at += 20_000) await accept(cache, at, at + 20_000)
    expect(Math.max(...writes.map(({ bytes }) => bytes))).toBeLessThanOrEqual(4 * MIB)
    expect(new Set(writes.map(({ bucket }) => bucket))).toEqual(new Set(['0', '00', '01', '10', '11']))
    const again = await open()
    expect([unknown(again, 0, 200_000), unknown(again, 200_000, 200_100)]).toEqual([0, 100])
    writes.length = 0
    await accept(again, 200_000, 200_100)
    expect(writes.map(({ bucket }) => bucket)).toEqual(['0'])
    expect(unknown(await open(), 0, 200_100)).toBe(0)
  })

  it('a change of a URL in a bucket is a recent mark that knows what the old one knew', async () => {
    const { open, accept, clock } = world()
    const cache = await open([A, B])
    await accept(cache, 0, 81_000, 0)
    cache.accept(url(5), 1)
    cache.accept(url(6, START / 1000 + 86_400), 0)
    await clock.run(cache.flush())
    const again = await open([B, A])
    expect(again.missing(url(5))).toBe(0)
    // B never heard of it; A heard of the change.
    expect(again.missing(url(6, START / 1000 + 86_400))).toBe(0b01)
    expect(again.missing(url(7))).toBe(0b01)
  })

  it('killed while moving: no mark is lost', async () => {
    const { control, open, accept } = world()
    const cache = await open()
    await accept(cache, 0, 79_000)
    control.failing = '10'
    await accept(cache, 79_000, 81_000)
    const next = await open()
    expect([unknown(next, 0, 79_000), unknown(next, 79_000, 81_000)]).toEqual([0, 2_000])
    control.failing = null
    await accept(next, 79_000, 81_000)
    expect(unknown(await open(), 0, 81_000)).toBe(0)
  })

  it('a stale reading of the recent table does not lose the buckets', async () => {
    const { control, store, open, accept } = world()
    const cache = await open()
    await accept(cache, 0, 79_000)
    const stale = await store.getBytes('url_cache:shop.example:0')
    await accept(cache, 79_000, 90_000)
    control.stale = stale
    await accept(cache, 90_000, 90_010)
    control.stale = null
    expect(unknown(await open(), 0, 90_010)).toBe(0)
  })

  it('an endpoint that takes the bit of an old one starts with nothing in the buckets too', async () => {
    const { open, accept } = world()
    const eight = range(0, 8).map((n) => `https://e${n}.example/indexnow`)
    await accept(await open(eight), 0, 81_000)
    const changed = await open([...eight.slice(1), B])
    expect(changed.missing(url(1)) & 0b1000_0000).toBe(0b1000_0000)
    expect(unknown(await open(eight), 0, 100)).toBe(0)
  })

  it('a bucket that cannot be read costs its own URLs a second submission, loudly', async () => {
    const { store, log, open, accept } = world()
    await accept(await open(), 0, 81_000)
    await store.put('url_cache:shop.example:01', 'not a table')
    const lost = unknown(await open(), 0, 81_000)
    expect(lost).toBeGreaterThan(19_000)
    expect(lost).toBeLessThan(21_500)
    expect(log.entries('error')).toMatchObject([{ key: 'url_cache:shop.example:01' }])
  })

  it('what has expired is left behind in the move', async () => {
    const { clock, writes, open, accept } = world()
    await accept(await open(), 0, 79_000)
    await clock.advance(20 * DAY_MS)
    const cache = await open()
    await accept(cache, 79_000, 80_000)
    await clock.advance(10 * DAY_MS)
    writes.length = 0
    await accept(await open(), 80_000, 80_500)
    expect(writes.map(({ bucket }) => bucket).sort()).toEqual(['0', '00', '01', '10', '11'])
    expect(Math.max(...writes.map(({ bytes }) => bytes))).toBeLessThan(MIB / 8)
  })
})
