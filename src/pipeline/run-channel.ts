import type { Channel, Endpoint, Submitter } from '../channels/channel'
import type { BatchFigures } from '../domain/execution-record'
import type { Answer, Ending, PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import type { UrlCache } from '../marks/url-cache'
import { type Gate, Lane } from '../net/pool'
import { type Attempted, type RetryPolicy, retry } from '../net/retry'
import type { Budget, Clock, Logger, Sleep } from '../ports'
import { bisect } from './bisect'
import { Books, type Trouble } from './books'

/** A batch is what one log line and one flush speak of: 100 single requests, or one request with many URLs. */
const BATCH_URLS = 100
/** A kill costs at most the marks of this long. */
const MAX_UNSAVED_MS = 10_000
/** So many requests in a row that no retry could save mean the engine is down, not that one URL upsets it. */
const FAILURES_OF_A_DEAD_ENGINE = 3

export interface ChannelRunOptions {
  readonly channel: Channel
  readonly site: Site
  readonly submit: Submitter
  readonly marks: UrlCache
  readonly budget: Budget
  readonly gate: Gate
  readonly clock: Clock
  readonly sleep: Sleep
  readonly logger: Logger
  readonly policy: RetryPolicy
  readonly batchPauseMs: number
  /** Requests to leave for the channels after this one and the alert. */
  readonly reserve: number
  /** Per endpoint address, from earlier runs. */
  readonly notBefore: Readonly<Record<string, number>>
  /** Told after each batch how many of its URLs were accepted. */
  readonly afterBatch: (accepted: number) => Promise<void>
}

/** How the URLs of a channel ended, an URL counting once however many endpoints heard of it. */
export interface UrlFigures {
  accepted: number
  failed: number
  deferred: number
}

interface Answered extends Answer {
  readonly urls: number
}

interface EndpointLane {
  readonly endpoint: Endpoint
  readonly bit: number
  readonly lane: Lane
  batches: number
  failuresInARow: number
  /** Why nothing more is sent there in this run. */
  setAside: Trouble | null
}

/** Submits pending URLs to every endpoint of one channel, each at its own pace and with its own fate. */
export class ChannelRun {
  readonly books: Books
  readonly urls: UrlFigures = { accepted: 0, failed: 0, deferred: 0 }
  /** Endpoints that asked to be left alone until a moment beyond this run. */
  readonly notBefore: Record<string, number> = {}
  /** True once something had to wait for a later run though nothing was wrong with it. */
  checkpointed = false
  readonly #lanes: readonly EndpointLane[]

  constructor(private readonly options: ChannelRunOptions) {
    const { channel, site, gate, clock, sleep } = options
    const endpoints = channel.endpoints(site)
    this.books = new Books(endpoints)
    this.#lanes = endpoints.map((endpoint, index) => {
      const lane = new Lane({ ...channel.pace(site), gate, clock, sleep })
      return {
        endpoint,
        bit: 1 << index,
        lane,
        batches: 0,
        failuresInARow: 0,
        setAside: this.#resting(endpoint),
      }
    })
  }

  async submit(rows: readonly PendingUrl[]): Promise<void> {
    if (rows.length === 0) return
    const { channel, site, budget, reserve, marks, logger } = this.options
    const size = channel.requestSize(site, rows.length, budget, reserve)
    const worst = new Map<PendingUrl, Ending>()
    const shares = this.#lanes.map((lane) => ({
      lane,
      own: rows.filter(({ missing }) => ((missing[channel.id] ?? 0) & lane.bit) !== 0),
    }))
    const submissions = shares.reduce((sum, { own }) => sum + own.length, 0)
    logger.info('submitting', {
      site: site.id,
      channel: channel.id,
      urls: rows.length,
      submissions,
      perRequest: size,
    })
    await Promise.all(shares.map(({ lane, own }) => this.#submitTo(lane, own, size, worst)))
    for (const row of rows) {
      const ending = worst.get(row) ?? 'accepted'
      this.urls[ending === 'rejected' ? 'failed' : ending]++
    }
    await marks.flush()
  }

  async #submitTo(
    lane: EndpointLane,
    rows: readonly PendingUrl[],
    size: number,
    worst: Map<PendingUrl, Ending>,
  ): Promise<void> {
    const { marks, sleep, batchPauseMs, afterBatch } = this.options
    for (let at = 0; at < rows.length; at += Math.max(size, BATCH_URLS)) {
      const batch = rows.slice(at, at + Math.max(size, BATCH_URLS))
      const answers: Answered[] = []
      const requests = Array.from({ length: Math.ceil(batch.length / size) }, (_, nth) =>
        batch.slice(nth * size, (nth + 1) * size),
      )
      await lane.lane.each(requests, (request) => this.#send(lane, request, answers, worst))
      if (answers.length === 0) continue
      const { accepted } = this.#closeBatch(lane, answers)
      await marks.flush()
      await afterBatch(accepted)
      if (at + batch.length < rows.length && lane.setAside === null) await sleep(batchPauseMs)
    }
  }

  async #send(
    lane: EndpointLane,
    rows: readonly PendingUrl[],
    answers: Answered[],
    worst: Map<PendingUrl, Ending>,
  ): Promise<void> {
    for await (const part of bisect(rows, (some) => this.#attempt(lane, some))) {
      const { attempted } = part
      if (attempted !== null) {
        answers.push({ ...attempted.value, urls: part.rows.length })
        this.#logUrls(lane, part.rows, attempted.value)
      }
      const { ending, trouble } =
        attempted === null ? this.#unsent(lane) : this.#judge(lane, part.rows, attempted)
      this.books.settle(lane.endpoint.name, ending, part.rows.length, trouble)
      if (ending !== 'accepted') for (const row of part.rows) worst.set(row, worse(worst.get(row), ending))
      await this.options.marks.flushOlderThan(MAX_UNSAVED_MS)
    }
  }

  /** One request with its retries; null when nothing may be sent any more. */
  async #attempt(lane: EndpointLane, rows: readonly PendingUrl[]): Promise<Attempted<Answer> | null> {
    const { policy, clock, sleep, budget, logger, submit, channel } = this.options
    if (lane.setAside !== null || this.#isSpent()) return null
    return retry(
      policy,
      { clock, sleep, budget, logger, subject: `${channel.title} ${lane.endpoint.name}` },
      async () => {
        const answer = await lane.lane.request(() =>
          submit(
            lane.endpoint,
            rows.map(({ url }) => url),
          ),
        )
        if (answer.status !== undefined) this.books.answered(lane.endpoint.name, answer.elapsedMs)
        return answer
      },
      ({ outcome }) => (outcome.kind === 'retryable' ? outcome : null),
    )
  }

  #isSpent(): boolean {
    const { budget, reserve } = this.options
    return budget.requestsLeft() <= reserve || budget.msLeft() === 0
  }

  #unsent(lane: EndpointLane): { ending: Ending; trouble: Trouble } {
    if (lane.setAside !== null) return { ending: 'deferred', trouble: lane.setAside }
    if (!this.#isSpent()) return { ending: 'deferred', trouble: { reason: 'too_many_bad_urls' } }
    this.checkpointed = true
    return { ending: 'deferred', trouble: { reason: 'budget' } }
  }

  #judge(
    lane: EndpointLane,
    rows: readonly PendingUrl[],
    attempted: Attempted<Answer>,
  ): { ending: Ending; trouble?: Trouble } {
    const index = this.#lanes.indexOf(lane)
    const { marks } = this.options
    if (attempted.kind === 'exhausted') {
      const { reason, cause } = attempted.again
      lane.failuresInARow++
      if (cause === 'throttled' || lane.failuresInARow >= FAILURES_OF_A_DEAD_ENGINE) setAside(lane, reason)
      return { ending: 'failed', trouble: { reason } }
    }
    lane.failuresInARow = 0
    if (attempted.kind === 'postponed')
      return this.#postpone(lane, attempted.again.reason, attempted.notBefore)
    const { outcome } = attempted.value
    switch (outcome.kind) {
      case 'accepted':
        for (const row of rows) marks.accept(row, index)
        return { ending: 'accepted' }
      case 'rejected':
        if (outcome.scope === 'url') for (const row of rows) marks.reject(row, index)
        if (outcome.scope === 'channel') setAside(lane, outcome.reason)
        return { ending: 'rejected', trouble: outcome }
      case 'deferred': {
        if (outcome.waitMs === undefined) {
          if (outcome.reason === 'budget') this.checkpointed = true
          else lane.setAside = { reason: outcome.reason }
          return { ending: 'deferred', trouble: outcome }
        }
        return this.#postpone(lane, outcome.reason, this.options.clock.now() + outcome.waitMs)
      }
      case 'retryable':
        throw new Error('a retryable answer ends as exhausted or postponed')
    }
  }

  #postpone(lane: EndpointLane, reason: string, notBefore: number): { ending: Ending; trouble: Trouble } {
    this.checkpointed = true
    this.notBefore[lane.endpoint.address] = notBefore
    lane.setAside = { reason }
    return { ending: 'deferred', trouble: { reason } }
  }

  #resting({ address }: Endpoint): Trouble | null {
    const { notBefore, clock } = this.options
    const until = notBefore[address] ?? 0
    if (until <= clock.now()) return null
    this.checkpointed = true
    this.notBefore[address] = until
    return { reason: 'not_before' }
  }

  #logUrls(lane: EndpointLane, rows: readonly PendingUrl[], { outcome, status, elapsedMs }: Answer): void {
    const { logger, channel, site } = this.options
    for (const { url } of rows) {
      const fields = { site: site.id, channel: channel.id, engine: lane.endpoint.name, url }
      logger.debug('url', { ...fields, outcome: outcome.kind, status: status ?? null, ms: elapsedMs })
    }
  }

  #closeBatch(lane: EndpointLane, answers: readonly Answered[]): BatchFigures {
    const { logger, channel, site, clock } = this.options
    const ms = answers.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)
    const urlsIn = (some: readonly Answered[]) => some.reduce((sum, answer) => sum + answer.urls, 0)
    const good = answers.filter(({ outcome }) => outcome.kind === 'accepted')
    const batch = {
      channel: channel.id,
      engine: lane.endpoint.name,
      number: ++lane.batches,
      success: good.length === answers.length,
      urlCount: urlsIn(answers),
      accepted: urlsIn(good),
      statusCode: answers.at(-1)?.status ?? null,
      ...lastComplaint(answers),
      timestamp: new Date(clock.now()).toISOString(),
      ms: Math.round(ms / answers.length),
    }
    this.books.batches.push(batch)
    const waits = answers.every(({ outcome }) => outcome.kind === 'deferred')
    const recovered = batch.accepted > 0 || waits ? logger.warn : logger.error
    const log = batch.success ? logger.info : recovered
    log('batch submitted', { site: site.id, ...batch })
    return batch
  }
}

/** The engine's own words where it found any, else our reason. */
function lastComplaint(answers: readonly Answer[]): Pick<BatchFigures, 'errorCode' | 'errorMessage'> {
  const outcome = answers.findLast((answer) => answer.outcome.kind !== 'accepted')?.outcome
  if (outcome === undefined || outcome.kind === 'accepted') return {}
  const { code = outcome.reason, detail } = outcome
  return { errorCode: code, ...(detail === undefined ? {} : { errorMessage: detail }) }
}

function setAside(lane: EndpointLane, why: string): void {
  lane.setAside = { reason: 'engine_set_aside', detail: why }
}

const SEVERITY: Readonly<Record<Ending, number>> = { accepted: 0, deferred: 1, rejected: 2, failed: 3 }

function worse(known: Ending | undefined, ending: Ending): Ending {
  return known === undefined || SEVERITY[ending] > SEVERITY[known] ? ending : known
}
