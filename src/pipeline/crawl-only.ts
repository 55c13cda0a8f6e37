import type { RunError } from '../domain/execution-record'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { fingerprinter } from '../marks/fingerprint'
import type { HttpClient } from '../net/http-client'
import type { Budget, Ports } from '../ports'
import { Crawler } from '../sitemap/crawler'

export interface CrawlFigures {
  readonly totalUrls: number
  readonly leftOut: Readonly<Record<string, number>>
  readonly errors: readonly RunError[]
  readonly cursor: string | null
}

/** Reads a site's sitemaps from the beginning, asks no marks and hands nothing on. */
export async function crawlOnly(
  site: Site,
  context: {
    readonly ports: Ports
    readonly settings: Settings
    readonly budget: Budget
    readonly client: HttpClient
  },
): Promise<CrawlFigures> {
  const { ports, settings, budget, client } = context
  const crawler = new Crawler({
    // Somebody waits for the answer: a file that fails is told at once.
    site: { ...site, maxRetries: 0 },
    client,
    timeoutMs: settings.sitemapTimeoutMs,
    retryWaitMs: settings.waits.sitemapRetryMs,
    reserve: 0,
    retryContext: { ...ports, budget },
    fingerprint: fingerprinter(site.id),
    missing: () => null,
    cursor: null,
  })
  for await (const _ of crawler.slices()) {
    // Nothing is pending where nothing is missing.
  }
  return crawler.report
}
