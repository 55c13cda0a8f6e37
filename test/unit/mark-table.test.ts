import { describe, expect, it } from 'vitest'
import { MAX_ENDPOINTS, MarkTable } from '../../src/marks/mark-table'

const TODAY = 20_500
const TTL = 30
const LIFE = { today: TODAY, ttlDays: TTL }
const DAY = 86_400
const A = 11n
const B = 22n
const URL_1 = 0xfeed_beef_0000_0001n

/** A table with A and B as endpoints, and its bits. */
function open() {
  const table = MarkTable.empty()
  return { table, a: table.bitOf(A, [A, B]), b: table.bitOf(B, [A, B]) }
}

const missing = (table: MarkTable, wanted: number, lastmod: number | null = null, today = TODAY) =>
  table.missing(URL_1, lastmod, wanted, { today, ttlDays: TTL })

describe('a table of marks', () => {
  it('an unknown URL is missing everywhere, an accepted one where it was not accepted', () => {
    const { table, a, b } = open()
    expect(missing(table, a | b)).toBe(a | b)
    table.accept(URL_1, null, a, LIFE)
    expect(missing(table, a | b)).toBe(b)
    table.accept(URL_1, null, b, LIFE)
    expect(missing(table, a | b)).toBe(0)
    expect(table.size).toBe(1)
  })

  it('a rejected URL is settled too, and acceptance overrides rejection', () => {
    const { table, a, b } = open()
    table.reject(URL_1, null, a, LIFE)
    expect(missing(table, a | b)).toBe(b)
    table.accept(URL_1, null, a, LIFE)
    expect(missing(table, a)).toBe(0)
  })

  it('a later lastmod makes it pending everywhere, an equal or older one nowhere', () => {
    const { table, a, b } = open()
    table.accept(URL_1, 5_000, a, LIFE)
    table.accept(URL_1, 5_000, b, LIFE)
    expect(missing(table, a | b, 5_001)).toBe(a | b)
    expect(missing(table, a | b, 5_000)).toBe(0)
    expect(missing(table, a | b, 4_999)).toBe(0)
    expect(missing(table, a | b, null)).toBe(0)
    table.accept(URL_1, 5_001, a, LIFE)
    expect(missing(table, a | b, 5_001)).toBe(b)
  })

  it('where the mark has no lastmod, only one after the day of acceptance counts', () => {
    const { table, a } = open()
    table.accept(URL_1, null, a, LIFE)
    expect(missing(table, a, TODAY * DAY + DAY - 1)).toBe(0)
    expect(missing(table, a, (TODAY + 1) * DAY)).toBe(a)
  })

  it.each([-1, 0, 2 ** 33])('a lastmod of %d survives being stored', (lastmod) => {
    const { table, a } = open()
    table.accept(URL_1, lastmod, a, LIFE)
    expect(missing(table, a, lastmod)).toBe(0)
  })

  it('a mark expires after its days, and is then written afresh', () => {
    const { table, a, b } = open()
    table.accept(URL_1, null, a, LIFE)
    expect(missing(table, a, null, TODAY + TTL - 1)).toBe(0)
    expect(missing(table, a, null, TODAY + TTL)).toBe(a)
    table.accept(URL_1, null, b, { today: TODAY + TTL, ttlDays: TTL })
    expect(missing(table, a | b, null, TODAY + TTL)).toBe(a)
    expect(table.size).toBe(1)
  })

  it('grows to 5,000 records and keeps every one, stored and read again', () => {
    const { table, a, b } = open()
    // Consecutive low bits and equal low bits both: clusters must not lose anything.
    const urls = Array.from({ length: 5_000 }, (_, i) => (i % 2 === 0 ? BigInt(i) : BigInt(i) << 40n))
    for (const [i, url] of urls.entries()) table.accept(url, i + 1, i % 3 === 0 ? a : b, LIFE)
    const again = MarkTable.parse(table.bytes.slice())
    expect(again?.size).toBe(5_000)
    const wrong = urls.filter((url, i) => again?.missing(url, i + 1, a | b, LIFE) !== (i % 3 === 0 ? b : a))
    expect(wrong).toEqual([])
    expect(again?.missing(999_999_999n, null, a | b, LIFE)).toBe(a | b)
    expect(again?.bitOf(B, [A, B])).toBe(b)
  })
})

describe('endpoints of a table', () => {
  it('keep their bit whatever the order they are named in', () => {
    const { table, a, b } = open()
    expect(a).not.toBe(b)
    expect(table.bitOf(B, [B, A])).toBe(b)
    expect(table.bitOf(A, [B, A])).toBe(a)
  })

  it('a ninth takes the bit of one no longer configured, without its marks', () => {
    const table = MarkTable.empty()
    const eight = Array.from({ length: MAX_ENDPOINTS }, (_, i) => BigInt(i + 1))
    const bits = eight.map((id) => table.bitOf(id, eight))
    for (const bit of bits) table.accept(URL_1, null, bit, LIFE)
    expect(() => table.bitOf(9n, eight)).toThrow(RangeError)
    const configured = [...eight.filter((id) => id !== 4n), 9n]
    const bit = table.bitOf(9n, configured)
    expect(bit).toBe(bits[3])
    expect(missing(table, 0xff)).toBe(bit)
  })
})

describe('bytes that are no table', () => {
  const good = () => {
    const { table, a } = open()
    for (let url = 1n; url <= 40n; url++) table.accept(url, null, a, LIFE)
    return table.bytes.slice()
  }
  const spoiled = (at: number, value: number) => {
    const bytes = good()
    bytes[at] = value
    return bytes
  }

  it('are told from good ones', () => {
    expect(MarkTable.parse(good())?.size).toBe(40)
  })

  it.each([
    ['empty', new Uint8Array(0)],
    ['short', good().slice(0, 79)],
    ['cut', good().slice(0, -1)],
    ['too long', new Uint8Array([...good(), 0])],
    ['another magic', spoiled(0, 0)],
    ['another size', spoiled(4, 7)],
    ['a size beyond reason', spoiled(4, 60)],
    ['a wrong count', spoiled(8, 41)],
    ['text', new TextEncoder().encode('x'.repeat(1_104))],
  ])('%s', (_, bytes) => {
    expect(MarkTable.parse(bytes)).toBeNull()
  })

  it('a full one is refused: a search in it would never end', () => {
    const bytes = MarkTable.empty().bytes.slice()
    const view = new DataView(bytes.buffer)
    view.setUint32(8, 64, true)
    for (let slot = 0; slot < 64; slot++) view.setUint16(80 + slot * 16 + 12, TODAY, true)
    expect(MarkTable.parse(bytes)).toBeNull()
  })
})
