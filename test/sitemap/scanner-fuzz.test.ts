import { describe, expect, it } from 'vitest'
import { fingerprinter } from '../../src/marks/fingerprint'
import { MarkTable } from '../../src/marks/mark-table'
import { admit } from '../../src/sitemap/admit'
import type { ScanChannel } from '../../src/sitemap/scanner'
import { createSeededRandom } from '../support/memory-application'
import { BASE, crawlPieces, cut, type FoundUrl, HOST, openScanner, TODAY, TTL } from '../support/scan'
import { Generator } from './generate'
import { readWithSaxes } from './reference'

const DOCUMENTS = 100_000
const PER_CRAWL = 50
const SHARDS = 10
const encoder = new TextEncoder()
const fingerprint = fingerprinter(HOST)

interface Marks {
  readonly scanned: ScanChannel[]
  missing(url: string, lastmod: number | null): Record<string, number>
}

/** Two channels, one with older marks in four buckets, that have settled some of the URLs the generator likes. */
function someMarks(generator: Generator): Marks {
  const layout = [
    { id: 'indexnow', buckets: 4, owners: [11n, 22n, 33n] },
    { id: 'bing', buckets: 0, owners: [44n] },
  ]
  const channels = layout.map(({ id, buckets, owners }) => {
    const recent = MarkTable.empty()
    // The bits are given in an order of their own.
    for (const owner of [...owners].sort(() => (generator.chance(0.5) ? 1 : -1))) recent.bitOf(owner, owners)
    const bits = owners.map((owner) => recent.bitOf(owner, owners))
    const older = Array.from({ length: buckets }, () => recent.emptyCopy(0))
    const bucketOf = (url: bigint) => older[Number(url >> 48n) >> (16 - Math.log2(buckets))] ?? recent
    return { id, recent, older, bits, bucketOf }
  })
  for (let left = 60; left > 0; left--) {
    const admission = admit(generator.location(), BASE, HOST)
    if (!admission.ok) continue
    const url = fingerprint(admission.url)
    for (const { recent, bits, bucketOf } of channels) {
      const table = generator.chance(0.3) ? recent : bucketOf(url)
      const lastmod = generator.chance(0.4) ? null : (1_950 + generator.below(150) - 1_970) * 31_556_952
      const life = { today: TODAY + 3 - generator.below(TTL + 6), ttlDays: TTL }
      for (const bit of bits) {
        if (generator.chance(0.8)) table.accept(url, lastmod, bit, life)
        else if (generator.chance(0.3)) table.reject(url, lastmod, bit, life)
      }
    }
  }
  const life = { today: TODAY, ttlDays: TTL }
  return {
    scanned: channels.map(({ id, recent, older, bits }) => ({
      id,
      recent: recent.bytes,
      buckets: older.map(({ bytes }) => bytes),
      bits,
      ...life,
    })),
    missing(url, lastmod) {
      const found: Record<string, number> = {}
      for (const { id, recent, bits, bucketOf } of channels) {
        const known = fingerprint(url)
        const wanted = bits.reduce((all, bit) => all | bit, 0)
        const table = recent.has(known) ? recent : bucketOf(known)
        const missing = table.missing(known, lastmod, wanted, life)
        const mask = bits.reduce((all, bit, index) => ((missing & bit) !== 0 ? all | (1 << index) : all), 0)
        if (mask !== 0) found[id] = mask
      }
      return found
    },
  }
}

/** What a crawl must find in this document, the slow way. */
function expected(text: string, seen: Set<string>, marks: Marks) {
  const { root, entries } = readWithSaxes(text)
  const pending: FoundUrl[] = []
  const children: { url: string; lastmod: number | null }[] = []
  const counts = { entries: entries.length, known: 0, duplicates: 0, leftOut: 0 }
  for (const { loc, lastmod } of entries) {
    const admission = admit(loc ?? '', BASE, HOST)
    if (!admission.ok) {
      counts.leftOut++
    } else if (root === 'sitemapindex') {
      children.push({ url: admission.url, lastmod })
    } else if (seen.has(admission.url)) {
      counts.duplicates++
    } else {
      seen.add(admission.url)
      const missing = marks.missing(admission.url, lastmod)
      if (Object.keys(missing).length === 0) counts.known++
      else pending.push({ url: admission.url, lastmod, missing })
    }
  }
  return { pending, children, counts }
}

const OWN_REASONS = ['no_loc', 'too_long', 'entity']

describe('against saxes, URL and the table of marks', () => {
  it.each(Array.from({ length: SHARDS }, (_, shard) => shard))('%d: the same URLs and lastmods', (shard) => {
    const generator = new Generator(createSeededRandom(shard + 1))
    let compared = 0
    for (let crawl = 0; crawl < DOCUMENTS / SHARDS / PER_CRAWL; crawl++) {
      const marks = someMarks(generator)
      const scanner = openScanner({ channels: marks.scanned })
      const seen = new Set<string>()
      for (let left = PER_CRAWL; left > 0; left--) {
        const text = generator.document()
        const bytes = encoder.encode(text)
        const places = Array.from({ length: generator.below(6) }, () => generator.below(bytes.length))
        const wanted = expected(text, seen, marks)
        const { pending, children, refused, report } = crawlPieces(scanner, cut(bytes, places))
        const { entries, known, duplicates } = report
        const leftOut = OWN_REASONS.reduce((sum, reason) => sum + (report.leftOut[reason] ?? 0), refused)
        const found = { pending, children, counts: { entries, known, duplicates, leftOut } }
        const isSame = JSON.stringify(found) === JSON.stringify(wanted) && report.problem === null
        // Asserting 100,000 times would take longer than everything else.
        if (!isSame)
          expect({ text, problem: report.problem, ...found }).toEqual({ text, problem: null, ...wanted })
        compared++
      }
    }
    expect(compared).toBe(DOCUMENTS / SHARDS)
  }, 60_000)
})

describe('pieces', () => {
  const generator = new Generator(createSeededRandom(77))
  const summary = (pieces: readonly Uint8Array[]) => {
    const { pending, children, refused, report } = crawlPieces(openScanner(), pieces)
    return JSON.stringify({ pending, children, refused, report })
  }

  it('every split of a document gives the same, and so does every byte by itself', () => {
    for (let left = 60; left > 0; left--) {
      const bytes = encoder.encode(generator.document())
      const whole = summary([bytes])
      for (let at = 1; at < Math.min(bytes.length, 1_500); at++) {
        if (summary(cut(bytes, [at])) !== whole) expect(summary(cut(bytes, [at]))).toBe(whole)
      }
      expect(summary(cut(bytes, [...bytes.keys()]))).toBe(whole)
    }
  }, 60_000)

  it('a spoiled document gives the same in any pieces', () => {
    const problems = new Set<string>()
    for (let left = 10_000; left > 0; left--) {
      const bytes = spoiled(encoder.encode(generator.document()), generator)
      const whole = summary([bytes])
      const places = Array.from({ length: 1 + generator.below(8) }, () => generator.below(bytes.length))
      if (summary(cut(bytes, places)) !== whole) expect(summary(cut(bytes, places))).toBe(whole)
      problems.add(openReport(bytes))
    }
    expect([...problems].sort()).toEqual(['empty', 'malformed', 'none', 'not_a_sitemap', 'truncated'])
  }, 60_000)

  it('a document cut off anywhere yields the entries before the cut', () => {
    for (let left = 100; left > 0; left--) {
      const bytes = encoder.encode(generator.document())
      const whole = crawlPieces(openScanner(), [bytes])
      for (let end = 0; end < bytes.length; end += 1 + generator.below(5)) {
        const some = crawlPieces(openScanner(), [bytes.subarray(0, end)])
        const start = whole.pending.slice(0, some.pending.length)
        if (JSON.stringify(some.pending) !== JSON.stringify(start)) expect(some.pending).toEqual(start)
        expect(some.report.entries).toBeLessThanOrEqual(whole.report.entries)
      }
    }
  }, 60_000)
})

function openReport(bytes: Uint8Array): string {
  return crawlPieces(openScanner(), [bytes]).report.problem?.code ?? 'none'
}

/** Some bytes lost, doubled or replaced by ones that mean something to XML. */
function spoiled(bytes: Uint8Array, generator: Generator): Uint8Array {
  const result = [...bytes]
  for (let left = 1 + generator.below(4); left > 0; left--) {
    const at = generator.below(result.length)
    const byte = generator.pick([
      0x3c, 0x3e, 0x26, 0x3b, 0x21, 0x2d, 0x5b, 0x5d, 0x2f, 0x22, 0x3f, 0x00, 0xff, 0x20,
    ])
    const count = generator.pick([0, 1, 1, 20])
    if (generator.chance(0.1)) result.splice(at)
    else if (generator.chance(0.5)) result.splice(at, 1, ...Array<number>(count).fill(byte))
    else result.splice(at, 0, ...result.slice(at, at + generator.below(30)))
  }
  return Uint8Array.from(result)
}
