import type { BatchFigures } from '../domain/execution-record'
import type { Answer } from '../domain/outcome'

interface Answered extends Answer {
  readonly urls: number
}

/** What the answers to one batch come to. */
export function batchFigures(
  answers: readonly Answered[],
  now: number,
): Omit<BatchFigures, 'channel' | 'engine' | 'number'> {
  const ms = answers.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0)
  const urlsIn = (some: readonly Answered[]) => some.reduce((sum, answer) => sum + answer.urls, 0)
  const good = answers.filter(({ outcome }) => outcome.kind === 'accepted')
  return {
    success: good.length === answers.length,
    urlCount: urlsIn(answers),
    accepted: urlsIn(good),
    statusCode: answers.at(-1)?.status ?? null,
    ...lastComplaint(answers),
    timestamp: new Date(now).toISOString(),
    ms: Math.round(ms / answers.length),
  }
}

/** The engine's own words where it found any, else our reason. */
function lastComplaint(answers: readonly Answer[]): Pick<BatchFigures, 'errorCode' | 'errorMessage'> {
  const outcome = answers.findLast((answer) => answer.outcome.kind !== 'accepted')?.outcome
  if (outcome === undefined || outcome.kind === 'accepted') return {}
  const { code = outcome.reason, detail } = outcome
  return { errorCode: code, ...(detail === undefined ? {} : { errorMessage: detail }) }
}
