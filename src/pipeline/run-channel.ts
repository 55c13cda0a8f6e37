import type { Channel, KeyProof, Submitter } from '../channels/channel'
import type { Answer, Ending, PendingUrl, Trouble } from '../domain/outcome'
import type { Site } from '../domain/site'
import { endpointId } from '../marks/fingerprint'
import type { UrlCache } from '../marks/url-cache'
import type { Gate } from '../net/pool'
import type { RetryPolicy } from '../net/retry'
import type { Budget, Clock, Logger, Sleep } from '../ports'
import type { PendingBook } from '../records/pending-urls'
import { Books } from './books'
import type { Verdict } from './engine-fate'
import { EngineLane } from './engine-lane'
import { lookAtKey } from './look-at-key'

export interface ChannelRunOptions {
  readonly channel: Channel
  readonly site: Site
  readonly submit: Submitter
  readonly keyProof: KeyProof | null
  /** The fingerprint of the key that an earlier run found right. */
  readonly keyCheck: string | null
  readonly marks: UrlCache
  readonly pending: PendingBook
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

/** Submits pending URLs to every endpoint of one channel, each at its own pace and with its own fate. */
export class ChannelRun {
  readonly books: Books
  readonly urls: UrlFigures = { accepted: 0, failed: 0, deferred: 0 }
  readonly #lanes: readonly { readonly name: string; readonly address: string; readonly lane: EngineLane }[]
  /** A wrong key file kept everything back. */
  stopped = false
  #keyProof: KeyProof | null
  /** The fingerprint of a key found right in this run. */
  #proven: string | null = null
  #worst = new Map<PendingUrl, Ending>()

  constructor(private readonly options: ChannelRunOptions) {
    const { channel, site } = options
    const endpoints = channel.endpoints(site)
    this.books = new Books(endpoints)
    this.#keyProof = options.keyProof
    this.#lanes = endpoints.map((endpoint, index) => {
      const settled = (rows: readonly PendingUrl[], verdict: Verdict, answer: Answer | null) =>
        this.#settle(endpoint.name, rows, verdict, answer)
      const refusedForGood = (rows: readonly PendingUrl[]) => {
        this.books.rejectedForGood(endpoint.name, rows.length)
        for (const { url } of rows)
          options.pending.settle({ channel: channel.id, engine: endpoint.name, url })
      }
      return {
        ...endpoint,
        lane: new EngineLane({ ...options, endpoint, index, books: this.books, settled, refusedForGood }),
      }
    })
  }

  /** When the channel wants to go on before its schedule, because something had to wait though nothing is wrong with it. */
  get resumeAt(): number | null {
    const times = this.#lanes.map(({ lane }) => lane.fate.resumeAt).filter((time) => time !== null)
    return times.length === 0 ? null : Math.min(...times)
  }

  /** Endpoints that are to be left alone until a moment beyond this run. */
  get notBefore(): Record<string, number> {
    return Object.fromEntries(
      this.#lanes.flatMap(({ address, lane: { fate } }) =>
        fate.notBefore ? [[address, fate.notBefore]] : [],
      ),
    )
  }

  /** What is known of the key after this run: null when it is to be looked at again, undefined when nothing new. */
  get keyCheck(): string | null | undefined {
    if (this.#lanes.some(({ lane }) => lane.fate.keyRefused)) return null
    return this.#proven ?? undefined
  }

  async submit(rows: readonly PendingUrl[]): Promise<void> {
    if (rows.length === 0) return
    const { channel, site, budget, reserve, marks, logger } = this.options
    this.#worst = new Map()
    await this.#lookAtKey()
    const within = this.#withinReach(rows)
    const shares = this.#lanes.map(({ name, lane }, index) => ({
      lane,
      own: this.#inOrder(name, index, within),
    }))
    const submissions = shares.reduce((sum, { own }) => sum + own.length, 0)
    const size = channel.requestSize(site, { urls: within.length, submissions }, budget, reserve)
    logger.info('submitting', {
      site: site.id,
      channel: channel.id,
      urls: rows.length,
      submissions,
      perRequest: size,
    })
    await Promise.all(shares.map(({ lane, own }) => lane.submit(own, size)))
    for (const row of rows) {
      const ending = this.#worst.get(row) ?? 'accepted'
      this.urls[ending === 'rejected' ? 'failed' : ending]++
    }
    await marks.flush()
  }

  /** Before the first submission: a wrong key file seen by us costs a run, seen by an engine it may cost the key. */
  async #lookAtKey(): Promise<void> {
    const proof = this.#keyProof
    if (proof === null) return
    this.#keyProof = null
    const fingerprint = endpointId(proof.subject).toString(16)
    if (fingerprint === this.options.keyCheck) return
    const found = await lookAtKey(proof, this.options)
    if (found.kind === 'right') this.#proven = fingerprint
    this.stopped = found.kind === 'wrong'
    for (const { lane } of this.#lanes) {
      if (found.kind === 'wrong') lane.fate.stop(found.trouble)
      if (found.kind === 'unknown') lane.fate.postpone(found.trouble, found.notBefore)
    }
  }

  /** Those the key file speaks for; the others are refused here, before an engine refuses the whole request for them. */
  #withinReach(rows: readonly PendingUrl[]): readonly PendingUrl[] {
    const { channel, site } = this.options
    const refusal = channel.refusalOf?.(site)
    if (refusal === undefined || refusal === null) return rows
    return rows.filter((row) => {
      const trouble: Trouble | null = refusal(row.url)
      if (trouble === null) return true
      for (const [index, { name }] of this.#lanes.entries()) {
        if (this.#isMissing(row, index)) this.#settle(name, [row], { ending: 'rejected', trouble }, null)
      }
      return false
    })
  }

  #isMissing({ missing }: PendingUrl, index: number): boolean {
    return ((missing[this.options.channel.id] ?? 0) & (1 << index)) !== 0
  }

  /** What this endpoint has not settled: what failed before comes first, what failed too often last. */
  #inOrder(engine: string, index: number, rows: readonly PendingUrl[]): readonly PendingUrl[] {
    const { channel, site, pending } = this.options
    const own = rows.filter((row) => this.#isMissing(row, index))
    // A daily quota has its own order, which the site's owner chose.
    if (pending.isEmpty || channel.quota?.(site) !== undefined) return own
    const rank = ({ url }: PendingUrl) => pending.rank({ channel: channel.id, engine, url })
    return own.toSorted((a, b) => rank(a) - rank(b))
  }

  #settle(
    engine: string,
    rows: readonly PendingUrl[],
    { ending, trouble }: Verdict,
    answer: Answer | null,
  ): void {
    const { pending, channel, clock } = this.options
    this.books.settle(engine, ending, rows.length, trouble)
    const lastAttempt = new Date(clock.now()).toISOString()
    for (const row of rows) {
      const place = { channel: channel.id, engine, url: row.url }
      if (ending === 'accepted') {
        pending.accept(place)
        continue
      }
      this.#worst.set(row, worse(this.#worst.get(row), ending))
      if (ending === 'deferred') pending.defer(place)
      else {
        const reason = trouble?.reason ?? ending
        pending.fail({ ...place, reason, status: answer?.status ?? null, lastAttempt, sent: answer !== null })
      }
    }
  }
}

const SEVERITY: Readonly<Record<Ending, number>> = { accepted: 0, deferred: 1, rejected: 2, failed: 3 }

function worse(known: Ending | undefined, ending: Ending): Ending {
  return known === undefined || SEVERITY[ending] > SEVERITY[known] ? ending : known
}
