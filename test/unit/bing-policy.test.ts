import { describe, expect, it } from 'vitest'
import { numberOf } from '../../src/channels/bing/error-body'
import { classify } from '../../src/channels/bing/response-policy'

const NOW = Date.UTC(2026, 3, 1)
const judge = (status: number, body: string, retryAfter: string | null = null) =>
  classify({ status, body, retryAfter, now: NOW })
const error = (ErrorCode: number | string, Message?: string) => JSON.stringify({ ErrorCode, Message })

const CLASSES = {
  accepted: { kind: 'accepted' },
  quota: { kind: 'deferred', reason: 'quota' },
  key: { kind: 'rejected', scope: 'channel', reason: 'key_refused', lasting: true },
  site: { kind: 'rejected', scope: 'channel', reason: 'site_refused', lasting: true },
  egress: { kind: 'rejected', scope: 'channel', reason: 'egress_throttled' },
  moved: { kind: 'rejected', scope: 'channel', reason: 'redirected' },
  throttled: { kind: 'retryable', cause: 'throttled', reason: 'throttled' },
  server: { kind: 'retryable', cause: 'transient', reason: 'server_error' },
  down: { kind: 'retryable', cause: 'transient', reason: expect.stringMatching(/^server_error_\d{3}$/) },
  unreadable: { kind: 'retryable', cause: 'transient', reason: 'unreadable_answer' },
  url: { kind: 'rejected', scope: 'url', reason: 'invalid_url' },
  request: { kind: 'rejected', scope: 'batch', reason: 'request_refused' },
  refused: { kind: 'rejected', scope: 'batch', reason: expect.stringMatching(/^refused_\d{3}$/) },
  size: { kind: 'rejected', scope: 'batch', reason: 'too_many_urls', divisible: 'size' },
} as const

type Row = readonly [status: number, body: string, meaning: keyof typeof CLASSES]

const HTML = '<!DOCTYPE html><html><body>The page cannot be found</body></html>'

/** What Bing really answers: HTTP 400, a number, a message that begins with ERROR!!!. */
const REAL: readonly Row[] = [
  [200, '{"d":null}', 'accepted'],
  [200, ' { "d" : null }\n', 'accepted'],
  [200, '{"d":{}}', 'accepted'],
  [200, '{"d":"ok"}', 'accepted'],
  [200, '{"d":null,"Message":" "}', 'accepted'],
  [200, '{"d":null,"ErrorCode":0}', 'accepted'],
  [200, '{"d":null,"ErrorCode":"0"}', 'accepted'],
  [200, '\uFEFF{"d":null}', 'accepted'],
  [400, error(1, 'ERROR!!! InternalError'), 'server'],
  [400, error(2, 'ERROR!!! UnknownError'), 'server'],
  [400, error(2, 'ERROR!!! Something else went wrong'), 'server'],
  [400, error(2, 'ERROR!!! You have exceeded your daily url submission quota : 100'), 'quota'],
  [400, error(8, 'ERROR!!! You have exceeded your daily url submission quota'), 'quota'],
  [400, error(2, 'ERROR!!! Quota remaining for today: 0, Submitted: 100'), 'quota'],
  [400, error(8, 'ERROR!!! Quota remaining for today: 42, Submitted: 100'), 'quota'],
  [400, error(8, 'ERROR!!! Max Urls quota is 500 at a time'), 'size'],
  [400, error(3, 'ERROR!!! InvalidApiKey'), 'key'],
  [400, error(4, 'ERROR!!! ThrottleUser'), 'throttled'],
  [400, error(5, 'ERROR!!! ThrottleHost'), 'throttled'],
  [400, error(6, 'ERROR!!! UserBlocked'), 'site'],
  [400, error(7, 'ERROR!!! InvalidUrl'), 'url'],
  [400, error(8, 'ERROR!!! InvalidParameter'), 'request'],
  [400, error(9, 'ERROR!!! TooManySites'), 'site'],
  [400, error(10, 'ERROR!!! UserNotFound'), 'site'],
  [400, error(11, 'ERROR!!! NotFound'), 'site'],
  [400, error(12, 'ERROR!!! AlreadyExists'), 'request'],
  [400, error(13, 'ERROR!!! NotAllowed'), 'site'],
  [400, error(14, 'ERROR!!! NotAuthorized'), 'site'],
  [400, error(15, 'ERROR!!! UnexpectedState'), 'server'],
  [400, error(16, 'ERROR!!! Deprecated'), 'site'],
  [400, error(17, 'ERROR!!! ThrottleIP'), 'egress'],
  [400, error(18, 'ERROR!!! InvalidToken'), 'key'],
  [400, error(99, 'ERROR!!! SomethingNew'), 'refused'],
  [404, HTML, 'refused'],
  [405, '', 'refused'],
]

/** What the documents say: 401, 403 and 429, codes as text. */
const DOCUMENTED: readonly Row[] = [
  [400, error(2, 'ERROR_INVALID_API_KEY'), 'key'],
  [401, error(2, 'ERROR_INVALID_API_KEY'), 'key'],
  [401, error('ERROR_INVALID_API_KEY', 'Invalid API key'), 'key'],
  [403, error('ERROR_QUOTA_EXCEEDED', 'Daily quota exceeded'), 'quota'],
  [403, error(2, 'ERROR_QUOTA_EXCEEDED'), 'quota'],
  [400, error('ERROR_QUOTA_EXCEEDED', 'Daily quota exceeded'), 'quota'],
  [400, error('ERROR_INVALID_URL', 'Invalid URL'), 'url'],
  [400, error(2, 'ERROR_INVALID_URL'), 'url'],
  [429, error('ERROR_THROTTLE_USER'), 'throttled'],
  [400, error('ERROR_INVALID_PARAMETER'), 'request'],
  [400, error('ERROR_NOT_AUTHORIZED'), 'site'],
]

/** The same, dressed up differently: a number as text, a name as code, the error inside a 200 or inside `d`. */
const VARIANTS: readonly Row[] = [
  [400, error('3', 'ERROR!!! InvalidApiKey'), 'key'],
  [400, error('InvalidApiKey'), 'key'],
  [400, error('17'), 'egress'],
  [400, error(' 17 '), 'egress'],
  [400, error('7'), 'url'],
  [200, error(3, 'ERROR!!! InvalidApiKey'), 'key'],
  [200, error('4', 'ERROR!!! ThrottleUser'), 'throttled'],
  [200, error(2, 'ERROR!!! Quota remaining for today: 3, Submitted: 10'), 'quota'],
  [200, JSON.stringify({ d: { ErrorCode: 14, Message: 'ERROR!!! NotAuthorized' } }), 'site'],
  [200, JSON.stringify({ d: null, ErrorCode: 7, Message: 'ERROR!!! InvalidUrl' }), 'url'],
  [200, error(99, 'ERROR!!! SomethingNew'), 'refused'],
  [400, JSON.stringify({ Message: 'ERROR!!! ThrottleIP' }), 'egress'],
  [429, error(17, 'ERROR!!! ThrottleIP'), 'egress'],
  [429, error(3, 'ERROR!!! InvalidApiKey'), 'key'],
  [403, error(3, 'ERROR!!! InvalidApiKey'), 'key'],
  [403, error(14, 'ERROR!!! NotAuthorized'), 'site'],
  [500, error(3, 'ERROR!!! InvalidApiKey'), 'key'],
  [500, error(2, 'ERROR!!! Quota remaining for today: 0, Submitted: 9'), 'quota'],
  [503, error(99), 'down'],
  [429, error(99), 'throttled'],
  [401, error(99), 'key'],
  [403, error(99), 'quota'],
]

/** Nothing of Bing's own in the body: the status decides. */
const BARE: readonly Row[] = [
  [401, '', 'key'],
  [401, HTML, 'key'],
  [401, '{"Message":"Authorization has been denied for this request."}', 'key'],
  [403, '', 'quota'],
  [403, HTML, 'quota'],
  [429, '', 'throttled'],
  [429, HTML, 'throttled'],
  [400, '', 'refused'],
  [400, '{"ErrorCode":3,"Mess', 'refused'],
  [400, '{"ErrorCode":0}', 'refused'],
  [400, '{"ErrorCode":null}', 'refused'],
  [408, '', 'down'],
  [500, HTML, 'down'],
  [502, HTML, 'down'],
  [503, '{"d":null}', 'down'],
  [504, '', 'down'],
  [300, '{"d":null}', 'moved'],
  [301, '', 'moved'],
  [302, HTML, 'moved'],
  [200, '', 'unreadable'],
  [200, HTML, 'unreadable'],
  [200, 'OK', 'unreadable'],
  [200, 'null', 'unreadable'],
  [200, '[]', 'unreadable'],
  [200, '[{"d":null}]', 'unreadable'],
  [200, '{}', 'unreadable'],
  [200, '"d"', 'unreadable'],
  [200, '{"d":null', 'unreadable'],
  [200, '{"d":null,"Message":"Please sign in"}', 'unreadable'],
  [204, '', 'unreadable'],
]

describe('what a Bing answer means', () => {
  it.each(REAL)('B02 as Bing really speaks: %d %s is %s', (status, body, meaning) => {
    expect(judge(status, body)).toMatchObject(CLASSES[meaning])
  })

  it.each(DOCUMENTED)('B02 as the documents say: %d %s is %s', (status, body, meaning) => {
    expect(judge(status, body)).toMatchObject(CLASSES[meaning])
  })

  it.each(VARIANTS)('B02 the body decides before the status: %d %s is %s', (status, body, meaning) => {
    expect(judge(status, body)).toMatchObject(CLASSES[meaning])
  })

  it.each(BARE)('a bare answer: %d %s is %s', (status, body, meaning) => {
    expect(judge(status, body)).toMatchObject(CLASSES[meaning])
  })

  it('the status of a server’s failure is in its reason', () => {
    expect(judge(502, HTML)).toMatchObject({ reason: 'server_error_502' })
    expect(judge(404, HTML)).toMatchObject({ reason: 'refused_404' })
  })

  it('D14 a quota refusal that says what is left says how many fit', () => {
    expect(judge(400, error(2, 'ERROR!!! Quota remaining for today: 42, Submitted: 100'))).toMatchObject({
      fits: 42,
    })
    expect(judge(400, error(2, 'Quota remaining for today:7'))).toMatchObject({ fits: 7 })
    expect(judge(400, error(2, 'ERROR!!! You have exceeded your daily url submission quota : 100'))).toEqual({
      kind: 'deferred',
      reason: 'quota',
      code: '2',
      detail: 'ERROR!!! You have exceeded your daily url submission quota : 100',
    })
  })

  it('B02 the engine’s own code and words go into the record, not without end', () => {
    expect(judge(400, error(7, 'ERROR!!! InvalidUrl'))).toMatchObject({
      code: '7',
      detail: 'ERROR!!! InvalidUrl',
    })
    expect(judge(400, error(' 7 ', ' ERROR!!! InvalidUrl\n'))).toMatchObject({
      code: '7',
      detail: 'ERROR!!! InvalidUrl',
    })
    expect(judge(400, error(7, 'x'.repeat(5_000)))).toMatchObject({ detail: 'x'.repeat(300) })
    expect(judge(400, error('y'.repeat(5_000)))).toMatchObject({ code: 'y'.repeat(64) })
  })

  it('B03 a throttled answer keeps the wait the engine asks for', () => {
    expect(judge(429, '', '90')).toEqual({ ...CLASSES.throttled, waitMs: 90_000 })
    expect(judge(429, '', null)).toStrictEqual(CLASSES.throttled)
    expect(judge(400, error(4), '7200')).toEqual({ ...CLASSES.throttled, code: '4', waitMs: 600_000 })
  })

  it('what switches the channel off comes with advice', () => {
    for (const code of [3, 14, 17]) {
      expect(judge(400, error(code))).toHaveProperty('advice', expect.any(String))
    }
  })
})

describe('the number behind an error of Bing', () => {
  it.each([
    ['3', 3],
    ['000000003', 3],
    ['None', 0],
    ['UnknownError', 2],
    ['InvalidApiKey', 3],
    ['invalidapikey', 3],
    ['InvalidApiKey.', 3],
    ['ERROR_INVALID_API_KEY', 3],
    ['ERROR!!! InvalidApiKey', 3],
  ])('%s is %d', (text, number) => {
    expect(numberOf(text)).toBe(number)
  })

  // A name inside a sentence is a word like any other.
  it.each([
    '',
    'E3',
    '3 sites',
    '1234567890',
    'SomethingNew',
    'there is no InvalidApiKey',
    'InvalidApiKey is not it',
  ])('%s has none', (text) => {
    expect(numberOf(text)).toBeNull()
  })
})
