import type { Channel, Endpoint } from '../channels/channel'
import type { Answer, PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import type { RetryPolicy } from '../net/retry'
import type { Clock, Logger } from '../ports'
import { batchFigures } from './batch-figures'
import type { Part } from './bisect'
import type { Books } from './books'
import type { Verdict } from './engine-fate'

export interface EngineLogOptions {
  readonly channel: Channel
  readonly site: Site
  readonly endpoint: Endpoint
  readonly policy: RetryPolicy
  readonly books: Books
  readonly clock: Clock
  readonly logger: Logger
}

/** What the log and the record say of the submissions to one endpoint. */
export class EngineLog {
  #batches = 0
  readonly #complained = new Set<string>()

  constructor(private readonly options: EngineLogOptions) {}

  /** One answer, with each URL it speaks of for whoever wants to know everything. */
  answered(
    rows: readonly PendingUrl[],
    { outcome, status, elapsedMs }: Answer,
    { ending, trouble }: Verdict,
  ): void {
    const { logger, channel, site, endpoint, policy } = this.options
    const fields = { site: site.id, channel: channel.id, engine: endpoint.name }
    for (const { url } of rows) {
      logger.debug('url', { ...fields, url, outcome: outcome.kind, status: status ?? null, ms: elapsedMs })
    }
    if ((ending !== 'failed' && ending !== 'rejected') || trouble === undefined) return
    // Once per reason: the books count the rest.
    if (this.#complained.has(trouble.reason)) return
    this.#complained.add(trouble.reason)
    const after = ending === 'failed' ? `, given up after ${policy.maxRetries} retries` : ', not retried'
    logger.error(`${channel.title} ${endpoint.name}: ${trouble.reason}${after}`, {
      ...fields,
      url: rows[0]?.url,
      urls: rows.length,
      status: status ?? null,
      detail: trouble.detail,
      advice: trouble.advice,
    })
  }

  /** One batch, in the log and in the record. Says how many were accepted, or null when nothing was sent. */
  batch(parts: readonly Part<PendingUrl>[], progress: { done: number; of: number }): number | null {
    const { logger, channel, endpoint, site, clock, books } = this.options
    const answers = parts.flatMap(({ rows, attempted }) =>
      attempted === null ? [] : [{ ...attempted.value, urls: rows.length }],
    )
    if (answers.length === 0) return null
    const names = { channel: channel.id, engine: endpoint.name, number: ++this.#batches }
    const batch = { ...names, ...batchFigures(answers, clock.now()) }
    books.batches.push(batch)
    const waits = answers.every(({ outcome }) => outcome.kind === 'deferred')
    const recovered = batch.accepted > 0 || waits ? logger.warn : logger.error
    const log = batch.success ? logger.info : recovered
    log('batch submitted', { site: site.id, ...batch, progress: `${progress.done}/${progress.of}` })
    return batch.accepted
  }
}
