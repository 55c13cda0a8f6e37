import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import type { HttpClient } from '../net/http-client'
import type { Budget, Ports } from '../ports'
import type { CrawlReport } from '../sitemap/crawl-books'
import { Crawler } from '../sitemap/crawler'
import { KnownFiles } from '../sitemap/known-files'
import { Scanner } from '../sitemap/scanner'

export interface CrawlOnlyContext {
  readonly ports: Ports
  readonly settings: Settings
  readonly budget: Budget
  readonly client: HttpClient
}

/** Reads a site's sitemaps from the beginning, asks no marks, hands nothing on and remembers nothing. */
export function crawlOnly(site: Site, context: CrawlOnlyContext): Promise<CrawlReport> {
  const { ports, settings, budget, client } = context
  const { host, sitemapUrl } = site
  return new Crawler({
    site,
    client,
    scanner: new Scanner(ports.scanner, {
      siteId: site.id,
      origin: `${new URL(sitemapUrl).protocol}//${host}`,
      channels: [],
    }),
    files: new KnownFiles({ stored: null, host, channels: [], ttlDays: 0, today: 0, marksFound: false }),
    cursor: null,
    previousUrls: null,
    timeoutMs: settings.sitemapTimeoutMs,
    // Somebody waits for the answer: a file that fails is told at once.
    maxRetries: 0,
    retryWaitMs: settings.waits.sitemapRetryMs,
    reserve: 0,
    retryContext: { ...ports, budget },
    onSlice: async () => {},
  }).crawl()
}
