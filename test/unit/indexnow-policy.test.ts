import { describe, expect, it } from 'vitest'
import { classify } from '../../src/channels/indexnow/response-policy'
import { classifyTransport } from '../../src/channels/transport-policy'

const NOW = Date.UTC(2026, 3, 1)
const judge = (status: number, body = '', retryAfter: string | null = null) =>
  classify({ status, body, retryAfter, now: NOW })

describe('what an IndexNow answer means', () => {
  it.each([200, 201, 202, 203, 204])('N11 %d is accepted', (status) => {
    expect(judge(status)).toEqual({ kind: 'accepted' })
  })

  it.each([
    [null, undefined],
    ['90', 90_000],
    [new Date(NOW + 30_000).toUTCString(), 30_000],
    ['86400', 600_000],
    ['soon', undefined],
  ])('N12 429 with Retry-After %s is throttled, and waits %s ms', (retryAfter, waitMs) => {
    expect(judge(429, '', retryAfter)).toStrictEqual({
      kind: 'retryable',
      cause: 'throttled',
      reason: 'throttled',
      ...(waitMs === undefined ? {} : { waitMs }),
    })
  })

  it.each([500, 502, 503, 504, 599])('N13 %d is worth another try', (status) => {
    const reason = `server_error_${status}`
    expect(judge(status)).toEqual({ kind: 'retryable', cause: 'transient', reason })
  })

  it.each([300, 301, 302, 304, 307, 308])('%d means that the engine moved', (status) => {
    expect(judge(status)).toMatchObject({ kind: 'rejected', scope: 'channel', reason: 'redirected' })
    expect(judge(status)).toHaveProperty('advice', expect.stringContaining('new address'))
  })

  it.each([401, 403])('N14 %d is a refused key: nothing more goes there in this run', (status) => {
    expect(judge(status)).toMatchObject({ kind: 'rejected', scope: 'channel', reason: 'key_refused' })
    expect(judge(status)).toHaveProperty('advice', expect.stringContaining('key file'))
    expect(judge(status, '{"errorCode":"UserForbiddedToAccessSite"}')).toMatchObject({
      reason: 'key_refused',
      detail: 'UserForbiddedToAccessSite',
    })
  })

  it.each([400, 422])('N14 %d is a refused request', (status) => {
    expect(judge(status)).toMatchObject({ kind: 'rejected', scope: 'batch', reason: 'urls_refused' })
    expect(judge(status)).toHaveProperty('advice', expect.stringContaining('well formed'))
    expect(judge(status, '{"errorCode" : "InvalidUrl"}')).toMatchObject({ detail: 'InvalidUrl' })
  })

  it.each([404, 405, 410, 413, 418, 499])('%d is refused under its own number', (status) => {
    expect(judge(status)).toMatchObject({ kind: 'rejected', scope: 'batch', reason: `refused_${status}` })
  })

  it.each([
    ['{"invalidUrlList":["https://x.example/a b"]}', ['https://x.example/a b']],
    [
      '{"details":{"invalidUrlList":["https://x.example/1","https://x.example/2"]}}',
      ['https://x.example/1', 'https://x.example/2'],
    ],
    ['{"invalidUrlList":["https://x.example/1",7,null]}', ['https://x.example/1']],
  ])('N14 422 that names URLs is about those: %s', (body, named) => {
    expect(judge(422, body)).toMatchObject({ kind: 'rejected', scope: 'url', reason: 'urls_refused', named })
  })

  it.each([
    '{"invalidUrlList":[]}',
    '{"invalidUrlList":"x"}',
    '{"details":null}',
    '[]',
    '"x"',
  ])('N14 422 that names none is about the request, which may be taken apart: %s', (body) => {
    const outcome = judge(422, body)
    expect(outcome).toMatchObject({ scope: 'batch', divisible: 'urls' })
    expect(outcome).not.toHaveProperty('named')
  })

  it.each([
    ['The key is too short', 'key_refused'],
    ['Invalid key', 'key_refused'],
    [
      'One or more URLs are not related to your site verified through the keylocation parameter',
      'urls_refused',
    ],
    ['The url and key parameters are needed', 'urls_refused'],
    ['keyLocation is not reachable', 'urls_refused'],
    ['The key is not the one at the keyLocation', 'urls_refused'],
    ['The key is not the one at the key location', 'urls_refused'],
    [['The key is too short'], 'urls_refused'],
  ])('N14 422 that says "%s" is %s', (message, reason) => {
    expect(judge(422, JSON.stringify({ message }))).toMatchObject({ reason })
  })

  it('a place where nobody takes URLs comes with the advice to correct the address', () => {
    for (const status of [404, 405, 410]) {
      expect(judge(status)).toHaveProperty('advice', expect.stringContaining('set searchEngines'))
    }
    expect(judge(413)).toHaveProperty('advice', expect.stringContaining('well formed'))
  })

  it('only a request that smaller ones could replace is taken apart', () => {
    expect(judge(413)).toMatchObject({ scope: 'batch', divisible: 'size' })
    for (const status of [404, 405, 410, 418]) expect(judge(status)).not.toHaveProperty('divisible')
    for (const status of [401, 403]) expect(judge(status)).not.toHaveProperty('divisible')
  })

  it('a key that is not checked yet is not a wrong key', () => {
    expect(judge(403, '{"errorCode":"SiteVerificationNotCompleted","message":"…"}')).toEqual({
      kind: 'deferred',
      reason: 'key_check_pending',
      waitMs: 120_000,
    })
  })

  it.each([
    '<html>403</html>',
    '{"errorCode":',
    'null',
    '{"errorCode":7}',
    `{"errorCode":"${'x'.repeat(99)}"}`,
  ])('a body that says nothing changes nothing: %s', (body) => {
    expect(judge(403, body)).toEqual(judge(403))
    expect(judge(403, body)).not.toHaveProperty('code')
  })
})

describe('what no answer means', () => {
  it.each([
    ['budget', { kind: 'deferred', reason: 'budget' }],
    ['guard', { kind: 'rejected', scope: 'channel', reason: 'address_refused' }],
    ['redirects', { kind: 'rejected', scope: 'channel', reason: 'address_refused' }],
    ['network', { kind: 'retryable', cause: 'transient', reason: 'network' }],
    ['timeout', { kind: 'retryable', cause: 'transient', reason: 'timeout' }],
  ] as const)('%s', (reason, outcome) => {
    expect(classifyTransport({ reason })).toEqual(outcome)
  })
})
