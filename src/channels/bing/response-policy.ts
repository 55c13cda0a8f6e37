import type { SubmissionOutcome } from '../../domain/outcome'
import { retryAfterMs } from '../../net/retry'
import type { EngineAnswer } from '../send-and-judge'
import { type BingError, numberOf, readErrorBody } from './error-body'

type Meaning = 'account' | 'egress' | 'key' | 'quota' | 'request' | 'server' | 'throttled' | 'url'

/** What Bing's codes mean for us; a code that is not here leaves it to the status. */
const MEANINGS: ReadonlyMap<number, Meaning> = new Map([
  [1, 'server'],
  [3, 'key'],
  [4, 'throttled'],
  [5, 'throttled'],
  [6, 'account'],
  [7, 'url'],
  [8, 'request'],
  [9, 'account'],
  [10, 'account'],
  [11, 'account'],
  [12, 'request'],
  [13, 'account'],
  [14, 'account'],
  [15, 'server'],
  [16, 'account'],
  [17, 'egress'],
  [18, 'key'],
])
/** The code of whatever has no other: only its message says more. */
const UNKNOWN_ERROR = 2

const QUOTA_LEFT = /quota remaining for today:\s*(\d{1,9})/i
const QUOTA_USED_UP =
  /exceeded your daily url submission quota|quota remaining for today|ERROR_QUOTA_EXCEEDED/i
const TOO_MANY_AT_ONCE = /max urls quota is \d+/i

const ADVICE = {
  account: 'verify the site in Bing Webmaster Tools, or set bingSiteUrl to its address there',
  egress: 'Bing throttles the network this runs in: rely on IndexNow, or run from another network',
  key: 'copy the API key from the settings of Bing Webmaster Tools into bingApiKey',
  redirected: 'Bing’s API has moved: set BING_API_BASE to its new address',
  url: 'open the URL: it must belong to the site as Bing Webmaster Tools knows it',
} as const

/** What Bing's answer means. The body decides before the status: errors come as 400, and even as 200. Pure. */
export function classify(answer: EngineAnswer): SubmissionOutcome {
  const error = readErrorBody(answer.body)
  const { code, message } = error
  const said = { ...(code === null ? {} : { code }), ...(message === null ? {} : { detail: message }) }

  const left = QUOTA_LEFT.exec(message ?? '')?.[1]
  if (left !== undefined) return { kind: 'deferred', reason: 'quota', fits: Number(left), ...said }
  if (TOO_MANY_AT_ONCE.test(message ?? '')) {
    return { kind: 'rejected', scope: 'batch', reason: 'too_many_urls', divisible: 'size', ...said }
  }
  const outcome = outcomeOf(meaningOf(error), answer) ?? byStatus(answer, error)
  return outcome.kind === 'accepted' ? outcome : { ...outcome, ...said }
}

function meaningOf({ number, code, message }: BingError): Meaning | null {
  if (QUOTA_USED_UP.test(`${code ?? ''} ${message ?? ''}`)) return 'quota'
  const known = number === null ? undefined : MEANINGS.get(number)
  // A message that is nothing but another error's name: the documents show the key refused that way.
  const named = known ?? MEANINGS.get(numberOf(message ?? '') ?? UNKNOWN_ERROR)
  return named ?? (number === UNKNOWN_ERROR ? 'server' : null)
}

function outcomeOf(meaning: Meaning | null, answer: EngineAnswer): SubmissionOutcome | null {
  switch (meaning) {
    case null:
      return null
    case 'quota':
      return { kind: 'deferred', reason: 'quota' }
    case 'key':
      return { kind: 'rejected', scope: 'channel', reason: 'key_refused', lasting: true, advice: ADVICE.key }
    case 'account':
      return {
        kind: 'rejected',
        scope: 'channel',
        reason: 'site_refused',
        lasting: true,
        advice: ADVICE.account,
      }
    case 'egress':
      return { kind: 'rejected', scope: 'channel', reason: 'egress_throttled', advice: ADVICE.egress }
    case 'throttled': {
      const waitMs = retryAfterMs(answer.retryAfter, answer.now)
      const wait = waitMs === undefined ? {} : { waitMs }
      return { kind: 'retryable', cause: 'throttled', reason: 'throttled', ...wait }
    }
    case 'server':
      return { kind: 'retryable', cause: 'transient', reason: 'server_error' }
    case 'url':
      return { kind: 'rejected', scope: 'url', reason: 'invalid_url', advice: ADVICE.url }
    case 'request':
      return { kind: 'rejected', scope: 'batch', reason: 'request_refused' }
  }
}

/** An answer that does not say what is wrong in Bing's own way. */
function byStatus(answer: EngineAnswer, { success, code }: BingError): SubmissionOutcome {
  const { status } = answer
  const refused: SubmissionOutcome = { kind: 'rejected', scope: 'batch', reason: `refused_${status}` }
  const meant = (meaning: Meaning) => outcomeOf(meaning, answer) ?? refused
  if (status >= 200 && status < 300) {
    if (success) return { kind: 'accepted' }
    if (code !== null) return refused
    // Anything but Bing's own success may be a login page or a proxy's greeting: not an acceptance.
    return { kind: 'retryable', cause: 'transient', reason: 'unreadable_answer' }
  }
  if (status >= 300 && status < 400) {
    return { kind: 'rejected', scope: 'channel', reason: 'redirected', advice: ADVICE.redirected }
  }
  if (status === 401) return meant('key')
  if (status === 403) return meant('quota')
  if (status === 429) return meant('throttled')
  if (status === 408 || status >= 500) {
    return { kind: 'retryable', cause: 'transient', reason: `server_error_${status}` }
  }
  return refused
}
