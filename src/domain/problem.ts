/** A failure somebody is told about: a stable code to script against and a sentence to read. */
export interface Problem {
  readonly status: number
  readonly code: string
  readonly detail: string
  readonly field?: string
  /** What to do, where the sentence does not say it. */
  readonly advice?: string
  readonly retryAfterSeconds?: number
  /** What else is wrong with the same thing: whoever mends it wants to know all at once. */
  readonly others?: readonly Problem[]
}

export type Result<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: Problem }

export const ok = <T>(value: T): Result<T> => ({ ok: true, value })
export const fail = (problem: Problem): Result<never> => ({ ok: false, problem })
