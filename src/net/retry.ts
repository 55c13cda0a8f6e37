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

/** Repeats `attempt` while `judge` asks for it, by the policy, within the budget's time. */
export async function retry<T>(
  policy: RetryPolicy,
  context: RetryContext,
  attempt: () => Promise<T>,
  judge: (value: T) => Again | null,
): Promise<Attempted<T>> {
  const failures = { throttled: 0, transient: 0 }
  for (let retries = 0; ; retries++) {
    const value = await attempt()
    const again = judge(value)
    if (again === null) return { kind: 'done', value }
    if (retries === policy.maxRetries) return { kind: 'exhausted', value, again }

    const waitMs = Math.max(policy.waitMs(again.cause, failures[again.cause]++), again.waitMs ?? 0)
    if (waitMs >= context.budget.msLeft()) {
      return { kind: 'postponed', value, again, notBefore: context.clock.now() + waitMs }
    }
    context.logger.warn(`${context.subject}: ${again.reason}, retry ${retries + 1}/${policy.maxRetries}`, {
      waitMs,
    })
    await context.sleep(waitMs)
  }
}
