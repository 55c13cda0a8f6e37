import { describe, expect, it } from 'vitest'
import { index, openShop, pageOf, type Seen, shopHost, urlset } from '../support/pretend-internet'

const BUDGET = { RUN_REQUEST_BUDGET: '45' }
const posts = (seen: readonly Seen[]) => seen.filter(({ method }) => method === 'POST')

describe('one request for many URLs', () => {
  it('auto: 20,000 new URLs on the budget of the free plan are done in one run, 2 POSTs per engine', async () => {
    const shop = openShop({
      pages: 20_000,
      env: { ...BUDGET, INDEXNOW_SEARCH_ENGINES: 'a.example,b.example,c.example' },
    })
    const record = await shop.run()
    expect(record).toMatchObject({ status: 'success', newUrls: 20_000, submittedUrls: 20_000 })
    for (const host of ['a.example', 'b.example', 'c.example']) {
      expect(shop.seen(host).map(({ method, urls }) => [method, urls.length])).toEqual([
        ['POST', 10_000],
        ['POST', 10_000],
      ])
      expect(new Set(shop.accepted(host)).size).toBe(20_000)
    }
    expect(record.requests).toBeLessThanOrEqual(45)
    expect(record.marksPerWrite).toBeGreaterThanOrEqual(10_000)
  })

  it('auto: as many GETs as fit above the reserve, one URL more makes it a POST', async () => {
    // 45 requests: sitemap and key file take one each, Bing's two and the alert's one stay free.
    const env = { ...BUDGET, BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' }
    const hosts = { 'ssl.bing.com': () => ({ status: 200, body: '{"d":null}' }) }
    const fitting = openShop({ pages: 40, env, hosts })
    expect((await fitting.run()).status).toBe('success')
    expect(fitting.seen('a.example').map(({ method }) => method)).toEqual(Array(40).fill('GET'))
    const more = openShop({ pages: 41, env, hosts })
    expect((await more.run()).status).toBe('success')
    expect(more.seen('a.example').map(({ method, urls }) => [method, urls.length])).toEqual([['POST', 41]])
  })

  it('a POST carries host, key and keyLocation as JSON', async () => {
    const shop = openShop({ pages: 50, env: BUDGET })
    await shop.run()
    const [post] = posts(shop.seen('a.example'))
    expect(post?.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(JSON.parse(post?.body ?? '')).toMatchObject({
      host: 'shop.example',
      key: 'key-of-the-shop-0001',
      keyLocation: 'https://shop.example/key-of-the-shop-0001.txt',
    })
  })

  it.each([
    'top',
    'details',
  ])('URLs the answer names (%s) are dropped and the rest is sent again', async (where) => {
    const bad = [pageOf(7), pageOf(60)]
    const shop = openShop({ pages: 100, env: BUDGET })
    shop.hosts['a.example'] = ({ urls }) => {
      const invalidUrlList = urls.filter((url) => bad.includes(url))
      if (invalidUrlList.length === 0) return 200
      const body = where === 'top' ? { invalidUrlList } : { details: { invalidUrlList } }
      return { status: 422, body: JSON.stringify({ errorCode: 'InvalidRequestParameters', ...body }) }
    }
    const record = await shop.run()
    expect(shop.seen('a.example').map(({ urls }) => urls.length)).toEqual([100, 98])
    expect(record.engines['a.example']).toMatchObject({ total: 100, accepted: 98, rejected: 2 })
    expect(await shop.run()).toMatchObject({ newUrls: 0, status: 'success' })
  })

  it('a POST refused without a name is taken apart within 40 calls; the bad one is not tried again', async () => {
    const shop = openShop({ pages: 2_000, env: { ...BUDGET } })
    shop.hosts['a.example'] = ({ urls }) => (urls.includes(pageOf(1_234)) ? 422 : 200)
    const record = await shop.run()
    expect(shop.seen('a.example').length).toBeLessThanOrEqual(40)
    expect(record.engines['a.example']).toMatchObject({ total: 2_000, accepted: 1_999, rejected: 1 })
    const calls = shop.seen('a.example').length
    expect(await shop.run()).toMatchObject({ newUrls: 0 })
    expect(shop.seen('a.example')).toHaveLength(calls)
  })

  it('where nothing at all is taken no URL is given up for good: the fault may be elsewhere', async () => {
    let broken = true
    const shop = openShop({ pages: 50, env: { ...BUDGET } })
    shop.hosts['a.example'] = () => (broken ? 422 : 200)
    const record = await shop.run()
    expect(shop.seen('a.example').length).toBeLessThanOrEqual(40)
    expect(record.engines['a.example']).toMatchObject({ total: 50, accepted: 0 })
    broken = false
    expect(await shop.run()).toMatchObject({ newUrls: 50, submittedUrls: 50, status: 'success' })
  })

  it.each([
    [403, ''],
    [401, ''],
    [422, JSON.stringify({ message: 'The key is too short' })],
  ])('a refused key (%d %s) is never taken apart', async (status, body) => {
    const shop = openShop({ pages: 500, env: BUDGET, hosts: { 'a.example': () => ({ status, body }) } })
    const record = await shop.run()
    expect(shop.seen('a.example')).toHaveLength(1)
    expect(record.errors[0]?.code).toBe('key_refused')
  })

  it('URLs of an index of many files still go 10,000 to a POST', async () => {
    const shop = openShop({ env: BUDGET })
    const files = Array.from({ length: 8 }, (_, n) => `https://shop.example/map-${n}.xml`)
    const own = shopHost(() => 0)
    shop.hosts['shop.example'] = (request, nth) => {
      const { pathname } = request.url
      const file = /^\/map-(\d)\.xml$/.exec(pathname)?.[1]
      if (pathname === '/sitemap.xml') return { status: 200, body: index(files) }
      if (file === undefined) return own(request, nth)
      const urls = Array.from({ length: 2_500 }, (_, n) => `https://shop.example/${file}/${n}`)
      return { status: 200, body: urlset(urls) }
    }
    const record = await shop.run()
    expect(record).toMatchObject({ status: 'success', submittedUrls: 20_000 })
    expect(shop.seen('a.example').map(({ urls }) => urls.length)).toEqual([10_000, 10_000])
  })
})
