import { describe, expect, it } from 'vitest'
import { KEY, openShop, START, shopHost } from '../support/pretend-internet'

const DAY = 86_400_000
const TEN_YEARS = 3_650 * DAY
const LEASE = 'sites:lease:shop.example'
const STATE = 'sites:state:shop.example'
const lease = { runId: 'other', startedAt: START - 5_000, until: START + 55_000 }

/** Moments that no run can have written. */
const IMPOSSIBLE: readonly (readonly [name: string, lease: Record<string, number>])[] = [
  ['startedAt beyond any date', { startedAt: 1e300 }],
  ['startedAt before any date', { startedAt: -1e300 }],
  ['startedAt in ten years', { startedAt: START + TEN_YEARS }],
  ['until beyond any date', { until: 1e300 }],
  ['until in ten years', { until: START + TEN_YEARS }],
  ['both beyond any date', { startedAt: 1e300, until: 1e300 }],
]

describe('times in the store that nobody can have written', () => {
  it.each(IMPOSSIBLE)('a lease with %s locks nobody out', async (_, change) => {
    const shop = openShop()
    await shop.store.put(LEASE, JSON.stringify({ ...lease, ...change }))
    expect((await shop.call('/status')).status).toBe(200)
    expect((await shop.call('/trigger')).status).toBe(200)
    expect(shop.accepted('a.example')).toHaveLength(3)
  })

  it.each(IMPOSSIBLE)('a lease with %s keeps no other site from its tick, nor its own', async (_, change) => {
    const shop = openShop()
    shop.hosts['two.example'] = shopHost(() => 2)
    const two = { sitemapUrl: 'https://two.example/sitemap.xml', apiKey: KEY, searchEngines: ['b.example'] }
    await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(two) })
    await shop.store.put(LEASE, JSON.stringify({ ...lease, ...change }))
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(3)
    expect(shop.accepted('b.example')).toHaveLength(2)
  })

  it('a lease as it may be, by a clock a little ahead of ours, still counts', async () => {
    const shop = openShop()
    const ahead = { ...lease, startedAt: START + 2_000, until: START + 62_000 }
    await shop.store.put(LEASE, JSON.stringify(ahead))
    expect((await shop.call('/trigger')).status).toBe(409)
  })

  it.each([9e15, 1e300, START + TEN_YEARS])('a not-before of %d is none', async (moment) => {
    const shop = openShop()
    await shop.run()
    const stored = await shop.state()
    const notBefore = { 'https://a.example/indexnow': moment }
    await shop.store.put(STATE, JSON.stringify({ ...stored, notBefore, unfinished: { indexnow: moment } }))
    expect((await shop.call('/status?site=shop.example')).status).toBe(200)
    shop.pages = 5
    await shop.clock.advance(900_000)
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(5)
    expect(await shop.state()).toMatchObject({ notBefore: {}, unfinished: {} })
  })

  it('a mark from the future is not shown as accepted', async () => {
    const shop = openShop()
    await shop.clock.advance(TEN_YEARS)
    await shop.run()
    const marks = await shop.store.getBytes('url_cache:shop.example:0')
    const now = openShop()
    await now.run()
    if (marks !== null) await now.store.put('url_cache:shop.example:0', marks)
    const url = encodeURIComponent('https://shop.example/page-1')
    const answer = await (await now.call(`/api/sites/shop.example/urls?url=${url}`)).json()
    expect(answer).toMatchObject({ engines: { 'a.example': { state: 'pending' } } })
  })

  it('a not-before within the longest wait there is stays', async () => {
    const shop = openShop()
    await shop.run()
    const notBefore = { 'https://a.example/indexnow': START + DAY / 2 }
    await shop.store.put(STATE, JSON.stringify({ ...(await shop.state()), notBefore }))
    shop.pages = 5
    expect(await shop.run()).toMatchObject({ status: 'checkpointed', submittedUrls: 0 })
  })
})
