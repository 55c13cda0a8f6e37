import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import { beckon, openWorld, settingsFor } from '../support/beckon'

afterEach(async () => {
  vi.useRealTimers()
  await reset()
})

function withoutSite(world: World, extra: Record<string, string> = {}): Record<string, string> {
  const { SITEMAP_URL: _url, INDEXNOW_API_KEY: _key, ...rest } = settingsFor(world, extra)
  return rest
}

const siteOf = (world: World, extra: Record<string, unknown> = {}) => ({
  id: 'shop.example',
  sitemapUrl: world.sitemapUrl,
  apiKey: world.key,
  ...extra,
})

type App = ReturnType<typeof beckon>
type SiteAnswer = { site: Record<string, unknown> }

const put = (app: App, body: unknown, path = '/api/sites/shop.example') =>
  app.fetch(path, { method: 'PUT', body: JSON.stringify(body) })
const remove = (app: App, path: string) => app.fetch(path, { method: 'DELETE' })
const problemOf = async (response: Response) => (await response.json()) as Record<string, unknown>

async function keysInStore(): Promise<string[]> {
  const { keys } = await env.KV.list()
  return keys.map(({ name }) => name)
}

describe('sites with Bing', () => {
  it('B17 a site created with Bing has a quota of 100 and newest first; other quotas are 400', async () => {
    const world = await openWorld({ pages: 3 })
    const app = beckon(withoutSite(world))
    const bing = { bingEnabled: true, bingApiKey: world.bingKey }
    for (const bingDailyQuota of [0, 501, 1.5, '100', -1, null]) {
      const response = await app.post('/api/sites', siteOf(world, { ...bing, bingDailyQuota }))
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ field: 'bingDailyQuota' })
    }
    const created = await app.post('/api/sites', siteOf(world, bing))
    expect(created.status).toBe(201)
    const text = await created.text()
    expect(text).not.toContain(world.bingKey)
    expect(JSON.parse(text).site).toMatchObject({
      bingEnabled: true,
      bingApiKey: '****...****',
      bingDailyQuota: 100,
      bingPriority: 'newest',
    })
    await world.close()
  })

  it('B18 Bing on without a key is 400 with the sentence of the specification, by POST and by PUT', async () => {
    const world = await openWorld({ pages: 3 })
    const app = beckon(withoutSite(world))
    const wanted = {
      status: 400,
      field: 'bingApiKey',
      detail: 'bingApiKey is required when bingEnabled is true',
    }
    expect(await problemOf(await app.post('/api/sites', siteOf(world, { bingEnabled: true })))).toMatchObject(
      wanted,
    )
    await app.post('/api/sites', siteOf(world))
    expect(await problemOf(await put(app, { bingEnabled: true }))).toMatchObject(wanted)
    await world.close()
  })

  it('B19 Bing switched on by PUT takes part in later runs', async () => {
    const world = await openWorld({ pages: 5 })
    const app = beckon(withoutSite(world))
    await app.post('/api/sites', siteOf(world))
    await app.trigger()
    expect((await world.ledger('bing')).acceptedCount).toBe(0)
    const changed = await put(app, { bingEnabled: true, bingApiKey: world.bingKey })
    expect(changed.status).toBe(200)
    expect((await app.trigger()).record.bingStats).toMatchObject({ enabled: true, successful: 5 })
    expect((await world.ledger('bing')).acceptedCount).toBe(5)
    await world.close()
  })
})

describe('changing a site', () => {
  it('D03 PUT merges: what is not named stays, null goes back to the default, updatedAt moves', async () => {
    const world = await openWorld({ pages: 3 })
    const app = beckon(withoutSite(world))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) })
    await app.post('/api/sites', siteOf(world, { name: 'Shop', maxRetries: 1, cacheTtlDays: 7 }))
    vi.setSystemTime(Date.UTC(2026, 10, 18, 13))
    const { site } = (await (await put(app, { enabled: false, maxRetries: null })).json()) as SiteAnswer
    expect(site).toMatchObject({
      name: 'Shop',
      enabled: false,
      maxRetries: 3,
      cacheTtlDays: 7,
      createdAt: '2026-11-18T12:00:00.000Z',
      updatedAt: '2026-11-18T13:00:00.000Z',
      apiKey: '****...****',
    })
    expect(await app.json('/api/sites/shop.example')).toEqual({ site })
    expect((await app.trigger()).record.submittedUrls).toBe(3)
    await world.close()
  })

  it('D03 a site that was read may be sent back as a whole: masked keys keep what is stored', async () => {
    const world = await openWorld({ pages: 3 })
    const app = beckon(withoutSite(world))
    const keyLocation = `${world.origin}/${world.key}.txt`
    await app.post('/api/sites', siteOf(world, { keyLocation, bingApiKey: world.bingKey }))
    const { site } = await app.json<SiteAnswer>('/api/sites/shop.example')
    expect(JSON.stringify(site)).not.toContain(world.key)
    expect(site.keyLocation).toBe(`${world.origin}/****...****.txt`)
    const sent = await put(app, { ...site, name: 'Renamed', bingEnabled: true })
    expect(sent.status).toBe(200)
    expect(((await sent.json()) as SiteAnswer).site).toMatchObject({ name: 'Renamed', bingEnabled: true })
    const { record } = await app.trigger()
    expect(record).toMatchObject({ submittedUrls: 3, bingStats: { successful: 3 } })
    await world.close()
  })

  it('a key that is only named is shown by its name; name and mask both keep it when they come back', async () => {
    const world = await openWorld({ pages: 1 })
    const app = beckon({ ...withoutSite(world), SHOP_KEY: world.key })
    const created = await app.post('/api/sites', siteOf(world, { apiKey: 'env:SHOP_KEY' }))
    const { site } = (await created.json()) as SiteAnswer
    expect(site.apiKey).toBe('env:SHOP_KEY')
    for (const apiKey of ['env:SHOP_KEY', '****...****']) {
      const sent = await put(app, { ...site, apiKey, updatedAt: undefined })
      expect(((await sent.json()) as SiteAnswer).site.apiKey).toBe('env:SHOP_KEY')
    }
    expect((await app.trigger()).record).toMatchObject({ status: 'success', submittedUrls: 1 })
    await world.close()
  })

  it.each([
    [{ bingApiKey: '****...****' }, 400, 'masked_key', 'bingApiKey'],
    [{ keyLocation: 'https://a.example/****...****.txt' }, 400, 'masked_key', 'keyLocation'],
    [{ id: 'other.example' }, 400, 'invalid_field', 'id'],
    [{ source: 'env' }, 400, 'invalid_field', 'source'],
    [{ createdAt: '2020-01-01T00:00:00.000Z' }, 400, 'invalid_field', 'createdAt'],
    [{ updatedAt: '2020-01-01T00:00:00.000Z' }, 409, 'site_changed', 'updatedAt'],
    [{ sitemapUrl: null }, 400, 'missing_field', 'sitemapUrl'],
    [{ apiKey: null }, 400, 'missing_field', 'apiKey'],
    [{ apiKey: 'env:ADMIN_TOKEN' }, 400, 'invalid_field', 'apiKey'],
    [{ used: 0 }, 400, 'unknown_field', 'used'],
    [{ constructor: 1 }, 400, 'unknown_field', 'constructor'],
    [{ host: 'localhost.internal' }, 400, 'invalid_field', 'host'],
    [{ name: 'a\nb' }, 400, 'invalid_field', 'name'],
    [
      { fallbackSitemapUrls: ['http://127.0.0.1/', 'http://10.0.0.1/'] },
      400,
      'invalid_field',
      'fallbackSitemapUrls',
    ],
    [{ sitemapUrl: 'http://127.0.0.1:1/taken.xml' }, 409, 'site_exists', 'sitemapUrl'],
  ])('D03 PUT %j is %i %s, names %s, and changes nothing', async (change, status, code, field) => {
    const world = await openWorld({ pages: 1 })
    const app = beckon(withoutSite(world))
    await app.post('/api/sites', siteOf(world))
    await app.post('/api/sites', {
      id: 'taken.example',
      sitemapUrl: 'http://127.0.0.1:1/taken.xml',
      apiKey: 'another-key-0001',
    })
    const before = await app.json('/api/sites/shop.example')
    const response = await put(app, change)
    const problem = await problemOf(response)
    expect({ status: response.status, code: problem.code, field: problem.field }).toEqual({
      status,
      code,
      field,
    })
    expect(problem.detail).toContain(field)
    expect(await app.json('/api/sites/shop.example')).toEqual(before)
    await world.close()
  })

  it('D03 a duplicate id or sitemapUrl is 409 with the field, however the address is spelled', async () => {
    const world = await openWorld({ pages: 1 })
    const app = beckon(withoutSite(world))
    await app.post('/api/sites', siteOf(world))
    const sameId = await app.post('/api/sites', siteOf(world, { sitemapUrl: `${world.origin}/other.xml` }))
    expect(await problemOf(sameId)).toMatchObject({ status: 409, code: 'site_exists', field: 'id' })
    const spelled = world.sitemapUrl.replace('http://127.0.0.1', 'HTTP://0x7f.1')
    const sameMap = await app.post('/api/sites', siteOf(world, { id: 'b.example', sitemapUrl: spelled }))
    expect(await problemOf(sameMap)).toMatchObject({ status: 409, code: 'site_exists', field: 'sitemapUrl' })
    await world.close()
  })

  it('D02 the environment’s site can neither be changed nor deleted', async () => {
    const world = await openWorld({ pages: 1 })
    const app = beckon(settingsFor(world))
    for (const response of [
      await put(app, { enabled: false }, '/api/sites/127.0.0.1'),
      await remove(app, '/api/sites/127.0.0.1'),
    ]) {
      expect(response.status).toBe(403)
      expect(await problemOf(response)).toMatchObject({ code: 'site_read_only', field: 'id' })
    }
    await world.close()
  })
})

describe('deleting', () => {
  it('D03 a deleted site leaves no record behind, and takes none of its neighbour’s', async () => {
    const world = await openWorld({ pages: 4 })
    const app = beckon(withoutSite(world))
    const bing = { bingEnabled: true, bingApiKey: world.bingKey }
    await app.post('/api/sites', siteOf(world, bing))
    await app.post(
      '/api/sites',
      siteOf(world, { id: 'shop.example.org', sitemapUrl: `${world.sitemapUrl}?2` }),
    )
    await app.trigger('?site=shop.example')
    await app.trigger('?site=shop.example.org')
    const neighbour = (await keysInStore()).filter((key) => key.includes('shop.example.org'))
    expect(neighbour.length).toBeGreaterThan(4)
    expect((await keysInStore()).length).toBeGreaterThan(neighbour.length + 5)

    const response = await remove(app, '/api/sites/shop.example')
    expect(response.status).toBe(200)
    expect(await response.json()).toEqual({ deleted: 'shop.example' })
    expect((await keysInStore()).sort()).toEqual(neighbour.sort())
    expect((await remove(app, '/api/sites/shop.example')).status).toBe(404)
    expect((await put(app, { enabled: true })).status).toBe(404)
    await world.close()
  })

  it('D18 DELETE marks forgets one channel or all, and the next run submits again', async () => {
    const world = await openWorld({ pages: 4 })
    const app = beckon(withoutSite(world))
    await app.post('/api/sites', siteOf(world, { bingEnabled: true, bingApiKey: world.bingKey }))
    await app.trigger()
    expect((await app.trigger()).record.newUrls).toBe(0)
    const one = await remove(app, '/api/sites/shop.example/marks?channel=indexnow')
    expect(await one.json()).toEqual({ siteId: 'shop.example', channels: ['indexnow'] })
    const { record } = await app.trigger()
    expect(record).toMatchObject({ submittedUrls: 4, bingStats: { submitted: 0 } })
    const both = await remove(app, '/api/sites/shop.example/marks')
    expect(await both.json()).toEqual({ siteId: 'shop.example', channels: ['indexnow', 'bing'] })
    expect((await app.trigger()).record).toMatchObject({ submittedUrls: 4, bingStats: { successful: 4 } })
    const wrong = await remove(app, '/api/sites/shop.example/marks?channel=fax')
    expect(await problemOf(wrong)).toMatchObject({ status: 400, field: 'channel' })
    expect((await remove(app, '/api/sites/other.example/marks')).status).toBe(404)
    await world.close()
  })

  it('nothing is deleted under a run: 409 with Retry-After', async () => {
    const world = await openWorld({ pages: 40, latencyMs: 20 })
    const app = beckon(withoutSite(world))
    await app.post('/api/sites', siteOf(world))
    const run = app.trigger()
    await expect.poll(async () => (await world.ledger('a')).requests.length).toBeGreaterThan(0)
    for (const path of ['/api/sites/shop.example', '/api/sites/shop.example/marks']) {
      const response = await remove(app, path)
      expect(response.status).toBe(409)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await problemOf(response)).toMatchObject({ code: 'already_running', field: 'id' })
    }
    expect((await run).record.submittedUrls).toBe(40)
    expect((await remove(app, '/api/sites/shop.example')).status).toBe(200)
    expect(await keysInStore()).toEqual([])
    await world.close()
  })
})
