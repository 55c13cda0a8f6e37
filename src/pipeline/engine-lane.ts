import type { Endpoint } from '../channels/channel'
import type { Answer, PendingUrl } from '../domain/outcome'
import { Lane } from '../net/pool'
import { type Attempted, Retries } from '../net/retry'
import { bisect, type Part, refusedAlone } from './bisect'
import type { Books } from './books'
import { EngineFate, type Verdict } from './engine-fate'
import { EngineLog } from './engine-log'
import type { ChannelRunOptions } from './run-channel'

/** A batch is what one log line and one flush speak of: 100 single requests, or one request with many URLs. */
const BATCH_URLS = 100
/** A kill costs at most the marks of this long. */
const MAX_UNSAVED_MS = 10_000

const NOT_SENT: Answer = { outcome: { kind: 'deferred', reason: 'not_sent' }, elapsedMs: 0 }

const STORE_ADVICE =
  'the store takes no writes: look at the allowance of KV (the free plan has 1,000 writes a day)'

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
  readonly fate: EngineFate
  readonly #log: EngineLog
  readonly #lane: Lane

  constructor(private readonly options: EngineLaneOptions) {
    const { channel, site, endpoint, notBefore, clock } = options
    this.fate = new EngineFate(options)
    this.#log = new EngineLog(options)
    this.#lane = new Lane({ ...options, ...channel.pace(site) })
    const until = notBefore[endpoint.address] ?? 0
    if (until > clock.now()) this.fate.postpone({ reason: 'not_before' }, until)
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
        const own: Part<PendingUrl>[] = []
        for await (const part of bisect(request, (some) => this.#attempt(some, retries))) {
          own.push(part)
          parts.push(part)
          await this.#settle(part, request.length > 1)
        }
        this.#rejectForGood(refusedAlone(own))
      })
      const accepted = this.#log.batch(parts, { done: at + batch.length, of: rows.length })
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
    if (marks.failures > 0) this.fate.postpone({ reason: 'marks_not_saved', advice: STORE_ADVICE }, 0)
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
    if (!this.fate.mayBeAsked) return null
    const urls = rows.map(({ url }) => url)
    const attempted = await retries.run(
      async (started) => {
        const answer = await this.#lane.request(() => {
          started()
          // The engine may have been given up while this one waited for its turn.
          return this.fate.isSetAside ? Promise.resolve(NOT_SENT) : submit(endpoint, urls)
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
    const verdict = attempted === null ? this.fate.unsent() : this.fate.judge(attempted, wholeBatch)
    if (verdict.ending === 'accepted') for (const row of rows) marks.accept(row, index)
    if (attempted !== null) this.#log.answered(rows, attempted.value, verdict)
    settled(rows, verdict, attempted?.value ?? null)
    if (attempted?.kind === 'done' && isForGood(attempted.value)) this.#rejectForGood(rows)
    await marks.flushOlderThan(MAX_UNSAVED_MS)
  }

  #rejectForGood(rows: readonly PendingUrl[]): void {
    for (const row of rows) this.options.marks.reject(row, this.options.index)
    this.options.refusedForGood(rows)
  }
}

const isForGood = ({ outcome }: Answer) => outcome.kind === 'rejected' && outcome.scope === 'url'
