import type { ScannerModule } from '../ports'
import { readReport, type ScanReport } from './scan-report'
import { ScannerCore } from './scanner-core'

export interface ScanChannel {
  readonly id: string
  /** A table of marks, the stored bytes as they are. */
  readonly recent: Uint8Array
  /** None, or a power of two of them with older marks: the leading bits of a URL's fingerprint choose. */
  readonly buckets: readonly Uint8Array[]
  /** The bit each endpoint owns in these tables, in the channel's order of endpoints. */
  readonly bits: readonly number[]
  /** Days since 1970. */
  readonly today: number
  readonly ttlDays: number
}

export interface PendingRow {
  readonly kind: 'pending'
  /** In normal form. */
  readonly loc: string
  readonly lastmod: number | null
  readonly fingerprint: bigint
  /** Per channel that misses it, one bit per endpoint in the channel's order. */
  readonly missing: Readonly<Record<string, number>>
}

export interface ChildRow {
  readonly kind: 'child'
  readonly loc: string
  readonly lastmod: number | null
  /** The end of the period its lastmod names, in ms since 1970: a bare date ends when that day has ended everywhere. */
  readonly lastChange: number | null
}

export type Row =
  | PendingRow
  /**
   * Not in normal form or not on this origin: `admit()` decides, then `ask()` is asked. Always the last row of its batch, so
   * that of two spellings of one URL the first counts.
   */
  | { readonly kind: 'raw'; readonly loc: string; readonly lastmod: number | null }
  /** A `<sitemap>` of an index. */
  | ChildRow

export interface ScannerOptions {
  /** Seeds the fingerprints. */
  readonly siteId: string
  /** In normal form and without a slash at its end, like `https://www.example.com`. */
  readonly origin: string
  readonly channels: readonly ScanChannel[]
}

const KINDS = ['pending', 'raw', 'child'] as const
const ANSWERS = ['known', 'duplicate', 'pending'] as const

/** What lies where in a row; wasm/entry.ts writes it. */
const ROW = { FINGERPRINT: 0, LASTMOD: 8, TEXT: 16, LENGTH: 20, KIND: 24, PERIOD: 28, MISSING: 32 } as const

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * Turns the bytes of sitemaps, in any pieces, into rows. One scanner serves one crawl: a URL met in one document is a
 * duplicate in the next. URLs that every channel knows never leave the core and never become strings.
 */
export class Scanner {
  readonly #core: ScannerCore
  readonly #channels: readonly ScanChannel[]
  #ended = false

  constructor(module: ScannerModule, options: ScannerOptions) {
    this.#core = new ScannerCore(module)
    this.#channels = options.channels
    this.#core.load(options)
    this.begin()
  }

  /** A new document; what the crawl has met stays. */
  begin(): void {
    this.#ended = false
    this.#core.exports.begin()
  }

  /** The rows of this chunk, at most 1,000 at a time. The chunk must stay as it is until the last of them is taken. */
  *write(chunk: Uint8Array): Generator<readonly Row[], void, void> {
    const { exports } = this.#core
    const room = exports.INPUT_BYTES.value
    for (let from = 0; from < chunk.byteLength; from += room) {
      const piece = chunk.subarray(from, from + room)
      this.#core.bytes.set(piece, exports.INPUT.value)
      exports.feed(piece.byteLength)
      for (let isFull = true; isFull; ) {
        isFull = exports.scan() !== 0
        const rows = this.#takeRows()
        if (rows.length > 0) yield rows
      }
    }
  }

  /** Nothing more comes of this document: from now on the report says whether it was whole. */
  end(): ScanReport {
    this.#ended = true
    return this.report
  }

  /** Asks the marks about a URL that `admit()` put into normal form; it counts as one of the current document. */
  ask(url: string, lastmod: number | null): PendingRow | 'known' | 'duplicate' {
    const { exports } = this.#core
    const length = this.#core.write(url, exports.ASK.value, exports.ASK_BYTES.value)
    const answer = ANSWERS[exports.ask(length, lastmod ?? Number.NaN)] ?? 'known'
    if (answer !== 'pending') return answer
    const at = exports.ROWS.value
    return { kind: 'pending', loc: url, lastmod, ...this.#answerAt(at) }
  }

  get report(): ScanReport {
    return readReport(this.#core, this.#channels, this.#ended)
  }

  #takeRows(): Row[] {
    const { exports, view } = this.#core
    const count = exports.takeRows()
    const text = this.#textOf(count)
    return Array.from({ length: count }, (_, index) => {
      const at = exports.ROWS.value + index * exports.ROW_BYTES.value
      const kind = KINDS[view.getUint32(at + ROW.KIND, true)] ?? 'raw'
      const seconds = view.getFloat64(at + ROW.LASTMOD, true)
      const lastmod = Number.isNaN(seconds) ? null : seconds
      const loc = text(view.getUint32(at + ROW.TEXT, true), view.getUint32(at + ROW.LENGTH, true))
      if (kind === 'pending') return { kind, loc, lastmod, ...this.#answerAt(at) }
      if (kind === 'raw') return { kind, loc, lastmod }
      const end = seconds + view.getUint32(at + ROW.PERIOD, true)
      return { kind, loc, lastmod, lastChange: lastmod === null ? null : end * 1000 }
    })
  }

  /** One decoding for all rows, where every byte is a character; else one per row. */
  #textOf(count: number): (from: number, length: number) => string {
    const { exports, bytes, view } = this.#core
    if (count === 0) return () => ''
    const last = exports.ROWS.value + (count - 1) * exports.ROW_BYTES.value
    const end = view.getUint32(last + ROW.TEXT, true) + view.getUint32(last + ROW.LENGTH, true)
    const start = exports.TEXT.value
    const whole = decoder.decode(bytes.subarray(start, start + end))
    if (whole.length === end) return (from, length) => whole.slice(from, from + length)
    return (from, length) => decoder.decode(bytes.subarray(start + from, start + from + length))
  }

  #answerAt(at: number): Pick<PendingRow, 'fingerprint' | 'missing'> {
    const { view } = this.#core
    const missing: Record<string, number> = {}
    for (const [index, { id }] of this.#channels.entries()) {
      const bits = view.getUint8(at + ROW.MISSING + index)
      if (bits !== 0) missing[id] = bits
    }
    return { fingerprint: view.getBigUint64(at + ROW.FINGERPRINT, true), missing }
  }
}
