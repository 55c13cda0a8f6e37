import type { Budget, Clock, Logger, Sleep } from '../ports'

/** The longest wait an engine may ask of us. */
const MAX_RETRY_AFTER_MS = 600_000

export interface RetryPolicy {
  readonly maxRetries: number
  /** The wait before the next attempt; `nth` counts the earlier failures of this cause, from 0. */
  readonly waitMs: (cause: Again['cause'], nth: number) => number
}

export interface RetryContext {
  readonly clock: Clock
  readonly sleep: Sleep
  readonly budget: Budget
  readonly logger: Logger
  /** For the log: what is being retried. */
  readonly subject: string
  /** Told when a wait begins. */
  readonly onWait?: (again: Again, waitMs: number) => void
}

/** Why an attempt should be repeated. */
export interface Again {
  readonly cause: 'throttled' | 'transient'
  readonly reason: string
  readonly waitMs?: number | undefined
}

export type Attempted<T> =
  | { readonly kind: 'done'; readonly value: T }
  /** Every allowed attempt failed; this is the last one. */
  | { readonly kind: 'exhausted'; readonly value: T; readonly again: Again }
  /** The next wait is longer than the run may still take. */
  | { readonly kind: 'postponed'; readonly value: T; readonly again: Again; readonly notBefore: number }

/** Milliseconds of a Retry-After header (seconds or a date), capped; undefined when it says nothing useful. */
export function retryAfterMs(header: string | null, now: number): number | undefined {
  if (header === null) return undefined
  const wait = /^\d+$/.test(header.trim()) ? Number(header) * 1000 : Date.parse(header) - now
  return Number.isFinite(wait) && wait > 0 ? Math.min(wait, MAX_RETRY_AFTER_MS) : undefined
}

/**
 * The retries of one batch, shared by its requests: those that fail together wait together and count once, so that an
 * engine in trouble is left alone instead of being asked again by everyone in turn.
 */
export class Retries {
  #used = 0
  #cause: Again['cause'] = 'transient'
  #wait: Promise<void> = Promise.resolve()
  readonly #failures = { throttled: 0, transient: 0 }

  constructor(
    private readonly policy: RetryPolicy,
    private readonly context: RetryContext,
  ) {}

  /**
   * Repeats `attempt` while `judge` asks for it, by the policy, within the budget's time. An attempt that has to wait for
   * its turn says when it really starts.
   */
  async run<T>(
    attempt: (started: () => void) => Promise<T>,
    judge: (value: T) => Again | null,
  ): Promise<Attempted<T>> {
    for (;;) {
      let usedBefore = this.#used
      const value = await attempt(() => {
        usedBefore = this.#used
      })
      const again = judge(value)
      if (again === null) return { kind: 'done', value }
      // Another of the batch failed while this one was under way: its wait serves both, unless it is too short.
      const shared = usedBefore < this.#used && (this.#cause === 'throttled' || again.cause === 'transient')
      if (!shared) {
        const { maxRetries } = this.policy
        if (this.#used === maxRetries) return { kind: 'exhausted', value, again }
        const waitMs = Math.max(
          this.policy.waitMs(again.cause, this.#failures[again.cause]),
          again.waitMs ?? 0,
        )
        const { budget, clock } = this.context
        if (waitMs >= budget.msLeft()) {
          return { kind: 'postponed', value, again, notBefore: clock.now() + waitMs }
        }
        this.#begin(again, waitMs)
      }
      await this.#wait
    }
  }

  #begin(again: Again, waitMs: number): void {
    const { logger, sleep, subject, onWait } = this.context
    this.#failures[again.cause]++
    this.#cause = again.cause
    this.#used++
    logger.warn(`${subject}: ${again.reason}, retry ${this.#used}/${this.policy.maxRetries}`, { waitMs })
    onWait?.(again, waitMs)
    this.#wait = sleep(waitMs)
  }
}

/** Repeats one thing on its own. */
export function retry<T>(
  policy: RetryPolicy,
  context: RetryContext,
  attempt: () => Promise<T>,
  judge: (value: T) => Again | null,
): Promise<Attempted<T>> {
  return new Retries(policy, context).run(attempt, judge)
}
