import type { Channel, DailyQuota, QuotaAnswer } from '../channels/channel'
import type { PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import type { Logger, Random } from '../ports'
import type { QuotaManager } from '../records/quota-manager'
import { BEYOND_QUOTA } from './books'
import type { ChannelRun } from './run-channel'
import { UrlSelection } from './select-urls'

export interface QuotaOptions {
  readonly channel: Channel
  readonly site: Site
  readonly run: ChannelRun
  readonly quota: DailyQuota
  /** Of the day, by our own count. */
  readonly left: number
  readonly date: string
  readonly quotas: QuotaManager
  readonly askQuota: () => Promise<QuotaAnswer> | null
  readonly startedAt: number
  readonly random: Random
  readonly logger: Logger
}

/** Keeps the best of all slices while they pass, and sends them when the crawl is over. */
export function withinQuota(options: QuotaOptions) {
  const { channel, site, run, quota, left, date, quotas, startedAt, random, logger } = options
  const selection = new UrlSelection({
    size: left,
    priority: quota.priority,
    random,
    nowSeconds: Math.floor(startedAt / 1000),
  })

  /** The smaller of both counts; ours alone when the engine is not asked or does not say. */
  async function allowed(wanted: number): Promise<number> {
    const answer = wanted === 0 ? null : await options.askQuota()
    if (answer === null) return wanted
    if ('left' in answer) return Math.min(wanted, answer.left)
    const fields = { site: site.id, channel: channel.id, reason: answer.reason }
    logger.warn(`${channel.title} did not tell what is left of its quota: our own count decides`, fields)
    return wanted
  }

  /** Books them as left for another day: considered, and not sent for want of quota. */
  function leave(urls: number): void {
    if (urls === 0) return
    for (const { name } of channel.endpoints(site)) {
      run.books.settle(name, 'deferred', urls, { reason: BEYOND_QUOTA })
    }
    run.urls.deferred += urls
    logger.info('URLs wait for another day', { site: site.id, channel: channel.id, urls })
  }

  return {
    take: async (rows: readonly PendingUrl[]): Promise<void> => selection.add(rows),

    finish: async (): Promise<void> => {
      const chosen = selection.chosen()
      const sent = chosen.slice(0, await allowed(chosen.length))
      if (sent.length === 0 && chosen.length > 0) sayExhausted(logger, channel, site)
      leave(selection.considered - sent.length)
      await run.submit(sent)
      if (run.books.knows('quota')) await quotas.markExhausted(site.id, date)
    },
  }
}

export function sayExhausted(logger: Logger, channel: Channel, site: Site): void {
  logger.info(`${channel.title} quota exhausted, skipping`, { site: site.id })
}
