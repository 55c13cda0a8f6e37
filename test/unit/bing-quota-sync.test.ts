import { describe, expect, it } from 'vitest'
import { askBingQuota } from '../../src/channels/bing/quota-sync'
import type { OutgoingRequest } from '../../src/net/http-client'
import { createHttpClient } from '../../src/net/http-client'
import { createBudget } from '../../src/pipeline/budget'
import { createVirtualClock } from '../support/virtual-clock'

const KEY = '0123456789abcdef0123456789abcdef'

/** What comes of this answer, and the request that asked for it. */
async function ask(answer: () => Promise<Response>) {
  const clock = createVirtualClock(Date.UTC(2025, 0, 15))
  const asked: Pick<OutgoingRequest, 'url'>[] = []
  const client = createHttpClient({
    clock,
    sleep: clock.sleep,
    budget: createBudget(clock, { timeMs: 60_000, requests: 5 }),
    userAgent: 'test',
    allowPrivateNetwork: false,
    fetch: (url) => {
      asked.push({ url })
      return answer()
    },
  })
  const result = await clock.run(
    askBingQuota({
      client,
      clock,
      timeoutMs: 1_000,
      reserve: 0,
      bingApiBase: 'https://ssl.bing.com/webmaster/api.svc/json',
      allowPlainKeyFile: false,
      resolveKey: () => KEY,
      key: KEY,
      siteUrl: 'https://shop.example',
    }),
  )
  return { result, asked }
}

const says = (body: unknown, status = 200) => ask(async () => new Response(JSON.stringify(body), { status }))

describe('asking Bing what is left', () => {
  it('asks GetUrlSubmissionQuota for the site, with the key', async () => {
    const { asked } = await says({ d: { DailyQuota: 1, MonthlyQuota: 1 } })
    expect(asked).toEqual([
      {
        url: `https://ssl.bing.com/webmaster/api.svc/json/GetUrlSubmissionQuota?siteUrl=https%3A%2F%2Fshop.example&apikey=${KEY}`,
      },
    ])
  })

  it.each([
    [{ DailyQuota: 27, MonthlyQuota: 2827 }, 27],
    [{ DailyQuota: 100, MonthlyQuota: 40 }, 40],
    [{ DailyQuota: 0, MonthlyQuota: 40 }, 0],
    [{ DailyQuota: 9 }, 9],
    [{ __type: 'UrlSubmissionQuota:#Microsoft.Bing.Webmaster.Api', DailyQuota: 5, MonthlyQuota: 5 }, 5],
  ])('%j: the smaller of day and month is left', async (d, left) => {
    expect((await says({ d })).result).toEqual({ left })
  })

  it.each([
    [{ ErrorCode: 3, Message: 'ERROR!!! InvalidApiKey' }, 400, 'key_refused'],
    [{ ErrorCode: 3, Message: 'ERROR!!! InvalidApiKey' }, 200, 'key_refused'],
    [{ ErrorCode: 14, Message: 'ERROR!!! NotAuthorized' }, 400, 'site_refused'],
    [{ ErrorCode: 17, Message: 'ERROR!!! ThrottleIP' }, 400, 'egress_throttled'],
    [{ d: null }, 200, 'unreadable_answer'],
    [{ d: { DailyQuota: -1, MonthlyQuota: 5 } }, 200, 'unreadable_answer'],
    [{ d: { DailyQuota: '5', MonthlyQuota: 5 } }, 200, 'unreadable_answer'],
    [{ d: { DailyQuota: 5, MonthlyQuota: 5 } }, 503, 'server_error_503'],
    ['<html>', 200, 'unreadable_answer'],
  ])('%j with %d says nothing: %s', async (body, status, reason) => {
    expect((await says(body, status)).result).toEqual({ reason })
  })

  it('no answer says nothing either', async () => {
    expect((await ask(() => new Promise(() => {}))).result).toEqual({ reason: 'timeout' })
    expect((await ask(() => Promise.reject(new TypeError('reset')))).result).toEqual({ reason: 'network' })
  })
})
