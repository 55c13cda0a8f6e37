import type { SubmissionOutcome } from '../../domain/outcome'
import { retryAfterMs } from '../../net/retry'
import type { EngineAnswer } from '../send-and-judge'

/** An engine that has not fetched the key file yet does so within minutes. */
const KEY_CHECK_WAIT_MS = 120_000

const KEY_ADVICE =
  'check that the key file is at keyLocation, holds nothing but the key, and is reached without a redirect'
const FORMAT_ADVICE = 'check that every URL is on the host of the key file, below its folder, and well formed'

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
  const code = errorCode(body)
  if (code === 'SiteVerificationNotCompleted') {
    return { kind: 'deferred', reason: 'key_check_pending', waitMs: KEY_CHECK_WAIT_MS }
  }
  if (status === 401 || status === 403) {
    return { kind: 'rejected', scope: 'channel', reason: 'key_refused', ...named(code), advice: KEY_ADVICE }
  }
  if (status === 400 || status === 422) {
    return { kind: 'rejected', scope: 'batch', reason: 'urls_refused', ...named(code), advice: FORMAT_ADVICE }
  }
  return { kind: 'rejected', scope: 'batch', reason: `refused_${status}`, advice: FORMAT_ADVICE }
}

function errorCode(body: string): string | null {
  const found = /"errorCode"\s*:\s*"(\w{1,64})"/.exec(body)
  return found?.[1] ?? null
}

const named = (code: string | null): { detail?: string } => (code === null ? {} : { detail: code })
