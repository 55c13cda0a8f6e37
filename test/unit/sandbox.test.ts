import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Sandbox } from '../../sandbox/sandbox'
import { startSandbox } from '../../sandbox/sandbox'
import type { World } from '../../sandbox/sandbox-client'
import { createWorld } from '../../sandbox/sandbox-client'
import type { SandboxFactory } from '../../sandbox/sandbox-factory'
import { startSandboxFactory } from '../../sandbox/sandbox-factory'

let factory: SandboxFactory
let world: World

beforeAll(async () => {
  factory = await startSandboxFactory()
  world = await createWorld(factory.url)
})
beforeEach(() => world.reset())
afterAll(() => factory.close())

const get = async (path: string) => (await fetch(world.origin + path)).text()
const page = (path = '/blog/post-2') => world.origin + path
const host = () => new URL(world.origin).host
const locations = (xml: string) => [...xml.matchAll(/<loc>(.*?)<\/loc>/g)].map((match) => match[1] ?? '')
const CHILDREN = ['/sitemap-pages.xml', '/sitemap-blog.xml', '/sitemap-products.xml.gz', '/sitemap-news.xml']

async function childXml(path: string): Promise<string> {
  const bytes = Buffer.from(await (await fetch(world.origin + path)).arrayBuffer())
  return path.endsWith('.gz') ? gunzipSync(bytes).toString() : bytes.toString()
}

async function allXml(): Promise<string> {
  return (await Promise.all(CHILDREN.map(childXml))).join('\n')
}

function postIndexNow(body: object | string, engine: 'a' | 'b' = 'a'): Promise<Response> {
  const payload = typeof body === 'string' ? body : JSON.stringify(body)
  const headers = { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'sandbox-test' }
  return fetch(world.engines[engine], { method: 'POST', headers, body: payload })
}

const submission = (change: object = {}) => ({ host: host(), key: world.key, urlList: [page()], ...change })

function getIndexNow(query: Record<string, string>, engine: 'a' | 'b' = 'a'): Promise<Response> {
  return fetch(`${world.engines[engine]}?${new URLSearchParams(query)}`)
}

function postBing(
  urls: readonly string[],
  change: { apikey?: string; method?: string; siteUrl?: string } = {},
) {
  const { apikey = world.bingKey, method = 'SubmitUrlbatch', siteUrl = world.origin } = change
  const body = JSON.stringify({ siteUrl, urlList: urls, url: urls[0] })
  return fetch(`${world.bingApiBase}/${method}?apikey=${apikey}`, { method: 'POST', body })
}

async function bingQuota(): Promise<unknown> {
  const query = new URLSearchParams({ siteUrl: world.origin, apikey: world.bingKey })
  return (await fetch(`${world.bingApiBase}/GetUrlSubmissionQuota?${query}`)).json()
}

const manyUrls = (count: number) => Array.from({ length: count }, (_, index) => page(`/many/${index}`))

async function seen(response: Promise<Response>): Promise<[number, string]> {
  const answer = await response
  return [answer.status, /"errorCode":"(\w+)"/.exec(await answer.text())?.[1] ?? '']
}

const both = async (response: Promise<Response>) => {
  const answer = await response
  return { status: answer.status, body: await answer.json() }
}

describe('pretend site', () => {
  it('lists 500 distinct URLs of its own over four children, one of them gzipped', async () => {
    expect(locations(await get('/sitemap.xml'))).toEqual(CHILDREN.map((child) => world.origin + child))
    const urls = locations(await allXml())
    expect(urls).toHaveLength(500)
    expect(new Set(urls).size).toBe(500)
    expect(urls.every((url) => url.startsWith(`${world.origin}/`))).toBe(true)
    const gz = await fetch(page('/sitemap-products.xml.gz'))
    expect(gz.headers.get('content-type')).toBe('application/gzip')
    expect(gz.headers.get('content-encoding')).toBeNull()
  })

  it('dates its pages in three forms, all in the first half of 2026', async () => {
    const dates = [...(await allXml()).matchAll(/<lastmod>(.*?)<\/lastmod>/g)].map((match) => match[1] ?? '')
    expect(dates).toHaveLength(500)
    for (const form of [/^\d{4}-\d\d-\d\d$/, /T[\d:]{8}Z$/, /T[\d:]{8}\+02:00$/])
      expect(dates.filter((date) => form.test(date)).length).toBeGreaterThan(100)
    const times = dates.map((date) => Date.parse(date))
    expect(Math.min(...times)).toBeGreaterThanOrEqual(Date.UTC(2026, 0, 1))
    expect(Math.max(...times)).toBeLessThan(Date.UTC(2026, 6, 1))
  })

  it('serves robots.txt, the bare key, pages, and 404 for the rest', async () => {
    expect(await get('/robots.txt')).toContain(`Sitemap: ${world.sitemapUrl}`)
    expect(await get(`/${world.key}.txt`)).toBe(world.key)
    expect(await get('/sitemap-pages.xml')).toContain('?id=1&amp;lang=en</loc>')
    const statuses = [
      '/pages/view?id=1&lang=en',
      '/news/story-4',
      '/news/story-3',
      '/blog/post-502',
      '/x',
    ].map(async (path) => (await fetch(page(path))).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 404, 404, 404])
  })

  it('can be changed while it runs, and reset', async () => {
    const before = await allXml()
    await world.site({
      pages: 510,
      touch: [{ page: '/blog/post-2', lastmod: '2026-07-01' }],
      overrides: { '/raw': { status: 418, bodyBase64: 'AP8=', headers: { 'x-raw': 'yes' } } },
    })
    expect(locations(await allXml())).toHaveLength(510)
    expect(await get('/sitemap-blog.xml')).toContain('post-2</loc><lastmod>2026-07-01</lastmod>')
    const raw = await fetch(page('/raw'))
    expect([raw.status, raw.headers.get('x-raw')]).toEqual([418, 'yes'])
    expect([...new Uint8Array(await raw.arrayBuffer())]).toEqual([0, 255])
    await world.site({ overrides: { '/raw': null, '/sitemap.xml': { body: '<broken' } } })
    expect((await fetch(page('/raw'))).status).toBe(404)
    expect(await get('/sitemap.xml')).toBe('<broken')
    await world.reset()
    expect(await allXml()).toBe(before)
  })
})

describe('pretend IndexNow engine', () => {
  it('answers 202 to a new key and 200 afterwards; engine b always 200', async () => {
    expect(await seen(postIndexNow(submission()))).toEqual([202, ''])
    expect(await seen(getIndexNow({ url: page(), key: world.key }))).toEqual([200, ''])
    expect(await seen(postIndexNow(submission(), 'b'))).toEqual([200, ''])
  })

  it('accepts http and https URLs, query strings and exactly 10,000 URLs', async () => {
    const https = page().replace('http:', 'https:')
    const urlList = [https, page('/pages/view?id=1&lang=en'), ...manyUrls(9_998)]
    expect((await postIndexNow(submission({ urlList }))).status).toBe(202)
    expect((await world.ledger('a')).acceptedCount).toBe(10_000)
  })

  it.each<[string, () => object | string, number]>([
    ['no JSON', () => 'nonsense', 400],
    ['no host', () => submission({ host: undefined }), 400],
    ['no key', () => submission({ key: undefined }), 400],
    ['no list', () => submission({ urlList: undefined }), 400],
    ['a short key', () => submission({ key: 'short' }), 422],
    ['a long key', () => submission({ key: 'a'.repeat(129) }), 422],
    ['a key with other characters', () => submission({ key: 'under_scored_key' }), 422],
    ['an empty list', () => submission({ urlList: [] }), 422],
    ['10,001 URLs', () => submission({ urlList: manyUrls(10_001) }), 422],
    ['a space', () => submission({ urlList: [page('/a b')] }), 422],
    ['a letter outside ASCII', () => submission({ urlList: [page('/é')] }), 422],
    ['a stray percent sign', () => submission({ urlList: [page('/100%')] }), 422],
    ['no URL at all', () => submission({ urlList: ['/relative'] }), 422],
    ['something that is not text', () => submission({ urlList: [null] }), 422],
    ['another host in the list', () => submission({ urlList: ['http://other.example/'] }), 422],
    ['another port in the list', () => submission({ urlList: ['http://127.0.0.1:1/'] }), 422],
    ['another host member', () => submission({ host: 'other.example' }), 422],
  ])('refuses a POST with %s', async (_name, body, status) => {
    expect(await seen(postIndexNow(body()))).toEqual([status, 'InvalidRequestParameters'])
    expect((await world.ledger('a')).acceptedCount).toBe(0)
  })

  it('refuses a GET without url or key, and other methods', async () => {
    expect(await seen(getIndexNow({ key: world.key }))).toEqual([400, 'InvalidRequestParameters'])
    expect(await seen(getIndexNow({ url: page() }))).toEqual([400, 'InvalidRequestParameters'])
    expect(await seen(getIndexNow({ url: page('/a b'), key: world.key }))).toEqual([
      422,
      'InvalidRequestParameters',
    ])
    expect((await fetch(world.engines.a, { method: 'PUT' })).status).toBe(405)
  })

  it('looks for the key in the key file', async () => {
    await world.site({ keyFile: 'missing' })
    expect(await seen(postIndexNow(submission()))).toEqual([403, 'KeyNotFound'])
    await world.site({ keyFile: 'wrong' })
    expect(await seen(postIndexNow(submission()))).toEqual([403, 'InvalidKey'])
    await world.site({ keyFile: 'ok' })
    expect(await seen(postIndexNow(submission({ key: 'a-key-nobody-serves' })))).toEqual([403, 'KeyNotFound'])
    const elsewhere = { keyLocation: `http://other.example/${world.key}.txt` }
    expect(await seen(postIndexNow(submission(elsewhere)))).toEqual([403, 'KeyNotFound'])
    expect((await postIndexNow(submission())).status).toBe(202)
  })

  it('lets a key file in a folder cover only that folder', async () => {
    await world.site({ overrides: { '/blog/k.txt': { body: world.key } } })
    const keyLocation = page('/blog/k.txt')
    expect(await seen(postIndexNow(submission({ keyLocation })))).toEqual([202, ''])
    const outside = submission({ keyLocation, urlList: [page(), page('/news/story-4')] })
    expect(await both(postIndexNow(outside))).toMatchObject({
      status: 422,
      body: { errorCode: 'InvalidRequestParameters', details: { invalidUrlList: [page('/news/story-4')] } },
    })
    expect((await getIndexNow({ url: page('/news/story-4'), key: world.key, keyLocation })).status).toBe(422)
  })
})

describe('pretend Bing', () => {
  it('spends the daily quota and refuses a batch larger than the rest whole', async () => {
    expect(await both(postBing(manyUrls(90)))).toEqual({ status: 200, body: { d: null } })
    expect(await bingQuota()).toMatchObject({ d: { DailyQuota: 10, MonthlyQuota: 2110 } })
    const tooBig = { ErrorCode: 2, Message: 'ERROR!!! Quota remaining for today: 10, Submitted: 11' }
    expect(await both(postBing(manyUrls(11)))).toEqual({ status: 400, body: tooBig })
    expect((await postBing(manyUrls(9), { method: 'SubmitUrlBatch' })).status).toBe(200)
    expect((await postBing([page()], { method: 'SubmitUrl' })).status).toBe(200)
    const usedUp = {
      ErrorCode: 2,
      Message: 'ERROR!!! You have exceeded your daily url submission quota : 100',
    }
    expect(await both(postBing([page()]))).toEqual({ status: 400, body: usedUp })
    expect((await world.ledger('bing')).acceptedCount).toBe(100)
    await world.bing({ newDay: true })
    expect(await bingQuota()).toMatchObject({ d: { DailyQuota: 100, MonthlyQuota: 2100 } })
    await world.bing({ quota: 7 })
    expect(await bingQuota()).toMatchObject({ d: { DailyQuota: 7 } })
  })

  it('speaks the real error dialect', async () => {
    const foreign = 'http://other.example/'
    const errors = [
      await both(postBing([page()], { apikey: 'wrong' })),
      await both(postBing([page(), foreign])),
      await both(postBing([foreign], { siteUrl: foreign })),
      await both(postBing([])),
      await both(postBing(manyUrls(501))),
    ]
    expect(errors).toEqual([
      { status: 400, body: { ErrorCode: 3, Message: 'ERROR!!! InvalidApiKey' } },
      { status: 400, body: { ErrorCode: 7, Message: 'ERROR!!! InvalidUrl' } },
      { status: 400, body: { ErrorCode: 14, Message: 'ERROR!!! NotAuthorized' } },
      { status: 400, body: { ErrorCode: 8, Message: 'ERROR!!! InvalidParameter' } },
      { status: 400, body: { ErrorCode: 8, Message: 'ERROR!!! Max Urls quota is 500 at a time' } },
    ])
  })

  it('speaks the documented error dialect', async () => {
    await world.bing({ dialect: 'documented', quota: 1 })
    const errors = [
      await both(postBing([page()], { apikey: 'wrong' })),
      await both(postBing(manyUrls(2))),
      await both(postBing(['http://other.example/'])),
    ]
    expect(errors).toMatchObject([
      { status: 401, body: { ErrorCode: 'ERROR_INVALID_API_KEY', Message: expect.any(String) } },
      { status: 403, body: { ErrorCode: 'ERROR_QUOTA_EXCEEDED', Message: expect.any(String) } },
      { status: 400, body: { ErrorCode: 'ERROR_INVALID_URL', Message: expect.any(String) } },
    ])
  })

  it('lists the site, and answers unknown methods and wrong verbs as Bing does', async () => {
    const sites = await fetch(`${world.bingApiBase}/GetUserSites?apikey=${world.bingKey}`)
    expect(await sites.json()).toMatchObject({ d: [{ Url: `${world.origin}/`, IsVerified: true }] })
    const unknown = await fetch(`${world.bingApiBase}/Nothing?apikey=${world.bingKey}`)
    expect([unknown.status, unknown.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
    expect((await fetch(`${world.bingApiBase}/SubmitUrl`)).status).toBe(405)
    expect((await postBing([], { method: 'GetUserSites' })).status).toBe(405)
  })
})

describe('faults', () => {
  it('queues 429 and 5xx for a number of requests, per target', async () => {
    await world.faults(
      { target: 'b', kind: '429', retryAfter: 7, times: 2 },
      { target: 'b', kind: '5xx', status: 502 },
      { target: 'b', kind: '5xx' },
    )
    const first = await postIndexNow(submission(), 'b')
    expect([first.status, first.headers.get('retry-after')]).toEqual([429, '7'])
    const later = []
    for (let turn = 0; turn < 4; turn += 1) later.push((await postIndexNow(submission(), 'b')).status)
    expect(later).toEqual([429, 502, 503, 200])
    expect((await postIndexNow(submission())).status).toBe(202)
    expect((await world.ledger('b')).acceptedCount).toBe(1)
  })

  it('refuses in the words of each target, for ever with times null', async () => {
    for (const target of ['a', 'bing', 'site'] as const)
      await world.faults({ target, kind: 'refuse', times: null })
    for (let turn = 0; turn < 3; turn += 1)
      expect(await seen(postIndexNow(submission()))).toEqual([403, 'UserForbiddedToAccessSite'])
    expect(await both(postBing([page()]))).toMatchObject({ status: 400, body: { ErrorCode: 3 } })
    expect((await fetch(page())).status).toBe(403)
    await world.reset()
    expect((await fetch(page())).status).toBe(200)
  })

  it('throttles Bing with its own code', async () => {
    await world.faults({ target: 'bing', kind: '429' })
    expect(await both(postBing([page()]))).toMatchObject({ status: 429, body: { ErrorCode: 4 } })
  })

  it('answers whatever it is told to, and accepts nothing', async () => {
    await world.faults({ target: 'a', kind: 'answer', status: 418, body: '{"tea":true}' })
    const response = await postIndexNow(submission())
    expect([response.status, await response.text()]).toEqual([418, '{"tea":true}'])
    expect((await world.ledger('a')).acceptedCount).toBe(0)
  })

  it('drops the connection without an answer', async () => {
    await world.faults({ target: 'bing', kind: 'drop' })
    await expect(postBing([page()])).rejects.toThrow()
    const { requests, acceptedCount } = await world.ledger('bing')
    expect([requests.length, requests[0]?.status, acceptedCount]).toEqual([1, null, 0])
  })

  it('hangs until reset', async () => {
    await world.faults({ target: 'a', kind: 'hang' })
    const outcome = postIndexNow(submission()).then(
      () => 'answered',
      () => 'ended',
    )
    const pause = new Promise((resolve) => setTimeout(resolve, 60, 'waiting'))
    expect(await Promise.race([outcome, pause])).toBe('waiting')
    await world.reset()
    expect(await outcome).toBe('ended')
  })

  it('slows an answer down, and has heard even a caller that leaves early', async () => {
    await world.faults({ target: 'a', kind: 'slow', ms: 80, times: 2 })
    const start = Date.now()
    expect((await postIndexNow(submission())).status).toBe(202)
    expect(Date.now() - start).toBeGreaterThanOrEqual(75)
    const body = JSON.stringify(submission())
    const signal = AbortSignal.timeout(30)
    await expect(fetch(world.engines.a, { method: 'POST', body, signal })).rejects.toThrow()
    expect((await world.ledger('a')).duplicates).toEqual([page()])
  })

  it('can be limited to matching paths or submitted URLs', async () => {
    await world.faults(
      { target: 'site', kind: '5xx', match: 'sitemap-news' },
      { target: 'a', kind: '5xx', match: '/blog/post-6', times: null },
      { target: 'a', kind: 'refuse', match: '/blog/post-10', times: null },
    )
    expect((await fetch(page('/sitemap-blog.xml'))).status).toBe(200)
    expect((await fetch(page('/sitemap-news.xml'))).status).toBe(503)
    expect((await postIndexNow(submission())).status).toBe(202)
    expect((await postIndexNow(submission({ urlList: [page(), page('/blog/post-6')] }))).status).toBe(503)
    expect((await getIndexNow({ url: page('/blog/post-10'), key: world.key })).status).toBe(403)
  })
})

describe('ledger', () => {
  it('keeps accepted URLs in order with duplicates, and every request', async () => {
    await postIndexNow(submission({ urlList: [page(), page('/news/story-4')] }))
    await getIndexNow({ url: page(), key: world.key })
    const ledger = await world.ledger('a')
    expect(ledger.accepted.map(({ url, method, host: on }) => [url, method, on])).toEqual([
      [page(), 'POST', host()],
      [page('/news/story-4'), 'POST', host()],
      [page(), 'GET', host()],
    ])
    expect(ledger).toMatchObject({ acceptedCount: 3, duplicates: [page()], maxInFlight: 1 })
    expect(ledger.requests).toMatchObject([
      {
        method: 'POST',
        path: '/engines/a/indexnow',
        status: 202,
        urls: 2,
        headers: { 'user-agent': 'sandbox-test', 'content-type': 'application/json; charset=utf-8' },
      },
      { method: 'GET', query: { url: page(), key: world.key }, status: 200, urls: 1 },
    ])
    expect(ledger.requests[1]?.rawQuery).toContain('url=http%3A%2F%2F127.0.0.1')
  })

  it('tells how many requests were open at once, per target', async () => {
    await world.latency(50)
    await Promise.all([1, 2, 3, 4, 5].map(() => postIndexNow(submission())))
    await world.latency(0)
    for (let turn = 0; turn < 20; turn += 1) await postIndexNow(submission(), 'b')
    const { a, b, bing } = await world.ledgers()
    expect([a.maxInFlight, b.maxInFlight, bing.maxInFlight]).toEqual([5, 1, 0])
  })
})

describe('control, factory and sandbox', () => {
  it.each<[string, string]>([
    ['/sandbox/faults', '{"target":"c","kind":"drop"}'],
    ['/sandbox/faults', '{"target":"a","kind":"5xx","status":505}'],
    ['/sandbox/faults', '{"target":"a","kind":"slow"}'],
    ['/sandbox/site', '{"pages":-1}'],
    ['/sandbox/site', '{"touch":[{"page":"/nowhere"}]}'],
    ['/sandbox/bing', '{"dialect":"klingon"}'],
    ['/sandbox/latency', 'not json'],
  ])('answers bad input to %s with a sentence: %s', async (path, body) => {
    const answer = await both(fetch(world.origin + path, { method: 'POST', body }))
    expect(answer).toEqual({ status: 400, body: { error: expect.stringMatching(/^The .+\.$/) } })
  })

  it('gives its addresses, and rejects unknown controls', async () => {
    const info: unknown = JSON.parse(await get('/sandbox/info'))
    expect(info).toMatchObject({
      origin: world.origin,
      engines: world.engines,
      bingApiBase: world.bingApiBase,
    })
    expect((await fetch(page('/sandbox/none'))).status).toBe(404)
    expect((await fetch(page('/sandbox/reset'))).status).toBe(405)
  })

  it('keeps worlds apart and closes them', async () => {
    const other = await createWorld(factory.url, { pages: 3, key: 'another-key', bingQuota: 1 })
    expect(other.port).not.toBe(world.port)
    expect(await (await fetch(`${other.origin}/another-key.txt`)).text()).toBe('another-key')
    expect((await world.ledger('site')).requests).toHaveLength(0)
    await other.faults({ target: 'site', kind: 'hang' })
    const hanging = fetch(other.origin).catch(() => 'ended')
    while ((await other.ledger('site')).requests.length < 2);
    await other.close()
    expect(await hanging).toBe('ended')
    await expect(fetch(other.origin)).rejects.toThrow()
    await expect(createWorld(factory.url, { pages: -1 })).rejects.toThrow('400')
  })

  it('falls back to a free port when the wanted one is taken', async () => {
    const first: Sandbox = await startSandbox({ pages: 1 })
    const second = await startSandbox({ port: first.port, pages: 1 })
    expect(second.port).not.toBe(first.port)
    expect(second.ledger.all().site.requests).toEqual([])
    await Promise.all([first.close(), second.close()])
  })
})
