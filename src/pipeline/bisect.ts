import type { Answer, SubmissionOutcome } from '../domain/outcome'
import type { Attempted } from '../net/retry'

/** One bad URL among 100 takes at most 15 calls, among 10,000 at most 29. */
const MAX_CALLS = 40

/** URLs that share an ending. */
export interface Part<Row> {
  readonly rows: readonly Row[]
  /** The answer that decides it; null when they were not sent. */
  readonly attempted: Attempted<Answer> | null
}

/**
 * Sends the rows. When that is refused for URLs among them, sends what is left without those the answer names, or else
 * ever smaller halves, until each bad one was refused alone. Every row comes out once, and before anything more is sent.
 * Depth first, so that even where all are bad each run settles some.
 */
export async function* bisect<Row extends { readonly url: string }>(
  all: readonly Row[],
  /** Null when nothing may be sent any more. */
  send: (rows: readonly Row[]) => Promise<Attempted<Answer> | null>,
  maxCalls = MAX_CALLS,
): AsyncGenerator<Part<Row>, void> {
  let calls = 0

  /** Tells whether the rows were accepted as they are. */
  async function* settle(rows: readonly Row[]): AsyncGenerator<Part<Row>, boolean> {
    const attempted = calls++ < maxCalls ? await send(rows) : null
    const outcome = outcomeOf(attempted)
    if (outcome?.kind === 'rejected' && rows.length > 1) {
      const names = new Set(outcome.named)
      const named = rows.filter(({ url }) => names.has(url))
      const others = rows.filter(({ url }) => !names.has(url))
      if (named.length > 0) {
        yield { rows: named, attempted }
        if (others.length > 0) yield* settle(others)
        return false
      }
      if (outcome.scope === 'url' || outcome.divisible !== undefined) {
        yield* halve(rows, outcome.scope === 'url')
        return false
      }
    }
    if (outcome?.kind === 'deferred' && isPartOf(outcome.fits, rows)) {
      yield* settle(rows.slice(0, outcome.fits))
      yield { rows: rows.slice(outcome.fits), attempted }
      return false
    }
    yield { rows, attempted }
    return outcome?.kind === 'accepted'
  }

  /** `oneIsBad`: when the first half is sound, the second need not be asked as a whole again. */
  async function* halve(rows: readonly Row[], oneIsBad: boolean): AsyncGenerator<Part<Row>, void> {
    const middle = Math.ceil(rows.length / 2)
    const sound = yield* settle(rows.slice(0, middle))
    const rest = rows.slice(middle)
    // A single one is asked all the same: nothing is refused for good before it was refused alone.
    if (oneIsBad && sound && rest.length > 1) yield* halve(rest, true)
    else yield* settle(rest)
  }

  yield* settle(all)
}

/**
 * Of the parts of one request those that were refused alone while others were taken: they are at fault themselves, even if
 * the engine did not name them. Where nothing was taken the fault may be anywhere, and one alone is never too large.
 */
export function refusedAlone<Row>(parts: readonly Part<Row>[]): readonly Row[] {
  const ended = parts.map(({ rows, attempted }) => ({ rows, outcome: outcomeOf(attempted) }))
  if (!ended.some(({ outcome }) => outcome?.kind === 'accepted')) return []
  return ended.flatMap(({ rows, outcome }) =>
    outcome?.kind === 'rejected' && outcome.divisible === 'urls' ? rows : [],
  )
}

function outcomeOf(attempted: Attempted<Answer> | null): SubmissionOutcome | null {
  return attempted?.kind === 'done' ? attempted.value.outcome : null
}

function isPartOf(count: number | undefined, rows: readonly unknown[]): count is number {
  return count !== undefined && count > 0 && count < rows.length
}
