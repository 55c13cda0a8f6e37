import type { RunError } from '../domain/execution-record'
import type { PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import type { HttpClient } from '../net/http-client'
import type { RetryContext } from '../net/retry'
import { admit } from './admit'
import { fetchSitemap, type SitemapFailure } from './fetch-sitemap'
import type { SitemapEntry } from './saxes-scanner'

const MAX_DEPTH = 5
const SLICE_SIZE = 10_000

export interface CrawlOptions {
  readonly site: Site
  readonly client: HttpClient
  readonly timeoutMs: number
  readonly retryWaitMs: number
  /** Requests the crawl must leave for the submissions. */
  readonly reserve: number
  readonly retryContext: Omit<RetryContext, 'subject'>
  readonly fingerprint: (url: string) => bigint
  /** Which endpoints of which channels have not settled this URL; null when all have. */
  readonly missing: (url: { fingerprint: bigint; lastmod: number | null }) => PendingUrl['missing'] | null
  /** The child the last run did not reach. */
  readonly cursor: string | null
}

export interface CrawlReport {
  totalUrls: number
  newUrls: number
  readonly leftOut: Record<string, number>
  readonly errors: RunError[]
  filesRead: number
  /** The child to begin with next time, when the budget ended first. */
  cursor: string | null
}

interface SitemapFile {
  readonly url: string
  readonly depth: number
  /** The child of the first index that led here: what a cursor can name. */
  readonly top?: string
}

/** Reads a site's sitemaps and hands out what is pending, at most 10,000 URLs at a time, each URL once. */
export class Crawler {
  readonly report: CrawlReport = {
    totalUrls: 0,
    newUrls: 0,
    leftOut: {},
    errors: [],
    filesRead: 0,
    cursor: null,
  }
  readonly #visited = new Set<string>()
  readonly #seen = new Set<bigint>()
  #pending: PendingUrl[] = []

  constructor(private readonly options: CrawlOptions) {}

  async *slices(): AsyncGenerator<readonly PendingUrl[]> {
    const queue = startAt(await this.#readRoot(), this.options.cursor)
    for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
      const children = await this.#read(file)
      if (children === 'budget') {
        this.report.cursor = file.top ?? file.url
        break
      }
      queue.unshift(...children)
      while (this.#pending.length >= SLICE_SIZE) yield this.#pending.splice(0, SLICE_SIZE)
    }
    if (this.#pending.length > 0) yield this.#pending.splice(0)
  }

  /** The first of the site's sitemaps that can be read; its children, when it is an index. */
  async #readRoot(): Promise<SitemapFile[]> {
    const { sitemapUrl, fallbackSitemapUrls } = this.options.site
    for (const url of [sitemapUrl, ...fallbackSitemapUrls]) {
      const children = await this.#read({ url, depth: 0 })
      if (children === 'budget') {
        this.report.cursor = url
        break
      }
      if (this.report.filesRead > 0) return children
    }
    return []
  }

  async #read(file: SitemapFile): Promise<SitemapFile[] | 'budget'> {
    if (this.#visited.has(file.url)) return []
    this.#visited.add(file.url)
    const { failure, pages, children, base } = await fetchSitemap(file.url, this.options)
    if (failure?.reason === 'budget') return 'budget'
    if (failure !== null) this.#complain(file.url, failure)
    if (failure === null || pages.length + children.length > 0) this.report.filesRead++
    for (const page of pages) this.#take(page, base)
    return file.depth < MAX_DEPTH ? this.#admitted(children, base, file) : []
  }

  #take({ loc, lastmod }: SitemapEntry, base: string): void {
    const { report } = this
    const admission = admit(loc, base, this.options.site.host)
    const fingerprint = admission.ok ? this.options.fingerprint(admission.url) : null
    if (!admission.ok || fingerprint === null || this.#seen.has(fingerprint)) {
      this.#leaveOut(admission.ok ? 'duplicate' : admission.reason)
      return
    }
    this.#seen.add(fingerprint)
    report.totalUrls++
    const missing = this.options.missing({ fingerprint, lastmod })
    if (missing === null) return
    report.newUrls++
    this.#pending.push({ url: admission.url, lastmod, fingerprint, missing })
  }

  /** Children may lie where the site's pages or its sitemap lie, nowhere else. */
  #admitted(children: readonly SitemapEntry[], base: string, parent: SitemapFile): SitemapFile[] {
    const { site } = this.options
    const files: SitemapFile[] = []
    for (const { loc } of children) {
      const own = admit(loc, base, site.host)
      const admission = own.ok ? own : admit(loc, base, new URL(site.sitemapUrl).host)
      if (admission.ok) files.push({ url: admission.url, depth: parent.depth + 1, ...topOf(parent) })
      else this.#leaveOut(`sitemap_${admission.reason}`)
    }
    return files
  }

  #leaveOut(reason: string): void {
    this.report.leftOut[reason] = (this.report.leftOut[reason] ?? 0) + 1
  }

  #complain(url: string, { reason, detail }: SitemapFailure): void {
    const { logger } = this.options.retryContext
    const message = `${url}: ${detail}`
    logger.error('a sitemap could not be read whole', {
      site: this.options.site.id,
      code: reason,
      detail: message,
    })
    const advice = 'open the address in a browser: it must answer with an XML sitemap'
    this.report.errors.push({ code: reason, message, advice })
  }
}

function topOf({ url, depth, top }: SitemapFile): { top?: string } {
  return depth === 0 ? {} : { top: top ?? url }
}

/** The same files, beginning with the one a spent budget left unread: every child gets its turn. */
function startAt(files: SitemapFile[], cursor: string | null): SitemapFile[] {
  const at = files.findIndex(({ url }) => url === cursor)
  return at <= 0 ? files : [...files.slice(at), ...files.slice(0, at)]
}
