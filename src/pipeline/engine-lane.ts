import type { Endpoint } from '../channels/channel'
import type { Answer, Ending, PendingUrl, Trouble } from '../domain/outcome'
import { Lane } from '../net/pool'
import { type Attempted, Retries } from '../net/retry'
import { batchFigures } from './batch-figures'
import { bisect, type Part } from './bisect'
import type { Books } from './books'
import type { ChannelRunOptions } from './run-channel'

/** A batch is what one log line and one flush speak of: 100 single requests, or one request with many URLs. */
const BATCH_URLS = 100
/** A kill costs at most the marks of this long. */
const MAX_UNSAVED_MS = 10_000
/** So many requests in a row that no retry could save mean the engine is down, not that one URL upsets it. */
const FAILURES_OF_A_DEAD_ENGINE = 3

const BUDGET_ADVICE =
  'it goes on by itself at the next tick; to need fewer, split the sitemap, run more often (schedule), set submitMethod to auto or bulk, or raise'

const NOT_SENT: Answer = { outcome: { kind: 'deferred', reason: 'not_sent' }, elapsedMs: 0 }

const STORE_ADVICE =
  'the store takes no writes: look at the allowance of KV (the free plan has 1,000 writes a day)'

export interface Verdict {
  readonly ending: Ending
  readonly trouble?: Trouble
}

export interface EngineLaneOptions extends ChannelRunOptions {
  readonly endpoint: Endpoint
  /** Its place among the channel's endpoints. */
  readonly index: number
  readonly books: Books
  /** Told how URLs ended, with the HTTP status of the answer if they were sent. */
  readonly settled: (rows: readonly PendingUrl[], verdict: Verdict, answer: Answer | null) => void
  /** Told which of them were refused for good. */
  readonly refusedForGood: (rows: readonly PendingUrl[]) => void
}

/** The submissions to one endpoint in one run: its own pace, its own retries, its own fate. */
export class EngineLane {
  /** When this endpoint has a reason to be asked again before the schedule says so: 0 is as soon as possible. */
  resumeAt: number | null = null
  /** Not to be asked before this moment, which lies beyond this run. */
  notBefore: number | null = null
  keyRefused = false
  readonly #lane: Lane
  #batches = 0
  #failuresInARow = 0
  /** Why nothing more is sent there in this run. */
  #setAside: Trouble | null = null
  readonly #complained = new Set<string>()

  constructor(private readonly options: EngineLaneOptions) {
    const { channel, site, endpoint, notBefore, clock } = options
    this.#lane = new Lane({ ...options, ...channel.pace(site) })
    const until = notBefore[endpoint.address] ?? 0
    if (until > clock.now()) this.postpone({ reason: 'not_before' }, until)
  }

  /** Nothing is sent there before that moment, nor by a later run. */
  postpone(trouble: Trouble, until: number): void {
    this.notBefore = until
    this.stop(trouble)
  }

  stop(trouble: Trouble): void {
    this.#setAside = trouble
  }

  async submit(rows: readonly PendingUrl[], size: number): Promise<void> {
    const { clock, batchPauseMs, afterBatch } = this.options
    const perBatch = Math.max(size, BATCH_URLS)
    for (let at = 0; at < rows.length; at += perBatch) {
      const batch = rows.slice(at, at + perBatch)
      const requests = Array.from({ length: Math.ceil(batch.length / size) }, (_, nth) =>
        batch.slice(nth * size, (nth + 1) * size),
      )
      const retries = this.#newRetries()
      const parts: Part<PendingUrl>[] = []
      await this.#lane.each(requests, async (request) => {
        for await (const part of bisect(request, (some) => this.#attempt(some, retries))) {
          parts.push(part)
          await this.#settle(part, request.length > 1)
        }
        this.#rejectIsolated(request, parts)
      })
      const accepted = this.#closeBatch(parts, { done: at + batch.length, of: rows.length })
      if (accepted === null) continue
      this.#lane.pauseUntil(clock.now() + batchPauseMs)
      await this.#save()
      await afterBatch(accepted)
    }
  }

  /** What cannot be remembered would be sent again by every run: better to send no more of it. */
  async #save(): Promise<void> {
    const { marks } = this.options
    await marks.flush()
    if (marks.failures > 0) await marks.flush()
    if (marks.failures > 0) this.postpone({ reason: 'marks_not_saved', advice: STORE_ADVICE }, 0)
  }

  #newRetries(): Retries {
    const { channel, endpoint, policy, clock, marks } = this.options
    return new Retries(policy, {
      ...this.options,
      subject: `${channel.title} ${endpoint.name}`,
      onWait: ({ cause }, waitMs) => {
        this.#lane.pauseUntil(clock.now() + waitMs)
        if (cause === 'throttled') this.#lane.slowDown()
        // Nothing more may come for a minute: what is known until here must not wait that long.
        void marks.flush()
      },
    })
  }

  /** One request with its retries; null when nothing may be sent any more. */
  async #attempt(rows: readonly PendingUrl[], retries: Retries): Promise<Attempted<Answer> | null> {
    const { submit, endpoint, books } = this.options
    if (this.#setAside !== null || this.#spent() !== null) return null
    const urls = rows.map(({ url }) => url)
    const attempted = await retries.run(
      async (started) => {
        const answer = await this.#lane.request(() => {
          started()
          // The engine may have been given up while this one waited for its turn.
          return this.#setAside === null ? submit(endpoint, urls) : Promise.resolve(NOT_SENT)
        })
        if (answer.status !== undefined) books.answered(endpoint.name, answer.elapsedMs)
        return answer
      },
      ({ outcome }) => (outcome.kind === 'retryable' ? outcome : null),
    )
    return attempted.value === NOT_SENT ? null : attempted
  }

  async #settle({ rows, attempted }: Part<PendingUrl>, wholeBatch: boolean): Promise<void> {
    const { settled, marks, index } = this.options
    const verdict = attempted === null ? this.#unsent() : this.#judge(attempted, wholeBatch)
    if (verdict.ending === 'accepted') for (const row of rows) marks.accept(row, index)
    if (attempted !== null) this.#log(rows, attempted.value, verdict)
    settled(rows, verdict, attempted?.value ?? null)
    if (attempted?.kind === 'done' && isForGood(attempted.value)) this.#rejectForGood(rows)
    await marks.flushOlderThan(MAX_UNSAVED_MS)
  }

  /**
   * A URL refused alone while the rest of its request was taken is at fault itself, even if the engine did not name it.
   * Where nothing was taken the fault may be anywhere, and the URL stays pending.
   */
  #rejectIsolated(request: readonly PendingUrl[], parts: readonly Part<PendingUrl>[]): void {
    if (request.length === 1) return
    const own = parts.filter(({ rows }) => rows[0] !== undefined && request.includes(rows[0]))
    if (!own.some(({ attempted }) => outcomeOf(attempted)?.kind === 'accepted')) return
    for (const { rows, attempted } of own) {
      const outcome = outcomeOf(attempted)
      if (outcome?.kind !== 'rejected' || outcome.divisible !== true) continue
      this.#rejectForGood(rows)
    }
  }

  #rejectForGood(rows: readonly PendingUrl[]): void {
    for (const row of rows) this.options.marks.reject(row, this.options.index)
    this.options.refusedForGood(rows)
  }

  /** Which part of the budget ended, or null while there is enough of both. */
  #spent(): 'time' | 'requests' | null {
    const { budget, reserve } = this.options
    if (budget.msLeft() === 0) return 'time'
    return budget.requestsLeft() <= reserve ? 'requests' : null
  }

  #unsent(): Verdict {
    if (this.#setAside !== null) return this.#deferred(this.#setAside)
    const spent = this.#spent()
    if (spent !== null) return this.#outOfBudget(spent)
    return { ending: 'deferred', trouble: { reason: 'too_many_bad_urls' } }
  }

  #deferred(trouble: Trouble): Verdict {
    if (this.notBefore !== null) this.resumeAt = Math.min(this.resumeAt ?? this.notBefore, this.notBefore)
    return { ending: 'deferred', trouble }
  }

  #outOfBudget(spent: 'time' | 'requests'): Verdict {
    this.resumeAt = 0
    const setting = spent === 'time' ? 'RUN_TIME_BUDGET_MS' : 'RUN_REQUEST_BUDGET'
    const detail = `the run's budget of ${spent} is spent`
    return {
      ending: 'deferred',
      trouble: { reason: 'budget', detail, advice: `${BUDGET_ADVICE} ${setting}` },
    }
  }

  #judge(attempted: Attempted<Answer>, wholeBatch: boolean): Verdict {
    if (attempted.kind === 'exhausted') {
      const { reason, cause } = attempted.again
      this.#failuresInARow++
      const dead = wholeBatch || this.#failuresInARow >= FAILURES_OF_A_DEAD_ENGINE
      if (cause === 'throttled' || dead) this.stop({ reason: 'engine_set_aside', detail: reason })
      return { ending: 'failed', trouble: { reason, detail: said(attempted.value) } }
    }
    this.#failuresInARow = 0
    if (attempted.kind === 'postponed') {
      const { reason } = attempted.again
      this.postpone({ reason }, attempted.notBefore)
      return this.#deferred({ reason })
    }
    const { outcome } = attempted.value
    switch (outcome.kind) {
      case 'accepted':
        return { ending: 'accepted' }
      case 'rejected':
        if (outcome.scope === 'channel') {
          this.keyRefused ||= outcome.reason === 'key_refused'
          this.stop({ reason: 'engine_set_aside', detail: outcome.reason })
        }
        return { ending: 'rejected', trouble: outcome }
      case 'deferred': {
        if (outcome.reason === 'budget') return this.#outOfBudget(this.#spent() ?? 'requests')
        if (outcome.waitMs === undefined) this.stop(outcome)
        else this.postpone(outcome, this.options.clock.now() + outcome.waitMs)
        return this.#deferred(outcome)
      }
      case 'retryable':
        throw new Error('a retryable answer ends as exhausted or postponed')
    }
  }

  #log(
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

  /** How many were accepted, or null when nothing was sent. */
  #closeBatch(parts: readonly Part<PendingUrl>[], progress: { done: number; of: number }): number | null {
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

const outcomeOf = (attempted: Attempted<Answer> | null) =>
  attempted?.kind === 'done' ? attempted.value.outcome : null

const isForGood = ({ outcome }: Answer) => outcome.kind === 'rejected' && outcome.scope === 'url'

const said = ({ outcome }: Answer) => ('detail' in outcome ? outcome.detail : undefined)
