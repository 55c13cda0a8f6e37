import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import { beckon, openWorld, settingsFor } from '../support/beckon'

const DAY_MS = 86_400_000
const TODAY = Date.UTC(2026, 10, 18, 6)

afterEach(async () => {
  vi.useRealTimers()
  await reset()
})

interface Store {
  put(key: string, value: unknown): Promise<void>
  delete(key: string): Promise<void>
}
const kv = (env as unknown as { KV: Store }).KV

const at = (ms: number) => vi.useFakeTimers({ toFake: ['Date'], now: ms })

function withSite(world: World, fields: Record<string, unknown> = {}, extra: Record<string, string> = {}) {
  const { SITEMAP_URL: _, INDEXNOW_API_KEY: __, ...settings } = settingsFor(world, extra)
  const app = beckon(settings)
  const site = {
    id: 'shop.example',
    sitemapUrl: world.sitemapUrl,
    apiKey: world.key,
    submitMethod: 'bulk',
    ...fields,
  }
  return {
    app,
    create: async () => expect((await app.post('/api/sites', site)).status).toBe(201),
    async change(fields: Record<string, unknown>) {
      const init = { method: 'PUT', body: JSON.stringify(fields) }
      expect((await app.fetch('/api/sites/shop.example', init)).status).toBe(200)
    },
    run: async () => (await app.trigger('?site=shop.example')).record,
  }
}

/** Statuses of the site's sitemap answers since the last call. */
function watch(world: World) {
  let seen = 0
  return async () => {
    const { requests } = await world.ledger('site')
    const fresh = requests.slice(seen).filter(({ path }) => path.startsWith('/sitemap'))
    seen = requests.length
    return fresh.map(({ path, status }) => `${path} ${status}`)
  }
}

describe('unchanged sitemaps', () => {
  it('40 are asked for with their validators, and a 304 counts as known', async () => {
    const world = await openWorld({ pages: 30 })
    const { create, run } = withSite(world)
    const fetched = watch(world)
    await create()
    expect(await run()).toMatchObject({ totalUrls: 30, submittedUrls: 30 })
    const children = (await fetched()).slice(1).map((line) => line.split(' ')[0])
    expect(children.length).toBeGreaterThan(1)
    expect(await run()).toMatchObject({ totalUrls: 30, cachedUrls: 30, newUrls: 0, status: 'success' })
    // The index itself is always read: it may name children that changed.
    expect(await fetched()).toEqual(['/sitemap.xml 200', ...children.map((path) => `${path} 304`)])
    await world.site({ pages: 31 })
    expect(await run()).toMatchObject({ totalUrls: 31, newUrls: 1, submittedUrls: 1 })
    expect((await fetched()).filter((line) => line.endsWith(' 200')).length).toBe(2)
    expect((await world.ledger('a')).duplicates).toEqual([])
    await world.close()
  })

  it('are read again when Bing is switched on', async () => {
    const world = await openWorld({ pages: 12 })
    const { create, run, change } = withSite(world)
    await create()
    await run()
    await change({ bingEnabled: true, bingApiKey: world.bingKey })
    expect(await run()).toMatchObject({ newUrls: 12, bingStats: { successful: 12 } })
    expect((await world.ledger('a')).acceptedCount).toBe(12)
    await world.close()
  })

  it('are read again when an engine is added', async () => {
    const world = await openWorld({ pages: 12 })
    const { create, run, change } = withSite(world, {})
    await create()
    await run()
    await change({ searchEngines: [world.engines.b, world.engines.a] })
    expect(await run()).toMatchObject({ newUrls: 12, submittedUrls: 12 })
    expect((await world.ledger('a')).duplicates).toEqual([])
    expect((await world.ledger('b')).acceptedCount).toBe(12)
    await world.close()
  })

  it('are read again when marks have expired, and when they are gone', async () => {
    const world = await openWorld({ pages: 12 })
    const { create, run } = withSite(world, { cacheTtlDays: 30 })
    await create()
    at(TODAY)
    await run()
    at(TODAY + 29 * DAY_MS)
    expect(await run()).toMatchObject({ newUrls: 0, totalUrls: 12 })
    at(TODAY + 30 * DAY_MS)
    expect(await run()).toMatchObject({ newUrls: 12, submittedUrls: 12 })
    await (env as unknown as { KV: { delete(key: string): Promise<void> } }).KV.delete(
      'url_cache:shop.example:0',
    )
    expect(await run()).toMatchObject({ newUrls: 12 })
    await world.close()
  })

  it('are read again while Bing has a backlog', async () => {
    const world = await openWorld({ pages: 12 })
    const { create, run } = withSite(world, {
      bingEnabled: true,
      bingApiKey: world.bingKey,
      bingDailyQuota: 5,
    })
    await create()
    const accepted: number[] = []
    for (let day = 0; day < 4; day++) {
      at(TODAY + day * DAY_MS)
      await run()
      accepted.push((await world.ledger('bing')).acceptedCount)
    }
    expect(accepted).toEqual([5, 10, 12, 12])
    await world.close()
  })

  it('children of an index are skipped by its lastmod, but not on the day of the change', async () => {
    const world = await openWorld({ pages: 0 })
    const child = (n: number, lastmod: string) =>
      `<sitemap><loc>${world.origin}/sitemap-${n}.xml</loc><lastmod>${lastmod}</lastmod></sitemap>`
    const pages = (...lastmods: readonly string[]) => ({
      body: `<urlset>${lastmods.map((one, n) => `<url><loc>/${n}</loc><lastmod>${one}</lastmod></url>`).join('')}</urlset>`,
    })
    const index = (...children: readonly string[]) => ({
      body: `<sitemapindex>${children.join('')}</sitemapindex>`,
    })
    const { create, run } = withSite(world)
    const fetched = watch(world)
    await create()
    at(TODAY)
    await world.site({
      overrides: {
        '/sitemap.xml': index(child(1, '2026-11-10'), child(2, '2026-11-18')),
        '/sitemap-1.xml': { body: '<urlset><url><loc>/old</loc></url></urlset>' },
        '/sitemap-2.xml': pages('2026-11-10', '2026-11-18T05:00:00Z'),
      },
    })
    expect(await run()).toMatchObject({ totalUrls: 3, newUrls: 3 })
    await fetched()
    // A second change on the same date: the index's lastmod does not tell it from the first.
    await world.site({ overrides: { '/sitemap-2.xml': pages('2026-11-10', '2026-11-18T09:00:00Z') } })
    at(TODAY + 4 * 3_600_000)
    expect(await run()).toMatchObject({ newUrls: 1, submittedUrls: 1 })
    expect(await fetched()).toEqual(['/sitemap.xml 200', '/sitemap-2.xml 200'])
    // That day has ended everywhere: once read after it, nothing is asked again.
    at(TODAY + 2 * DAY_MS)
    await run()
    await fetched()
    at(TODAY + 3 * DAY_MS)
    expect(await run()).toMatchObject({ newUrls: 0, totalUrls: 3 })
    expect(await fetched()).toEqual(['/sitemap.xml 200'])
    await world.close()
  })
})

describe('sitemaps that change oddly', () => {
  it('D06 an empty one removes no marks, and a drop by more than half is a warning', async () => {
    const world = await openWorld({ pages: 12 })
    const { create, run } = withSite(world)
    await create()
    await run()
    await world.site({ overrides: { '/sitemap.xml': { body: '<urlset></urlset>' } } })
    const empty = await run()
    expect(empty).toMatchObject({ status: 'success', totalUrls: 0, errors: [{ code: 'sitemap_shrunk' }] })
    await world.site({ overrides: { '/sitemap.xml': null } })
    expect(await run()).toMatchObject({ totalUrls: 12, newUrls: 0 })
    await world.close()
  })

  it('D16 more than half of all lastmods moving at once is a warning; the URLs are submitted all the same', async () => {
    const world = await openWorld({ pages: 0 })
    const page = (n: number, lastmod: string) => `<url><loc>/${n}</loc><lastmod>${lastmod}</lastmod></url>`
    const show = (lastmods: readonly string[]) =>
      world.site({
        overrides: {
          '/sitemap.xml': { body: `<urlset>${lastmods.map((one, n) => page(n, one)).join('')}</urlset>` },
        },
      })
    const { create, run } = withSite(world)
    await create()
    await show(['2026-01-01', '2026-01-01', '2026-01-01', '2026-01-01'])
    expect((await run()).errors).toEqual([])
    await show(['2026-01-02', '2026-01-02', '2026-01-01', '2025-01-01'])
    expect(await run()).toMatchObject({ submittedUrls: 2, errors: [] })
    await show(['2026-01-03', '2026-01-03', '2026-01-03', '2026-01-01'])
    expect(await run()).toMatchObject({
      submittedUrls: 3,
      status: 'success',
      errors: [{ code: 'lastmods_moved' }],
    })
    await world.close()
  })
})

describe('an index larger than the budget', () => {
  const page = (path: string) => `<urlset><url><loc>${path}</loc></url></urlset>`
  const indexOf = (paths: readonly string[]) =>
    `<sitemapindex>${paths.map((path) => `<sitemap><loc>${path}</loc></sitemap>`).join('')}</sitemapindex>`
  const numbers = (count: number) => Array.from({ length: count }, (_, n) => n)

  it('D05 each tick moves on, flat or nested, until all is submitted; then the schedule applies again', async () => {
    const world = await openWorld({ pages: 0 })
    const nested = numbers(25).map((n) => `/n${n}.xml`)
    const flat = numbers(10).map((n) => `/f${n}.xml`)
    await world.site({
      overrides: {
        '/sitemap.xml': { body: indexOf(['/nested.xml', ...flat]) },
        '/nested.xml': { body: indexOf(nested) },
        ...Object.fromEntries([...nested, ...flat].map((path) => [path, { body: page(`/of${path}`) }])),
      },
    })
    const { app, create } = withSite(world, {}, { RUN_REQUEST_BUDGET: '12' })
    await create()
    const accepted: number[] = []
    for (let tick = 0; tick < 8; tick++) {
      at(TODAY + tick * 900_000)
      await app.scheduled()
      accepted.push((await world.ledger('a')).acceptedCount)
    }
    expect(accepted.at(-1)).toBe(35)
    expect((await world.ledger('a')).duplicates).toEqual([])
    const before = (await world.ledger('site')).requests.length
    at(TODAY + 9 * 900_000)
    await app.scheduled()
    expect((await world.ledger('site')).requests.length).toBe(before)
    await world.close()
  })
})

describe('what a run costs in KV', () => {
  it.each([
    ['with validators', { etag: '"one"' }],
    ['without', {}],
  ])(
    'D07 %s, 50,000 new URLs in bulk: 6 writes of marks and 10 in all; then 8 reads and 3 writes',
    async (_, headers) => {
      const world = await openWorld({ pages: 0 })
      const entries = Array.from({ length: 50_000 }, (_, n) => `<url><loc>${world.origin}/${n}</loc></url>`)
      const body = `<urlset>${entries.join('')}</urlset>`
      await world.site({ overrides: { '/sitemap.xml': { body, headers } } })
      const { create, run } = withSite(world)
      await create()
      const put = vi.spyOn(kv, 'put')
      const first = await run()
      const marks = put.mock.calls.filter(([key]) => key.startsWith('url_cache:'))
      put.mockRestore()
      expect(first).toMatchObject({ submittedUrls: 50_000, status: 'success' })
      expect(marks.length).toBeGreaterThan(0)
      expect(marks.length).toBeLessThanOrEqual(6)
      expect(first.kvWrites).toBeLessThanOrEqual(10)
      expect((await world.ledger('a')).requests.length).toBe(5)
      for (let again = 0; again < 2; again++) {
        const next = await run()
        expect(next).toMatchObject({ totalUrls: 50_000, cachedUrls: 50_000, newUrls: 0 })
        expect(next.kvReads).toBeLessThanOrEqual(8)
        expect(next.kvWrites).toBeLessThanOrEqual(3)
      }
      await world.close()
    },
    120_000,
  )
})
