import type { Answer, Ending, Trouble } from '../domain/outcome'
import type { Attempted } from '../net/retry'
import type { Budget, Clock } from '../ports'

/** So many requests in a row that no retry could save mean the engine is down, not that one URL upsets it. */
const FAILURES_OF_A_DEAD_ENGINE = 3

const BUDGET_ADVICE =
  'it goes on by itself at the next tick; to need fewer, split the sitemap, run more often (schedule), set submitMethod to auto or bulk, or raise'

export interface Verdict {
  readonly ending: Ending
  readonly trouble?: Trouble
}

export interface EngineFateOptions {
  readonly budget: Budget
  readonly clock: Clock
  /** Requests to leave for the channels after this one and the alert. */
  readonly reserve: number
}

/** What becomes of one endpoint in this run, and of the URLs it was, or was not, asked about. Sends nothing. */
export class EngineFate {
  /** When this endpoint has a reason to be asked again before the schedule says so: 0 is as soon as possible. */
  resumeAt: number | null = null
  /** Not to be asked before this moment, which lies beyond this run. */
  notBefore: number | null = null
  keyRefused = false
  #failuresInARow = 0
  /** Why nothing more is sent there in this run. */
  #setAside: Trouble | null = null

  constructor(private readonly options: EngineFateOptions) {}

  get isSetAside(): boolean {
    return this.#setAside !== null
  }

  /** Whether another request may be made there. */
  get mayBeAsked(): boolean {
    return this.#setAside === null && this.#spent() === null
  }

  /** Nothing is sent there before that moment, nor by a later run. */
  postpone(trouble: Trouble, until: number): void {
    this.notBefore = until
    this.stop(trouble)
  }

  stop(trouble: Trouble): void {
    this.#setAside = trouble
  }

  /** Of URLs that were not sent. */
  unsent(): Verdict {
    if (this.#setAside !== null) return this.#deferred(this.#setAside)
    const spent = this.#spent()
    if (spent !== null) return this.#outOfBudget(spent)
    return { ending: 'deferred', trouble: { reason: 'too_many_bad_urls' } }
  }

  /** Of URLs that were sent; what the engine says may also end its part of the run. */
  judge(attempted: Attempted<Answer>, wholeBatch: boolean): Verdict {
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
    return this.#judgeAnswer(attempted.value)
  }

  #judgeAnswer({ outcome }: Answer): Verdict {
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

  /** Which part of the budget ended, or null while there is enough of both. */
  #spent(): 'time' | 'requests' | null {
    const { budget, reserve } = this.options
    if (budget.msLeft() === 0) return 'time'
    return budget.requestsLeft() <= reserve ? 'requests' : null
  }
}

const said = ({ outcome }: Answer) => ('detail' in outcome ? outcome.detail : undefined)
