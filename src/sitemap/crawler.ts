import type { PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import type { Exchange } from '../net/http-client'
import { admit } from './admit'
import { CrawlBooks, type CrawlReport } from './crawl-books'
import { type FetchOptions, fetchSitemap } from './fetch-sitemap'
import { FileReading } from './file-reading'
import type { KnownFiles } from './known-files'
import type { Scanner } from './scanner'

const MAX_DEPTH = 5
const SLICE_SIZE = 10_000

export interface CrawlOptions extends FetchOptions {
  readonly site: Site
  readonly scanner: Scanner
  readonly files: KnownFiles
  /** Where the last run's budget ended. */
  readonly cursor: string | null
  /** How many URLs the last whole crawl found. */
  readonly previousUrls: number | null
  /** Takes at most 10,000 pending URLs at a time; the crawl waits for it. */
  readonly onSlice: (slice: readonly PendingUrl[]) => Promise<void>
}

interface SitemapAddress {
  readonly url: string
  readonly depth: number
  /** The end of the period its index says it last changed in, in ms since 1970. */
  readonly lastChange: number | null
}

/** Reads a site's sitemaps and hands out what is pending, each URL once. */
export class Crawler {
  readonly #books: CrawlBooks
  readonly #visited = new Set<string>()
  /** Where sitemaps may lie: with the site's pages, or where its owner says. */
  readonly #hosts: Set<string>
  readonly #pending: PendingUrl[] = []
  #broken: { readonly error: unknown } | null = null
  /** The file being read, as a cursor names it. What came before it was handed out. */
  #reading: string | null = null

  constructor(private readonly options: CrawlOptions) {
    const { site, retryContext } = options
    this.#books = new CrawlBooks(retryContext.logger, site.id)
    const named = [site.sitemapUrl, ...site.fallbackSitemapUrls].map((url) => new URL(url).host)
    this.#hosts = new Set([site.host, ...named])
  }

  /** How far the crawl has come: what it counted, and with which file another would have to go on. */
  get progress(): Pick<CrawlReport, 'totalUrls' | 'newUrls' | 'cursor'> {
    return { ...this.#books.counts, cursor: this.#reading }
  }

  async crawl(): Promise<CrawlReport> {
    const { site, cursor, previousUrls } = this.options
    for (const url of [site.sitemapUrl, ...site.fallbackSitemapUrls]) {
      const children = await this.#read({ url, depth: 0, lastChange: null })
      if (children === 'budget') {
        this.#books.cutShort(cursor)
        break
      }
      if (this.#books.filesRead === 0) {
        this.#books.rootFailed()
        continue
      }
      await this.#visit(children, [], cursor?.split(' ') ?? [])
      break
    }
    while (this.#pending.length > 0) await this.options.onSlice(this.#pending.splice(0, SLICE_SIZE))
    return this.#books.close(site.host, { whole: cursor === null, previousUrls })
  }

  /**
   * Depth first, beginning where the last run's budget ended; what lies before that was read then. In the order of the
   * addresses, because that of an index may be another one each time, and a cursor in it would then pass files over.
   */
  async #visit(
    addresses: readonly SitemapAddress[],
    trail: readonly string[],
    cursor: readonly string[],
  ): Promise<boolean> {
    const [from = ''] = cursor
    const ahead = addresses.filter(({ url }) => url >= from)
    for (const address of ahead.sort((a, b) => (a.url < b.url ? -1 : 1))) {
      const path = [...trail, address.url]
      this.#reading = path.join(' ')
      const children = await this.#read(address)
      if (children === 'budget') {
        this.#books.cutShort(path.join(' '))
        return false
      }
      const rest = address.url === from ? cursor.slice(1) : []
      if (!(await this.#visit(children, path, rest))) return false
    }
    return true
  }

  /** Reads one file; what comes back are its children, when it is an index. */
  async #read(address: SitemapAddress): Promise<readonly SitemapAddress[] | 'budget'> {
    const { files, scanner, site } = this.options
    const { url, depth, lastChange } = address
    if (this.#visited.has(url)) return []
    this.#visited.add(url)
    const untouched = files.unchangedSince(url, lastChange)
    if (untouched !== null) {
      files.keep(url)
      this.#books.unchanged(untouched.urls)
      return []
    }

    const known = files.settled(url)
    const scannedAt = this.options.retryContext.clock.now()
    const reading = new FileReading({
      scanner,
      books: this.#books,
      host: site.host,
      takePage: (page) => this.#pending.push(page),
      pause: (exchange) => this.#pause(exchange),
    })
    const result = await fetchSitemap(url, known, this.options, reading.read)
    const report = reading.finish()
    // Trouble with what was handed out is not trouble with the file, and must not pass for it.
    if (this.#broken !== null) throw this.#broken.error
    if (result.kind === 'budget') return 'budget'
    if (result.kind === 'unchanged') {
      files.confirm(url, { scannedAt, lastChange })
      this.#books.unchanged(known?.urls ?? 0)
      return []
    }

    if (depth === 0 && reading.base !== '') this.#hosts.add(new URL(reading.base).host)
    if (result.trouble !== null) this.#books.complain(url, result.trouble)
    if (result.kind === 'read' && (result.trouble === null || report.entries > 0)) this.#books.read(report)
    // An index is read every time: its children may have changed though it has not.
    if (result.kind === 'read' && result.trouble === null && report.root === 'urlset') {
      files.scanned(url, {
        ...result.head,
        scannedAt,
        urls: reading.urls,
        report,
        lastChange,
      })
    } else {
      files.forget(url)
    }
    return this.#admitted(reading, depth + 1)
  }

  /** Full slices go out while the file waits; its time stands still. */
  async #pause({ signal, hold }: Exchange): Promise<void> {
    while (this.#pending.length >= SLICE_SIZE && !signal.aborted) {
      const slice = this.#pending.splice(0, SLICE_SIZE)
      try {
        await hold(() => this.options.onSlice(slice))
      } catch (error) {
        this.#broken = { error }
        throw error
      }
    }
  }

  #admitted({ children, base }: FileReading, depth: number): SitemapAddress[] {
    const addresses: SitemapAddress[] = []
    for (const { loc, lastChange } of children) {
      const url = this.#addressOf(loc, base)
      if (depth > MAX_DEPTH) this.#books.leaveOut('sitemap_too_deep')
      else if (url !== null) addresses.push({ url, depth, lastChange })
    }
    return addresses
  }

  #addressOf(loc: string, base: string): string | null {
    const reasons: string[] = []
    for (const host of this.#hosts) {
      const admission = admit(loc, base, host)
      if (admission.ok) return admission.url
      reasons.push(admission.reason)
    }
    this.#books.leaveOut(`sitemap_${reasons[0]}`)
    return null
  }
}
