import type { Chance } from './chance'

/** What an engine does with a request, whatever is in it. */
export type Weather =
  | 'fine'
  | 'throttled'
  | 'server_error'
  | 'network'
  | 'lost_after_acceptance'
  | 'hang'
  | 'hang_after_acceptance'
  | 'refused_key'
  | 'key_check_pending'
  | 'redirect'
  | 'slow'
  | 'quota_full'
  | 'quota_part'
  | 'unreadable_success'
  | 'error_as_success'
  | 'leaky_error'
  | 'cut_answer'
  | 'other_refusal'
  | 'other_trouble'

export const INDEXNOW_WEATHERS: readonly Weather[] = [
  'throttled',
  'server_error',
  'network',
  'lost_after_acceptance',
  'hang',
  'hang_after_acceptance',
  'refused_key',
  'key_check_pending',
  'redirect',
  'slow',
  'leaky_error',
  'cut_answer',
  'other_refusal',
]

export const BING_WEATHERS: readonly Weather[] = [
  'throttled',
  'server_error',
  'network',
  'lost_after_acceptance',
  'hang',
  'hang_after_acceptance',
  'quota_full',
  'quota_part',
  'unreadable_success',
  'error_as_success',
  'slow',
  'leaky_error',
  'cut_answer',
  'other_refusal',
  'other_trouble',
]

export interface Submission {
  readonly urls: readonly string[]
  readonly badUrls: readonly string[]
  readonly key: string
  readonly chance: Chance
}

export interface EngineReply {
  readonly status: number
  readonly body: string
  readonly headers?: Record<string, string>
  readonly accepts: boolean
  /** The status that says what Bing puts into a code. */
  readonly meant?: number
  /** The URLs that are the reason. */
  readonly refuses?: readonly string[]
  /** It says which ones they are. */
  readonly named?: boolean
}

const json = (status: number, value: unknown, accepts = false): EngineReply => ({
  status,
  body: JSON.stringify(value),
  accepts,
})

/** IndexNow in two dialects: one says in JSON what is wrong, the other says a status. */
export function indexnowReply(dialect: 'json' | 'bare', weather: Weather, given: Submission): EngineReply {
  const { badUrls, chance, key } = given
  const bare = (status: number, text = '') => ({ status, body: text, accepts: false })
  switch (weather) {
    case 'throttled': {
      const headers: Record<string, string> = chance.happens(0.3)
        ? {
            'retry-after': chance.pick(['30', '90', '864000', '-5', 'soon', 'Wed, 21 Oct 2015 07:28:00 GMT']),
          }
        : {}
      return { ...bare(429), headers }
    }
    case 'server_error':
      return bare(chance.pick([500, 502, 503, 504]))
    case 'leaky_error':
      return bare(500, `cannot handle key=${key} at this time`)
    case 'refused_key':
      return dialect === 'json'
        ? json(403, { errorCode: 'UserForbiddedToAccessSite', message: `key ${key} is not valid` })
        : bare(403)
    case 'key_check_pending':
      return json(403, {
        errorCode: 'SiteVerificationNotCompleted',
        message: 'Site Verification is not completed.',
      })
    case 'other_refusal':
      return bare(chance.pick([401, 404, 405, 410, 413, 451]))
    case 'redirect':
      return { ...bare(chance.pick([301, 302, 307])), headers: { location: 'https://elsewhere.example/' } }
    default:
  }
  if (badUrls.length > 0) {
    if (dialect === 'bare') return { ...bare(chance.pick([400, 422])), refuses: badUrls }
    const details = { invalidUrlList: badUrls }
    const reply = json(400, { errorCode: 'InvalidRequestParameters', message: 'invalid urls', details })
    return { ...reply, refuses: badUrls, named: true }
  }
  return { status: chance.pick([200, 202]), body: '', accepts: true }
}

/** Bing as it really answers (400 and a code) and as its documents say (401, 403, 429). */
export function bingReply(
  dialect: 'field' | 'documents',
  weather: Weather,
  left: number,
  { urls, badUrls, key, chance }: Submission,
): EngineReply {
  const fault = (code: number, message: string) => json(400, { ErrorCode: code, Message: message })
  switch (weather) {
    case 'throttled':
      return dialect === 'field'
        ? { ...fault(chance.pick([4, 5]), 'ERROR!!! ThrottleUser'), meant: 429 }
        : { status: 429, body: '', accepts: false }
    case 'server_error':
      return dialect === 'field'
        ? { ...fault(1, 'ERROR!!! InternalError'), meant: 500 }
        : { status: 503, body: '<html>busy</html>', accepts: false }
    case 'leaky_error':
      return { ...fault(1, `ERROR!!! InternalError for apikey=${key}`), meant: 500 }
    case 'refused_key':
      return dialect === 'field'
        ? fault(3, 'ERROR!!! InvalidApiKey')
        : { status: 401, body: '', accepts: false }
    case 'other_refusal':
      return chance.happens(0.2)
        ? { status: 302, body: '', headers: { location: 'https://elsewhere.example/' }, accepts: false }
        : fault(chance.pick([6, 8, 9, 10, 11, 12, 13, 14, 16, 17, 18]), 'ERROR!!! Refused')
    case 'other_trouble':
      return chance.pick<EngineReply>([
        { ...fault(15, 'ERROR!!! Deprecated'), meant: 500 },
        { status: 408, body: '', accepts: false, meant: 500 },
        fault(2, 'ERROR!!! Max urls quota is 1'),
      ])
    case 'unreadable_success':
      return { status: 200, body: chance.pick(['', '<html>Sign in</html>', '{"d":', 'null']), accepts: false }
    case 'error_as_success':
      return json(200, { ErrorCode: 2, Message: 'ERROR!!! UnknownError' })
    default:
  }
  if (urls.length > left) {
    if (dialect === 'documents') return { status: 403, body: '', accepts: false }
    return left > 0 && chance.happens(0.7)
      ? fault(2, `ERROR!!! Quota remaining for today: ${left}, Submitted: ${urls.length}`)
      : fault(2, 'ERROR!!! You have exceeded your daily url submission quota : 100')
  }
  if (badUrls.length > 0) return { ...fault(7, 'ERROR!!! InvalidUrl'), refuses: badUrls }
  return json(200, { d: null }, true)
}
