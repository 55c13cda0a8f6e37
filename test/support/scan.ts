import { MarkTable } from '../../src/marks/mark-table'
import { admit } from '../../src/sitemap/admit'
import type { ScanReport } from '../../src/sitemap/scan-report'
import { type Row, type ScanChannel, Scanner, type ScannerOptions } from '../../src/sitemap/scanner'
import { readScannerModule } from './scanner-module'

export const ORIGIN = 'https://a.example'
export const HOST = 'a.example'
/** Relative locs start here. */
export const BASE = `${ORIGIN}/folder/sitemap.xml`
export const TODAY = 20_500
export const TTL = 30

const module = readScannerModule()
const encoder = new TextEncoder()

/** A channel with one endpoint that knows nothing: every URL is pending. */
export function newChannel(id = 'indexnow'): ScanChannel {
  return { id, recent: MarkTable.empty().bytes, buckets: [], bits: [1], today: TODAY, ttlDays: TTL }
}

export function openScanner(options: Partial<ScannerOptions> = {}): Scanner {
  return new Scanner(module, { siteId: 'a.example', origin: ORIGIN, channels: [newChannel()], ...options })
}

/** All rows of one document, handed over in these pieces, and the report on it. */
export function scanPieces(
  scanner: Scanner,
  pieces: readonly (string | Uint8Array)[],
): { rows: Row[]; report: ScanReport } {
  const rows: Row[] = []
  scanner.begin()
  for (const piece of pieces) {
    const bytes = typeof piece === 'string' ? encoder.encode(piece) : piece
    for (const some of scanner.write(bytes)) rows.push(...some)
  }
  return { rows, report: scanner.end() }
}

/** One document read by a scanner of its own. */
export function scan(...pieces: readonly (string | Uint8Array)[]) {
  const { rows, report } = scanPieces(openScanner(), pieces)
  return { rows, ...report, locs: rows.map(({ loc }) => loc), lastmods: rows.map(({ lastmod }) => lastmod) }
}

/** A URL as a crawl ends up with it; `missing` is empty when every channel knows it. */
export interface FoundUrl {
  readonly url: string
  readonly lastmod: number | null
  readonly missing: Readonly<Record<string, number>>
}

/** One document as a crawl reads it: raw rows are admitted and asked about on the spot. */
export function crawlPieces(scanner: Scanner, pieces: readonly Uint8Array[]) {
  const pending: FoundUrl[] = []
  const children: { url: string; lastmod: number | null }[] = []
  let refused = 0
  scanner.begin()
  for (const piece of pieces) {
    for (const rows of scanner.write(piece)) {
      for (const row of rows) {
        if (row.kind === 'pending') {
          pending.push({ url: row.loc, lastmod: row.lastmod, missing: row.missing })
          continue
        }
        const admission = admit(row.loc, BASE, HOST)
        if (!admission.ok) {
          refused++
        } else if (row.kind === 'child') {
          children.push({ url: admission.url, lastmod: row.lastmod })
        } else {
          const answer = scanner.ask(admission.url, row.lastmod)
          if (typeof answer === 'string') continue
          pending.push({ url: answer.loc, lastmod: answer.lastmod, missing: answer.missing })
        }
      }
    }
  }
  return { pending, children, refused, report: scanner.end() }
}

/** The bytes cut at these places. */
export function cut(bytes: Uint8Array, places: readonly number[]): Uint8Array[] {
  const sorted = [0, ...[...places].sort((a, b) => a - b), bytes.length]
  return sorted.slice(1).map((end, index) => bytes.subarray(sorted[index], end))
}
