import { describe, expect, it } from 'vitest'
import type { PendingList } from '../../src/records/pending-urls'
import { KEY, openShop, pageOf, shopHost } from '../support/pretend-internet'

const ONE_LANE = { MAX_CONCURRENT_REQUESTS: '1', MAX_RETRIES: '0' }

type Shop = ReturnType<typeof openShop>
const listed = async (shop: Shop): Promise<PendingList | null> =>
  JSON.parse((await shop.store.getText('sites:pending:shop.example')) ?? 'null') as PendingList | null
const numbers = (seen: readonly { urls: readonly string[] }[]) =>
  seen.flatMap(({ urls }) => urls).map((url) => Number(/\d+$/.exec(url)?.[0]))

describe('what failed', () => {
  it('N17 is listed with reason, attempts and last answer, is not marked, and goes first next time', async () => {
    const shop = openShop({ pages: 12, env: ONE_LANE })
    shop.hosts['a.example'] = ({ urls }) => (urls[0] === pageOf(5) ? 500 : urls[0] === pageOf(9) ? 400 : 200)
    const first = await shop.run()
    expect(first).toMatchObject({ status: 'partial', submittedUrls: 10, failedUrls: 2 })
    const list = await listed(shop)
    expect(list?.overflow).toBe(0)
    expect(list?.entries).toEqual([
      {
        channel: 'indexnow',
        engine: 'a.example',
        url: pageOf(5),
        reason: 'server_error_500',
        status: 500,
        attempts: 1,
        lastAttempt: '2026-04-01T00:00:00.400Z',
      },
      {
        channel: 'indexnow',
        engine: 'a.example',
        url: pageOf(9),
        reason: 'urls_refused',
        status: 400,
        attempts: 1,
        lastAttempt: '2026-04-01T00:00:00.800Z',
      },
    ])

    const before = shop.seen('a.example').length
    shop.pages = 15
    shop.hosts['a.example'] = () => 200
    expect(await shop.run()).toMatchObject({ newUrls: 5, submittedUrls: 5, status: 'success' })
    expect(numbers(shop.seen('a.example').slice(before))).toEqual([5, 9, 13, 14, 15])
    expect(await listed(shop)).toEqual({ entries: [], overflow: 0 })
  })

  it('N17 goes first three times and last after that', async () => {
    const shop = openShop({ pages: 3, env: ONE_LANE })
    shop.hosts['a.example'] = ({ urls }) => (urls[0] === pageOf(1) ? 500 : 200)
    await shop.run()
    const orders: number[][] = []
    for (let run = 0; run < 4; run++) {
      const before = shop.seen('a.example').length
      shop.pages += 2
      await shop.run()
      orders.push(numbers(shop.seen('a.example').slice(before)))
    }
    expect(orders).toEqual([
      [1, 4, 5],
      [1, 6, 7],
      [8, 9, 1],
      [10, 11, 1],
    ])
    expect((await listed(shop))?.entries[0]).toMatchObject({ url: pageOf(1), attempts: 5 })
  })

  it('N17 at most 500 are listed, the others counted; the list is not written again while it says the same', async () => {
    const shop = openShop({ pages: 600, env: { MAX_RETRIES: '0' }, hosts: { 'a.example': () => 400 } })
    await shop.run()
    const list = await listed(shop)
    expect(list?.entries).toHaveLength(500)
    expect(list?.overflow).toBe(100)
    expect(await shop.state()).toMatchObject({ failed: 600 })
  })

  it('N17 per engine: what one refused goes first there, the others never hear of it again', async () => {
    const shop = openShop({ pages: 4, env: { ...ONE_LANE, INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    shop.hosts['b.example'] = ({ urls }) => (urls[0] === pageOf(3) ? 500 : 200)
    await shop.run()
    shop.pages = 5
    shop.hosts['b.example'] = () => 200
    await shop.run()
    expect(numbers(shop.seen('a.example'))).toEqual([1, 2, 3, 4, 5])
    expect(numbers(shop.seen('b.example'))).toEqual([1, 2, 3, 4, 3, 5])
  })

  it('a URL refused for good keeps its reason as long as its mark, and is not sent again', async () => {
    const DAY_MS = 86_400_000
    const shop = openShop({ pages: 60, env: { RUN_REQUEST_BUDGET: '45' } })
    const named = JSON.stringify({ invalidUrlList: [pageOf(7)] })
    shop.hosts['a.example'] = ({ urls }) =>
      urls.includes(pageOf(7)) ? { status: 422, body: named } : urls.includes(pageOf(9)) ? 422 : 200
    await shop.run()
    const expected = [pageOf(7), pageOf(9)].map((url) => ({
      url,
      reason: 'urls_refused',
      status: 422,
      final: true,
    }))
    expect((await listed(shop))?.entries).toMatchObject(expected)
    await shop.clock.advance(DAY_MS)
    expect(await shop.run()).toMatchObject({ newUrls: 0 })
    expect((await listed(shop))?.entries).toMatchObject(expected)

    shop.hosts['a.example'] = () => 200
    await shop.clock.advance(30 * DAY_MS)
    expect(await shop.run()).toMatchObject({ newUrls: 60, submittedUrls: 60 })
    expect(await listed(shop)).toEqual({ entries: [], overflow: 0 })
  })

  it('URLs refused for good are settled: their sitemap is not read again, as it is with those still to be sent', async () => {
    const site = shopHost(() => 60)
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '45' } })
    shop.hosts['shop.example'] = (request, nth) => {
      const said = site(request, nth)
      if (request.url.pathname !== '/sitemap.xml' || typeof said !== 'object') return said
      return request.headers.get('if-none-match') === '"1"' ? 304 : { ...said, headers: { etag: '"1"' } }
    }
    const asked = () => shop.seen('shop.example').filter(({ url }) => url.pathname === '/sitemap.xml')
    const validators = () => asked().map(({ headers }) => headers.get('if-none-match'))
    // The first answer names one; the other is found alone among accepted ones.
    const named = JSON.stringify({ invalidUrlList: [pageOf(7)] })
    shop.hosts['a.example'] = ({ urls }) =>
      urls.includes(pageOf(7)) ? { status: 422, body: named } : urls.includes(pageOf(9)) ? 422 : 200
    expect((await shop.run()).engines['a.example']).toMatchObject({ accepted: 58, rejected: 2 })
    expect(await shop.run()).toMatchObject({ totalUrls: 60, newUrls: 0, status: 'success' })
    expect(validators()).toEqual([null, '"1"'])

    const refusing = openShop({ pages: 2 })
    refusing.hosts['shop.example'] = shop.hosts['shop.example']
    refusing.hosts['a.example'] = () => 403
    for (let run = 0; run < 2; run++) await refusing.run()
    const files = refusing.seen('shop.example').filter(({ url }) => url.pathname === '/sitemap.xml')
    expect(files.map(({ headers }) => headers.get('if-none-match'))).toEqual([null, null])
  })

  it('what a channel refused for good goes when the channel is switched off, and when its marks are gone', async () => {
    const DAY_MS = 86_400_000
    const bing = { bingEnabled: true, bingApiKey: '0123456789abcdef0123456789abcdef' }
    const openRefused = async () => {
      const shop = openShop({ pages: 2, env: { SITEMAP_URL: '', INDEXNOW_API_KEY: '' } })
      const body = { sitemapUrl: 'https://shop.example/sitemap.xml', apiKey: KEY, ...bing }
      await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(body) })
      const fault = JSON.stringify({ ErrorCode: 7, Message: 'ERROR!!! Invalid URL' })
      shop.hosts['ssl.bing.com'] = () => ({ status: 400, body: fault })
      await shop.run('?site=shop.example')
      expect((await listed(shop))?.entries).toMatchObject([{ channel: 'bing', final: true }, { final: true }])
      shop.pages = 1
      return shop
    }
    const off = await openRefused()
    const body = JSON.stringify({ bingEnabled: false })
    await off.call('/api/sites/shop.example', { method: 'PUT', body })
    await off.run('?site=shop.example')
    expect((await listed(off))?.entries).toEqual([])

    const aged = await openRefused()
    await aged.clock.advance(31 * DAY_MS)
    await aged.run('?site=shop.example')
    expect((await listed(aged))?.entries).toMatchObject([{ url: pageOf(1) }])
  })

  it('a URL that left the sitemap leaves the list', async () => {
    const shop = openShop({ pages: 4, env: ONE_LANE })
    shop.hosts['a.example'] = ({ urls }) => (urls[0] === pageOf(4) ? 500 : 200)
    await shop.run()
    expect((await listed(shop))?.entries).toHaveLength(1)
    shop.pages = 3
    await shop.run()
    expect(await listed(shop)).toEqual({ entries: [], overflow: 0 })
    expect(await shop.state()).toMatchObject({ failed: 0 })
  })
})
