import type { RunError } from '../domain/execution-record'
import { plainText } from '../domain/plain-text'
import type { Logger } from '../ports'
import type { SitemapTrouble } from './read-sitemap'
import type { ScanReport } from './scan-report'

/** Hosts are counted one by one only up to here: a hostile sitemap may name as many as it has lines. */
const MAX_HOSTS = 50

/** Records are kept, a hundred of them in one value: the first complaints tell as much as all of them. */
const MAX_ERRORS = 50
const MAX_URL_SHOWN = 200

export interface CrawlReport {
  /** URLs of the site, each counted once. */
  readonly totalUrls: number
  readonly newUrls: number
  readonly leftOut: Readonly<Record<string, number>>
  readonly errors: readonly RunError[]
  /** Worth a look, but nothing failed. */
  readonly warnings: readonly RunError[]
  readonly filesRead: number
  /** How many of the addresses a site may be read from could not be. */
  readonly rootsFailed: number
  /** The budget ended before the last file. */
  readonly cutShort: boolean
  /** Where to go on next time: the addresses from the root's child down to the file, with blanks between. */
  readonly cursor: string | null
}

/** Of a run that had no reason to crawl. */
export const NO_CRAWL: CrawlReport = {
  totalUrls: 0,
  newUrls: 0,
  leftOut: {},
  errors: [],
  warnings: [],
  filesRead: 0,
  rootsFailed: 0,
  cutShort: false,
  cursor: null,
}

const ADVICE: Readonly<Record<string, string>> = {
  bot_wall: 'let Beckon pass in the settings of the firewall or the content network, by its user agent',
  not_a_sitemap: 'open the address in a browser: it must answer with an XML sitemap',
  too_large: 'split it into several files and list them in a sitemap index',
  guard: 'sitemaps must be at a public http or https address',
  timeout: 'see whether the server is overloaded, or split the sitemap into smaller files',
}
/** A whole crawl that found nothing to submit, though every file could be read. */
export const EMPTY: RunError & { readonly advice: string } = {
  code: 'sitemap_empty',
  message: 'the sitemap lists no URL that can be submitted',
  advice: 'list the pages of the site in it',
}

const GENERAL_ADVICE = 'open the address in a browser: it must answer with a whole XML sitemap'

/** What a crawl found, counted as it goes. */
export class CrawlBooks {
  readonly #leftOut: Record<string, number> = {}
  readonly #errors: RunError[] = []
  readonly #otherHosts = new Map<string, number>()
  #totalUrls = 0
  #newUrls = 0
  #changed = 0
  #filesRead = 0
  #unnamed = 0
  #rootsFailed = 0
  #end: { cursor: string | null } | null = null

  constructor(
    private readonly logger: Logger,
    private readonly siteId: string,
  ) {}

  get filesRead(): number {
    return this.#filesRead
  }

  /** So far. */
  get counts(): Pick<CrawlReport, 'totalUrls' | 'newUrls'> {
    return { totalUrls: this.#totalUrls, newUrls: this.#newUrls }
  }

  rootFailed(): void {
    this.#rootsFailed++
  }

  /** URLs met for the first time; `changed` ones have a mark, but a newer lastmod. */
  met(urls: number, pending: number, changed: number): void {
    this.#totalUrls += urls
    this.#newUrls += pending
    this.#changed += changed
  }

  read(scan: ScanReport): void {
    for (const [reason, count] of Object.entries(scan.leftOut)) this.leaveOut(reason, count)
    this.leaveOut('duplicate', scan.duplicates)
    this.#filesRead++
  }

  /** A file that need not be read: its URLs are known. */
  unchanged(urls: number): void {
    this.#totalUrls += urls
    this.#filesRead++
  }

  leaveOut(reason: string, count = 1): void {
    if (count > 0) this.#leftOut[reason] = (this.#leftOut[reason] ?? 0) + count
  }

  otherHost(host: string): void {
    this.leaveOut('other_host')
    if (this.#otherHosts.size < MAX_HOSTS || this.#otherHosts.has(host)) {
      this.#otherHosts.set(host, (this.#otherHosts.get(host) ?? 0) + 1)
    }
  }

  complain(url: string, { code, detail }: SitemapTrouble): void {
    // It may quote the file.
    const message = plainText(`${url.slice(0, MAX_URL_SHOWN)}: ${detail}`)
    const site = this.siteId
    this.logger.error('a sitemap could not be read whole', { site, code: `sitemap_${code}`, detail: message })
    if (this.#errors.length === MAX_ERRORS) this.#unnamed++
    else this.#errors.push({ code: `sitemap_${code}`, message, advice: ADVICE[code] ?? GENERAL_ADVICE })
  }

  /** The budget ended; `cursor` is where the next run goes on. */
  cutShort(cursor: string | null): void {
    this.#end = { cursor }
  }

  /** `whole`: from the first file on. `previousUrls`: how many there were last time, when that was a whole crawl, too. */
  close(host: string, { whole, previousUrls }: { whole: boolean; previousUrls: number | null }): CrawlReport {
    const errors = [...this.#errors, this.#more(), this.#hostMismatch(host)].filter((one) => one !== null)
    const shrunk = this.#shrunk(whole ? previousUrls : null)
    const empty = whole && errors.length === 0 ? this.#empty() : null
    const warnings = [shrunk ?? empty, this.#moved()].filter((one) => one !== null)
    for (const { code, message } of warnings) this.logger.warn(message, { site: this.siteId, code })
    return {
      totalUrls: this.#totalUrls,
      newUrls: this.#newUrls,
      leftOut: this.#leftOut,
      errors,
      warnings,
      filesRead: this.#filesRead,
      rootsFailed: this.#rootsFailed,
      cutShort: this.#end !== null,
      cursor: this.#end?.cursor ?? null,
    }
  }

  #more(): RunError | null {
    if (this.#unnamed === 0) return null
    return {
      code: 'sitemap_more',
      message: `${this.#unnamed} more files could not be read whole: see the log`,
    }
  }

  #hostMismatch(host: string): RunError | null {
    const others = this.#leftOut.other_host ?? 0
    const [most] = [...this.#otherHosts].sort(([, a], [, b]) => b - a)
    if (most === undefined || others <= this.#totalUrls) return null
    const [name, count] = most
    const message = `${count} of ${this.#totalUrls + others} are on ${name}; set \`host\``
    return {
      code: 'host_mismatch',
      message,
      advice: `this site's host is ${host}: set \`host\` to ${name} if those are its pages`,
    }
  }

  #shrunk(previousUrls: number | null): RunError | null {
    if (previousUrls === null || this.#end !== null || this.#totalUrls * 2 >= previousUrls) return null
    const message = `the sitemap holds ${this.#totalUrls} URLs where it held ${previousUrls}`
    const advice =
      'see whether your site still writes its sitemap whole; nothing that was accepted is forgotten'
    return { code: 'sitemap_shrunk', message, advice }
  }

  #empty(): RunError | null {
    return this.#totalUrls === 0 && this.#end === null ? EMPTY : null
  }

  #moved(): RunError | null {
    if (this.#changed * 2 <= this.#totalUrls) return null
    const message = `the lastmod of ${this.#changed} of ${this.#totalUrls} URLs is new at once`
    const advice =
      'let lastmod say when a page changed, not when the sitemap was written: engines stop trusting it'
    return { code: 'lastmods_moved', message, advice }
  }
}
