import type { PendingUrl } from '../domain/outcome'
import type { HttpClient } from '../net/http-client'
import { createSitemapFileLog } from '../records/sitemap-file-log'
import type { CrawlReport } from '../sitemap/crawl-books'
import { Crawler } from '../sitemap/crawler'
import { KnownFiles } from '../sitemap/known-files'
import { Scanner } from '../sitemap/scanner'
import { RESERVE, reserveFor } from './budget'
import type { Participant } from './open-channels'
import type { RunContext, RunRequest } from './run-site'

const MS_PER_DAY = 86_400_000

export interface SiteCrawl {
  /** Reads the sitemaps and hands out what at least one of the channels still has to submit. */
  run(onSlice: (slice: readonly PendingUrl[]) => Promise<void>): Promise<CrawlReport>
  /** How far it has come, and the file with which another run would go on if this one died. */
  progress(): Pick<CrawlReport, 'totalUrls' | 'newUrls' | 'cursor'>
  /** Keeps what is now known of the files; to be called when everything that could be submitted has been. */
  remember(report: CrawlReport): Promise<void>
}

/** One scan of a site's sitemaps that asks the marks of all its channels. */
export async function openCrawl(
  { site, state, startedAt, channel }: RunRequest,
  { ports, settings, budget }: RunContext,
  client: HttpClient,
  participants: readonly Participant[],
): Promise<SiteCrawl> {
  const { store, logger } = ports
  const log = createSitemapFileLog(store, logger)
  const stored = await log.read(site.id)
  const marksFound = participants.every(({ marks }) => marks.found)
  // Before the first mark is saved: with marks there again the next run would believe it, should this one die half-way.
  if (stored !== null && !marksFound) await log.forget(site.id)
  const files = new KnownFiles({
    stored,
    host: site.host,
    channels: participants.map(({ channel: { id, endpoints } }) => ({
      id,
      endpoints: endpoints(site).map(({ address }) => address),
    })),
    today: Math.floor(startedAt / MS_PER_DAY),
    ttlDays: site.cacheTtlDays,
    marksFound,
  })
  const cursor = state.rounds[channel]?.cursor ?? null
  const last = state.lastExecution
  let crawler: Crawler | null = null
  /** The file before which everything handed out was dealt with. */
  let durable = cursor

  return {
    run(onSlice) {
      const scanner = new Scanner(ports.scanner, {
        siteId: site.id,
        origin: `${new URL(site.sitemapUrl).protocol}//${site.host}`,
        channels: participants.map(({ channel: { id }, marks }) => ({ id, ...marks.image })),
      })
      crawler = new Crawler({
        site,
        scanner,
        files,
        client,
        cursor,
        previousUrls: last === null || last.status === 'checkpointed' ? null : last.totalUrls,
        timeoutMs: settings.sitemapTimeoutMs,
        maxRetries: site.maxRetries,
        retryWaitMs: settings.waits.sitemapRetryMs,
        reserve: RESERVE.ALERT + reserveFor(participants, site),
        retryContext: { ...ports, budget },
        onSlice: async (slice) => {
          const reading = crawler?.progress.cursor ?? null
          await onSlice(slice)
          durable = reading ?? durable
        },
      })
      return crawler.crawl()
    },

    progress: () => ({ totalUrls: 0, newUrls: 0, ...crawler?.progress, cursor: durable }),

    async remember({ cutShort }) {
      const unsettled = new Set(participants.flatMap((participant) => participant.unsettled()))
      const next = files.close(unsettled, !cutShort && cursor === null)
      if (next === null) return
      await log.write(site.id, next).catch(() => {
        // Not worth a failed run: the files are read once more.
        logger.warn('what is known of the sitemap files could not be saved', { site: site.id })
      })
    },
  }
}
