import type { SubmissionOutcome } from '../../domain/outcome'
import { retryAfterMs } from '../../net/retry'
import type { EngineAnswer } from '../send-and-judge'

/** An engine that has not fetched the key file yet does so within minutes. */
const KEY_CHECK_WAIT_MS = 120_000

const KEY_ADVICE =
  'check that the key file is at keyLocation, holds nothing but the key, and is reached without a redirect'
export const NO_ENDPOINT_ADVICE = 'set searchEngines to the engine’s IndexNow address'
/** Statuses of a place where nobody takes URLs. */
const NO_ENDPOINT = [404, 405, 410]
const FORMAT_ADVICE = 'check that every URL is on the host of the key file, below its folder, and well formed'

/** Engines that say in words what is wrong with the key, under the status of a bad URL. */
const KEY_TEXT = /\bkey\b/i
const URL_TEXT = /\burls?\b|\bkey ?location\b/i

/** What an engine's answer means for the URLs in it. Pure: no clock, no network. */
export function classify({ status, body, retryAfter, now }: EngineAnswer): SubmissionOutcome {
  if (status >= 200 && status < 300) return { kind: 'accepted' }
  if (status === 429) {
    const waitMs = retryAfterMs(retryAfter, now)
    return {
      kind: 'retryable',
      cause: 'throttled',
      reason: 'throttled',
      ...(waitMs === undefined ? {} : { waitMs }),
    }
  }
  if (status >= 500) return { kind: 'retryable', cause: 'transient', reason: `server_error_${status}` }
  if (status >= 300 && status < 400) {
    const advice = 'the endpoint has moved: set searchEngines to its new address'
    return { kind: 'rejected', scope: 'channel', reason: 'redirected', advice }
  }
  const { code, message, invalidUrls } = errorIn(body)
  if (code === 'SiteVerificationNotCompleted') {
    return { kind: 'deferred', reason: 'key_check_pending', waitMs: KEY_CHECK_WAIT_MS }
  }
  const said = { ...(code === null ? {} : { code, detail: code }) }
  const urls = status === 400 || status === 422
  if (status === 401 || status === 403 || (urls && KEY_TEXT.test(message) && !URL_TEXT.test(message))) {
    return { kind: 'rejected', scope: 'channel', reason: 'key_refused', ...said, advice: KEY_ADVICE }
  }
  const advice = NO_ENDPOINT.includes(status) ? NO_ENDPOINT_ADVICE : FORMAT_ADVICE
  if (urls && invalidUrls.length > 0) {
    return { kind: 'rejected', scope: 'url', named: invalidUrls, reason: 'urls_refused', ...said, advice }
  }
  const reason = urls ? 'urls_refused' : `refused_${status}`
  // Which URL it was is not said, or the request was too large: smaller ones will tell.
  const divisible = urls ? 'urls' : status === 413 ? 'size' : undefined
  return { kind: 'rejected', scope: 'batch', reason, ...said, advice, ...(divisible && { divisible }) }
}

interface EngineError {
  readonly code: string | null
  readonly message: string
  /** The URLs the engine names as bad, at the top or among the details. */
  readonly invalidUrls: readonly string[]
}

function errorIn(body: string): EngineError {
  const value = parsed(body)
  const { errorCode, message, details, invalidUrlList = fieldsOf(details).invalidUrlList } = fieldsOf(value)
  return {
    code: typeof errorCode === 'string' && /^\w{1,64}$/.test(errorCode) ? errorCode : null,
    message: typeof message === 'string' ? message : '',
    invalidUrls: Array.isArray(invalidUrlList) ? invalidUrlList.filter((url) => typeof url === 'string') : [],
  }
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return null
  }
}

const fieldsOf = (value: unknown): Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
