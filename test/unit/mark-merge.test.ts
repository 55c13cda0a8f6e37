import { describe, expect, it } from 'vitest'
import { MarkTable } from '../../src/marks/mark-table'

const TODAY = 20_500
const TTL = 30
const LIFE = { today: TODAY, ttlDays: TTL }
const A = 11n
const B = 22n
const C = 33n
const ALL = [A, B, C]

interface Entry {
  readonly url: bigint
  readonly endpoint: bigint
  readonly lastmod?: number
  readonly day?: number
}

/** A table whose endpoints were met in the order given. */
function tableOf(order: readonly bigint[], entries: readonly Entry[]): MarkTable {
  const table = MarkTable.empty()
  for (const endpoint of order) table.bitOf(endpoint, ALL)
  for (const { url, endpoint, lastmod = null, day = TODAY } of entries) {
    table.accept(url, lastmod, table.bitOf(endpoint, ALL), { today: day, ttlDays: TTL })
  }
  return table
}

/** Which endpoints have settled this URL. */
function settled(table: MarkTable, url: bigint, lastmod: number | null = null): bigint[] {
  return ALL.filter((id) => table.missing(url, lastmod, table.bitOf(id, ALL), LIFE) === 0)
}

const merge = (one: MarkTable, other: MarkTable) => one.mergedWith(other, ALL, LIFE)

describe('merging two tables', () => {
  it('loses nothing, whatever order their endpoints have', () => {
    const one = tableOf(
      [A, B, C],
      [
        { url: 1n, endpoint: A },
        { url: 2n, endpoint: B },
      ],
    )
    const other = tableOf(
      [C, B, A],
      [
        { url: 1n, endpoint: C },
        { url: 3n, endpoint: A },
      ],
    )
    for (const merged of [merge(one, other), merge(other, one)]) {
      expect(settled(merged, 1n)).toEqual([A, C])
      expect(settled(merged, 2n)).toEqual([B])
      expect(settled(merged, 3n)).toEqual([A])
      expect(merged.size).toBe(3)
    }
  })

  it('of two states of a URL the one with the later lastmod counts', () => {
    const old = tableOf(
      [A, B],
      [
        { url: 1n, endpoint: A, lastmod: 100 },
        { url: 1n, endpoint: B, lastmod: 100 },
      ],
    )
    const changed = tableOf([B, A], [{ url: 1n, endpoint: B, lastmod: 200 }])
    for (const merged of [merge(old, changed), merge(changed, old)]) {
      expect(settled(merged, 1n, 200)).toEqual([B])
      expect(settled(merged, 1n, 201)).toEqual([])
    }
  })

  it('leaves out what has expired', () => {
    const old = tableOf(
      [A],
      [
        { url: 1n, endpoint: A, day: TODAY - TTL },
        { url: 2n, endpoint: A, day: TODAY - TTL + 1 },
      ],
    )
    const merged = merge(tableOf([A], []), old)
    expect(merged.size).toBe(1)
    expect(settled(merged, 2n)).toEqual([A])
  })

  it('a rejection of one and an acceptance of the other are an acceptance', () => {
    const one = MarkTable.empty()
    one.reject(1n, null, one.bitOf(A, ALL), LIFE)
    const merged = merge(one, tableOf([B, A], [{ url: 1n, endpoint: A }]))
    expect(settled(merged, 1n)).toEqual([A])
    expect(merged.get(1n)).toMatchObject({ accepted: merged.bitOf(A, ALL), rejected: 0 })
  })

  it('a rejection stays one, under the bit its endpoint has now', () => {
    const other = tableOf([B, A], [])
    other.reject(1n, null, other.bitOf(A, ALL), LIFE)
    const merged = merge(tableOf([A], []), other)
    expect(merged.get(1n)).toMatchObject({ accepted: 0, rejected: merged.bitOf(A, ALL) })
  })

  it('buckets only become more', () => {
    const [few, many] = [tableOf([A], []).emptyCopy(2), tableOf([A], []).emptyCopy(3)]
    for (const merged of [merge(few, many), merge(many, few)]) {
      expect(merged.bucketBits).toBe(3)
      expect(MarkTable.parse(merged.bytes.slice())?.size).toBe(0)
    }
  })

  it('keeps the marks of an endpoint that is switched off for now', () => {
    const one = tableOf([A], [{ url: 1n, endpoint: A }])
    const other = tableOf([B], [{ url: 1n, endpoint: B }])
    expect(settled(one.mergedWith(other, [A], LIFE), 1n)).toEqual([A, B])
  })

  it('nine endpoints: the one nobody asks any more gives way, nobody inherits its marks', () => {
    const eight = [A, 2n, 3n, 4n, 5n, 6n, 7n, 8n]
    const stored = MarkTable.empty()
    for (const id of eight) stored.accept(1n, null, stored.bitOf(id, eight), LIFE)
    const configured = [...eight.slice(1), 9n]
    const mine = MarkTable.parse(stored.bytes.slice()) ?? MarkTable.empty()
    const ninth = mine.bitOf(9n, configured)
    mine.accept(2n, null, ninth, LIFE)
    const merged = mine.mergedWith(stored, configured, LIFE)
    const missing = (url: bigint) =>
      configured.filter((id) => merged.missing(url, null, merged.bitOf(id, configured), LIFE) !== 0)
    expect(missing(1n)).toEqual([9n])
    expect(missing(2n)).toEqual(eight.slice(1))
  })
})
