import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import type { PendingUrl } from '../../src/domain/outcome'
import { UrlSelection } from '../../src/pipeline/select-urls'
import { createSeededRandom } from '../support/memory-application'

const NOW = Date.UTC(2026, 3, 1) / 1000
const DAY = 86_400

const row = (n: number, lastmod: number | null): PendingUrl => ({
  url: `https://shop.example/${n}`,
  lastmod,
  fingerprint: BigInt(n),
  missing: { bing: 1 },
})
const rows = (count: number, lastmod: (n: number) => number | null, from = 0) =>
  Array.from({ length: count }, (_, i) => row(from + i, lastmod(from + i)))

function select(size: number, priority: 'newest' | 'random', seed = 1) {
  return new UrlSelection({ size, priority, random: createSeededRandom(seed), nowSeconds: NOW })
}

/** Numbers of the chosen, whether they came in one piece or in many. */
function chosen(selection: UrlSelection, all: readonly PendingUrl[], slice = all.length) {
  for (let at = 0; at < all.length; at += slice) selection.add(all.slice(at, at + slice))
  return selection.chosen().map(({ fingerprint }) => Number(fingerprint))
}

function exposeGarbageCollection(): () => void {
  setFlagsFromString('--expose-gc')
  return runInNewContext('gc') as () => void
}

describe('choosing within the quota', () => {
  // 7 is coprime to 200: every day once, in no order.
  const mixed = rows(200, (n) => NOW - ((n * 7) % 200) * DAY)
  const newest = mixed
    .toSorted((a, b) => (b.lastmod ?? 0) - (a.lastmod ?? 0))
    .map(({ fingerprint }) => Number(fingerprint))

  it.each([1, 3, 50, 200])('B12 the 50 newest of 200, newest first, in slices of %d', (slice) => {
    expect(chosen(select(50, 'newest'), mixed, slice)).toEqual(newest.slice(0, 50))
  })

  it('B13 50 at random, other ones in another run, the same with the same chance', () => {
    const one = chosen(select(50, 'random', 1), mixed)
    const other = chosen(select(50, 'random', 2), mixed)
    expect(new Set(one).size).toBe(50)
    expect(new Set(other).size).toBe(50)
    expect(one.toSorted()).not.toEqual(other.toSorted())
    expect(one).toEqual(chosen(select(50, 'random', 1), mixed))
  })

  it('B13 every URL has the same chance, wherever it stands', () => {
    const hits = Array<number>(40).fill(0)
    for (let seed = 0; seed < 2_000; seed++) {
      for (const n of chosen(
        select(10, 'random', seed),
        rows(40, () => null),
        7,
      ))
        hits[n] = (hits[n] ?? 0) + 1
    }
    // 500 expected, standard deviation 19: five of those either way.
    expect(Math.min(...hits)).toBeGreaterThan(400)
    expect(Math.max(...hits)).toBeLessThan(600)
  })

  it('B14 fewer than the quota: all 30', () => {
    expect(
      chosen(
        select(100, 'newest'),
        rows(30, () => null),
      ),
    ).toHaveLength(30)
    expect(
      chosen(
        select(100, 'random'),
        rows(30, () => NOW),
      ),
    ).toHaveLength(30)
  })

  it('B15 the 30 with lastmod first, then 20 random ones of the 70 without', () => {
    const all = [...rows(70, () => null), ...rows(30, (n) => NOW - n * DAY, 70)]
    const one = chosen(select(50, 'newest', 1), all, 9)
    const other = chosen(select(50, 'newest', 2), all, 9)
    const dated = Array.from({ length: 30 }, (_, i) => 70 + i)
    expect(one.slice(0, 30)).toEqual(dated)
    expect(other.slice(0, 30)).toEqual(dated)
    expect(one.slice(30).every((n) => n < 70)).toBe(true)
    expect(new Set(one).size).toBe(50)
    expect(one.slice(30).toSorted()).not.toEqual(other.slice(30).toSorted())
  })

  it('a lastmod more than a day ahead counts as none', () => {
    const all = [row(1, NOW + 2 * DAY), row(2, NOW - 900 * DAY), row(3, NOW + DAY)]
    expect(chosen(select(3, 'newest'), all)).toEqual([3, 2, 1])
  })

  it('of the same lastmod the first seen comes first', () => {
    expect(
      chosen(
        select(3, 'newest'),
        rows(9, () => NOW),
        2,
      ),
    ).toEqual([0, 1, 2])
  })

  it('B12 200,000 pending and 50 left: 50 are held, and nothing keeps the others alive', async () => {
    const selection = select(50, 'newest')
    const collectGarbage = exposeGarbageCollection()
    const refs: WeakRef<PendingUrl>[] = []
    let mostHeld = 0
    for (let from = 0; from < 200_000; from += 10_000) {
      const slice = rows(10_000, (n) => NOW - ((n * 7) % 200_003), from)
      for (const one of slice) refs.push(new WeakRef(one))
      for (const one of slice) {
        selection.add([one])
        mostHeld = Math.max(mostHeld, selection.held)
      }
    }
    expect(mostHeld).toBe(50)
    // A weak reference is kept alive until the job that made it has ended.
    await new Promise((resolve) => setImmediate(resolve))
    collectGarbage()
    expect(refs.filter((ref) => ref.deref() !== undefined)).toHaveLength(50)
    expect(selection.considered).toBe(200_000)
    expect(selection.chosen()).toHaveLength(50)
  })

  it('any order of any dates gives what sorting all of them would', () => {
    const random = createSeededRandom(7)
    for (let round = 0; round < 300; round++) {
      const size = Math.floor(random.next() * 40)
      const all = rows(Math.floor(random.next() * 120), () => NOW - Math.floor(random.next() * 30) * DAY)
      const sorted = all.toSorted((a, b) => (b.lastmod ?? 0) - (a.lastmod ?? 0)).slice(0, size)
      expect(chosen(select(size, 'newest'), all, 11)).toEqual(
        sorted.map(({ fingerprint }) => Number(fingerprint)),
      )
    }
  })

  it('without quota nothing is chosen, but everything was considered', () => {
    const selection = select(0, 'newest')
    expect(chosen(selection, mixed)).toEqual([])
    expect(selection.considered).toBe(200)
  })
})
