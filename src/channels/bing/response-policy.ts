import type { SubmissionOutcome } from '../../domain/outcome'
import { retryAfterMs } from '../../net/retry'
import type { EngineAnswer } from '../send-and-judge'

/** Bing's numeric codes and the texts of its documents, by what they mean for us. */
const KEY = ['3', '18', 'ERROR_INVALID_API_KEY']
const QUOTA = ['ERROR_QUOTA_EXCEEDED']
const ACCOUNT = ['6', '10', '11', '13', '14', '16']
const THROTTLED = ['4', '5']
const EGRESS = ['17']
const SERVER = ['1', '2', '15']
const QUOTA_TEXT = /quota remaining for today|exceeded your daily url submission quota/i

const KEY_ADVICE = 'check bingApiKey in Bing Webmaster Tools'
const ACCOUNT_ADVICE = 'verify the site in Bing Webmaster Tools, or set bingSiteUrl to its address there'
const EGRESS_ADVICE = 'Bing throttles the network this runs in: rely on IndexNow, or run from another network'

/** What Bing's answer means. The body decides before the status: errors come as 400, and even as 200. Pure. */
export function classify({ status, body, retryAfter, now }: EngineAnswer): SubmissionOutcome {
  const { code, message } = errorIn(body)
  const said = message === null ? {} : { detail: message }
  const off = (reason: string, advice: string): SubmissionOutcome => ({
    kind: 'rejected',
    scope: 'channel',
    reason,
    advice,
    ...said,
  })
  const full: SubmissionOutcome = { kind: 'deferred', reason: 'quota' }
  const throttled = (): SubmissionOutcome => {
    const waitMs = retryAfterMs(retryAfter, now)
    return { kind: 'retryable', cause: 'throttled', reason: 'throttled', ...(waitMs ? { waitMs } : {}) }
  }

  if (message !== null && QUOTA_TEXT.test(message)) return full
  if (code !== null) {
    if (QUOTA.includes(code)) return full
    if (KEY.includes(code)) return off('key_refused', KEY_ADVICE)
    if (ACCOUNT.includes(code)) return off('site_refused', ACCOUNT_ADVICE)
    if (EGRESS.includes(code)) return off('egress_throttled', EGRESS_ADVICE)
    if (THROTTLED.includes(code) || status === 429) return throttled()
    if (SERVER.includes(code) || status >= 500) {
      return { kind: 'retryable', cause: 'transient', reason: 'server_error' }
    }
    return { kind: 'rejected', scope: 'batch', reason: 'urls_refused', ...said }
  }
  if (status === 200) {
    // Anything but Bing's own empty success may be a login page or a proxy's greeting: not an acceptance.
    if (/^\s*\{\s*"d"\s*:/.test(body)) return { kind: 'accepted' }
    return { kind: 'retryable', cause: 'transient', reason: 'unreadable_answer' }
  }
  if (status === 401) return off('key_refused', KEY_ADVICE)
  if (status === 403) return full
  if (status === 429) return throttled()
  if (status >= 500) return { kind: 'retryable', cause: 'transient', reason: `server_error_${status}` }
  return { kind: 'rejected', scope: 'batch', reason: `refused_${status}`, ...said }
}

function errorIn(body: string): { code: string | null; message: string | null } {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value !== 'object' || value === null) return { code: null, message: null }
    const code = 'ErrorCode' in value ? String(value.ErrorCode) : null
    const message =
      'Message' in value && typeof value.Message === 'string' ? value.Message.slice(0, 300) : null
    return { code: code === '0' ? null : code, message }
  } catch {
    return { code: null, message: null }
  }
}
