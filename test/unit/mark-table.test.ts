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
    expect(table.get(URL_1)).toMatchObject({ accepted: a, rejected: 0 })
  })

  it('says what it knows of a URL, and nothing of another', () => {
    const { table, a, b } = open()
    table.accept(URL_1, 5_000, a, LIFE)
    table.reject(URL_1, 5_000, b, LIFE)
    const mark = { low: 1, high: 0xfeed_beef, lastmod: 5_000, day: TODAY, accepted: a, rejected: b }
    expect(table.get(URL_1)).toEqual(mark)
    expect([...table.marks()]).toEqual([mark])
    expect(table.has(URL_1)).toBe(true)
    // Those that differ in one half only have the same slot, or the same look.
    for (const other of [URL_1 + 1n, URL_1 + (1n << 32n), 1n]) {
      expect(table.has(other)).toBe(false)
      expect(table.get(other)).toBeNull()
    }
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

  it('puts a URL into the next slot when its own is taken, and after the last into the first: a scan looks there', () => {
    const { table, a } = open()
    const lowHalf = (slot: number) => new DataView(table.bytes.buffer).getUint32(80 + slot * 16, true)
    for (const url of [5n, 5n + 64n, 63n, 63n + 64n]) table.accept(url, null, a, LIFE)
    expect([5, 6, 63, 0].map(lowHalf)).toEqual([5, 69, 63, 127])
  })

  it('doubles before it is more than seven tenths full, and not earlier', () => {
    const { table, a } = open()
    for (let url = 1n; url <= 44n; url++) table.accept(url, null, a, LIFE)
    expect(table.bytes.length).toBe(80 + 64 * 16)
    // What is known already needs no room.
    table.accept(44n, null, a, LIFE)
    expect(table.bytes.length).toBe(80 + 64 * 16)
    table.accept(45n, null, a, LIFE)
    expect(table.bytes.length).toBe(80 + 128 * 16)
    expect([...table.marks()].map(({ low }) => low).sort((x, y) => x - y)).toEqual(
      Array.from({ length: 45 }, (_, i) => i + 1),
    )
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
    expect(() => table.bitOf(9n, eight)).toThrow('at most 8 endpoints')
    const configured = [...eight.filter((id) => id !== 4n), 9n]
    const bit = table.bitOf(9n, configured)
    expect(bit).toBe(bits[3])
    expect(missing(table, 0xff)).toBe(bit)
  })
})

describe('the owners of the bits', () => {
  it('a free bit is taken before that of an endpoint that is switched off', () => {
    const { table, a, b } = open()
    table.accept(URL_1, null, a | b, LIFE)
    const third = table.bitOf(33n, [33n])
    expect([a, b]).not.toContain(third)
    expect(missing(table, a | b | third)).toBe(third)
  })

  const LONG = 0xfedc_ba98_7654_3210n

  it('are known by all 64 bits of their id, stored and read again', () => {
    const table = MarkTable.empty()
    table.bitOf(LONG, [LONG])
    table.bitOf(LONG - 1n, [LONG])
    const owners = [LONG, LONG - 1n, ...Array<bigint>(6).fill(0n)]
    expect(table.owners()).toEqual(owners)
    expect(MarkTable.parse(table.bytes.slice())?.owners()).toEqual(owners)
  })

  it('two tables agree when every bit of the one means the same in the other', () => {
    const [both, turned, one] = [[A, B], [B, A], [A]].map((order) => {
      const table = MarkTable.empty()
      for (const id of order) table.bitOf(id, order)
      return table
    }) as [MarkTable, MarkTable, MarkTable]
    expect(both.agreesWith(both)).toBe(true)
    expect(one.agreesWith(both)).toBe(true)
    expect(both.agreesWith(one)).toBe(false)
    expect(both.agreesWith(turned)).toBe(false)
  })

  it('an empty copy has the owners, no marks, and the buckets it is told', () => {
    const { table, a } = open()
    table.accept(URL_1, null, a, LIFE)
    const copy = table.emptyCopy(3)
    expect([copy.owners(), copy.size, copy.has(URL_1)]).toEqual([table.owners(), 0, false])
    expect([table.bucketBits, copy.bucketBits, copy.emptyCopy().bucketBits]).toEqual([0, 3, 3])
    expect(MarkTable.parse(copy.bytes.slice())?.bucketBits).toBe(3)
  })

  it('growing keeps the buckets and the owners', () => {
    const table = open().table.emptyCopy(2)
    for (let url = 1n; url <= 100n; url++) table.accept(url, null, 1, LIFE)
    expect([table.bucketBits, table.size]).toEqual([2, 100])
    expect(table.owners().slice(0, 3)).toEqual([A, B, 0n])
    expect(MarkTable.parse(table.bytes.slice())?.size).toBe(100)
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

  it('good ones are read wherever they lie in memory', () => {
    for (const offset of [1, 2, 3, 4]) {
      const around = new Uint8Array(good().length + 8)
      around.set(good(), offset)
      const table = MarkTable.parse(around.subarray(offset, offset + good().length))
      expect([table?.size, table?.has(40n), table?.has(41n)]).toEqual([40, true, false])
    }
  })

  it('from 64 slots to a million, and neither fewer nor more', () => {
    expect(MarkTable.parse(MarkTable.empty(6).bytes)?.size).toBe(0)
    expect(MarkTable.parse(MarkTable.empty(20).bytes)?.size).toBe(0)
    expect(MarkTable.parse(MarkTable.empty(5).bytes)).toBeNull()
    expect(MarkTable.parse(MarkTable.empty(21).bytes)).toBeNull()
  })

  it.each([
    ['empty', () => new Uint8Array(0)],
    ['short', () => good().slice(0, 79)],
    ['cut', () => good().slice(0, -1)],
    ['too long', () => new Uint8Array([...good(), 0])],
    ['another magic', () => spoiled(0, 0)],
    ['another size', () => spoiled(4, 7)],
    ['a size beyond reason', () => spoiled(4, 60)],
    ['a wrong count', () => spoiled(8, 41)],
    ['text', () => new TextEncoder().encode('x'.repeat(1_104))],
  ])('%s', (_, bytes) => {
    expect(MarkTable.parse(bytes())).toBeNull()
  })

  it('a full one is refused: a search in it would never end', () => {
    const filled = (slots: number) => {
      const bytes = MarkTable.empty().bytes.slice()
      const view = new DataView(bytes.buffer)
      view.setUint32(8, slots, true)
      for (let slot = 0; slot < slots; slot++) view.setUint16(80 + slot * 16 + 12, TODAY, true)
      return MarkTable.parse(bytes)
    }
    expect(filled(63)?.size).toBe(63)
    expect(filled(64)).toBeNull()
  })
})
