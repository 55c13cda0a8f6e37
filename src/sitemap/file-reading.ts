import type { PendingUrl } from '../domain/outcome'
import type { Exchange } from '../net/http-client'
import { admit } from './admit'
import type { CrawlBooks } from './crawl-books'
import { readSitemap, type SitemapTrouble } from './read-sitemap'
import type { ScanReport } from './scan-report'
import type { ChildRow, PendingRow, Row, Scanner } from './scanner'

export interface FileReadingOptions {
  readonly scanner: Scanner
  readonly books: CrawlBooks
  readonly host: string
  readonly takePage: (url: PendingUrl) => void
  /** Called between rows: the place to hand out what has gathered, in time that is not the request's. */
  readonly pause: (exchange: Exchange) => Promise<void>
}

/** The protocol's own limit for one index. */
const MAX_CHILDREN = 50_000

/** One file being read, however many attempts that takes. What an attempt has taken is not taken again by the next. */
export class FileReading {
  readonly #children = new Map<string, ChildRow>()
  /** Where relative addresses start from. */
  base = ''
  /** URLs met in this file first, all attempts together. */
  urls = 0
  #attempts = 0
  #pending = 0
  #repeated = 0

  constructor(private readonly options: FileReadingOptions) {}

  /** What an index names, each once. */
  get children(): readonly ChildRow[] {
    return [...this.#children.values()]
  }

  readonly read = async (response: Response, exchange: Exchange): Promise<SitemapTrouble | null> => {
    if (this.#attempts++ > 0) this.#count()
    this.#repeated = this.urls
    this.#children.clear()
    this.base = exchange.url
    return readSitemap(response.body, this.options.scanner, exchange.signal, async (rows) => {
      for (const row of rows) this.#take(row)
      await this.options.pause(exchange)
    })
  }

  /** What the last attempt found. */
  finish(): ScanReport {
    if (this.#attempts > 0) this.#count()
    const { report } = this.options.scanner
    return { ...report, duplicates: Math.max(0, report.duplicates - this.#repeated) }
  }

  #count(): void {
    const { scanner, books } = this.options
    const { known, changed } = scanner.report
    books.met(known + this.#pending, this.#pending, changed)
    this.urls += known + this.#pending
    this.#pending = 0
  }

  #take(row: Row): void {
    if (row.kind === 'child') this.#child(row)
    else if (row.kind === 'pending') this.#page(row)
    else this.#admit(row)
  }

  #child(row: ChildRow): void {
    if (this.#children.has(row.loc)) return
    if (this.#children.size < MAX_CHILDREN) this.#children.set(row.loc, row)
    else this.options.books.leaveOut('sitemap_too_many')
  }

  #admit({ loc, lastmod }: { loc: string; lastmod: number | null }): void {
    const { books, host, scanner } = this.options
    const admission = admit(loc, this.base, host)
    if (!admission.ok) {
      if (admission.reason === 'other_host') books.otherHost(admission.host)
      else books.leaveOut(admission.reason)
      return
    }
    const answer = scanner.ask(admission.url, lastmod)
    if (answer !== 'known' && answer !== 'duplicate') this.#page(answer)
  }

  #page({ loc, lastmod, fingerprint, missing }: PendingRow): void {
    this.#pending++
    this.options.takePage({ url: loc, lastmod, fingerprint, missing })
  }
}
