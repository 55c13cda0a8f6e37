import { describe, expect, it } from 'vitest'
import { classify } from '../../src/channels/bing/response-policy'

const NOW = Date.UTC(2026, 3, 1)
const judge = (status: number, body: string, retryAfter: string | null = null) =>
  classify({ status, body, retryAfter, now: NOW })
const error = (ErrorCode: number | string, Message = 'ERROR!!! …') => JSON.stringify({ ErrorCode, Message })

const QUOTA = { kind: 'deferred', reason: 'quota' }
const KEY = { kind: 'rejected', scope: 'channel', reason: 'key_refused' }
const SITE = { kind: 'rejected', scope: 'channel', reason: 'site_refused' }
const EGRESS = { kind: 'rejected', scope: 'channel', reason: 'egress_throttled' }
const THROTTLED = { kind: 'retryable', cause: 'throttled', reason: 'throttled' }
const SERVER = { kind: 'retryable', cause: 'transient', reason: 'server_error' }
const BATCH = { kind: 'rejected', scope: 'batch', reason: 'urls_refused' }
const UNREADABLE = { kind: 'retryable', cause: 'transient', reason: 'unreadable_answer' }

describe('what a Bing answer means', () => {
  it.each(['{"d":null}', ' { "d" : null }\n', '{"d":{}}'])('B01 200 with %s is accepted', (body) => {
    expect(judge(200, body)).toEqual({ kind: 'accepted' })
  })

  it.each([
    '',
    '<html>Sign in</html>',
    'OK',
    'null',
    '[]',
    '{}',
    '"d"',
  ])('200 with %s is not an acceptance', (body) => {
    expect(judge(200, body)).toEqual(UNREADABLE)
  })

  it.each([
    ['quota, by text', 400, error(8, 'ERROR!!! Quota remaining for today: 0, Submitted: 100'), QUOTA],
    ['quota, by text inside a 200', 200, error(2, 'Quota remaining for Today: 3'), QUOTA],
    ['quota, in other words', 400, error(2, 'You have exceeded your daily URL submission quota'), QUOTA],
    ['quota, by code', 403, error('ERROR_QUOTA_EXCEEDED'), QUOTA],
    ['B24 key, by number', 400, error(3, 'InvalidApiKey'), KEY],
    ['B24 key, as text', 401, error('ERROR_INVALID_API_KEY'), KEY],
    ['key, deprecated', 400, error(18), KEY],
    ['key, inside a 200', 200, error(3), KEY],
    ['blocked', 400, error(6), SITE],
    ['not verified', 400, error(14, 'NotAuthorized'), SITE],
    ['user not found', 400, error(11), SITE],
    ['throttled user', 400, error(4), THROTTLED],
    ['throttled host', 400, error(5), THROTTLED],
    ['throttled network', 400, error(17), EGRESS],
    ['internal', 400, error(1), SERVER],
    ['unknown', 400, error(2), SERVER],
    ['timeout', 400, error(15), SERVER],
    ['invalid URL', 400, error(7), BATCH],
    ['invalid parameter', 400, error(8), BATCH],
    ['a code nobody knows', 400, error(99), BATCH],
    ['a code nobody knows, from a broken server', 503, error(99), SERVER],
    ['a code nobody knows, with 429', 429, error(99), THROTTLED],
  ])('B02 %s: the body decides before the status', (_, status, body, outcome) => {
    expect(judge(status, body)).toMatchObject(outcome)
  })

  it.each([
    [401, KEY],
    [403, QUOTA],
    [429, THROTTLED],
    [500, { kind: 'retryable', cause: 'transient', reason: 'server_error_500' }],
    [503, { kind: 'retryable', cause: 'transient', reason: 'server_error_503' }],
    [400, { kind: 'rejected', scope: 'batch', reason: 'refused_400' }],
    [404, { kind: 'rejected', scope: 'batch', reason: 'refused_404' }],
    [302, { kind: 'rejected', scope: 'batch', reason: 'refused_302' }],
  ])('a bare %d', (status, outcome) => {
    for (const body of ['', '<html></html>', '{"ErrorCode":0}'])
      expect(judge(status, body)).toMatchObject(outcome)
  })

  it('B02 the engine’s own words go into the record, not without end', () => {
    expect(judge(400, error(7, 'Invalid URL'))).toMatchObject({ detail: 'Invalid URL' })
    expect(judge(400, error(7, 'x'.repeat(5_000)))).toMatchObject({ detail: 'x'.repeat(300) })
  })

  it('B03 429 keeps the wait the engine asks for', () => {
    expect(judge(429, '', '90')).toEqual({ ...THROTTLED, waitMs: 90_000 })
    expect(judge(429, '', null)).toEqual(THROTTLED)
    expect(judge(400, error(4), '7200')).toEqual({ ...THROTTLED, waitMs: 600_000 })
  })

  it('what switches the channel off comes with advice', () => {
    for (const code of [3, 14, 17])
      expect(judge(400, error(code))).toHaveProperty('advice', expect.any(String))
  })
})
