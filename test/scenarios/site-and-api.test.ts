import { reset } from 'cloudflare:test'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { beckon, openWorld, settingsFor } from '../support/beckon'

const DAY_MS = 86_400_000

afterEach(async () => {
  vi.useRealTimers()
  await reset()
})

/** Settings without a site of the environment: sites come through the API. */
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

describe('running', () => {
  it('D01 the cron trigger runs what is due, once a day by default, with its record in KV', async () => {
    const world = await openWorld({ pages: 8 })
    const app = beckon(settingsFor(world))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 0, 0, 5) })
    await app.scheduled()
    expect((await world.ledger('a')).acceptedCount).toBe(8)

    await world.site({ pages: 9 })
    vi.setSystemTime(Date.UTC(2026, 10, 18, 0, 15, 5))
    await app.scheduled()
    expect((await world.ledger('a')).acceptedCount).toBe(8)
    vi.setSystemTime(Date.UTC(2026, 10, 19, 0, 0, 5))
    await app.scheduled()
    expect((await world.ledger('a')).acceptedCount).toBe(9)

    const { records } = await app.json<{ records: ExecutionRecord[] }>('/history?site=127.0.0.1')
    expect(records.map(({ trigger, submittedUrls }) => ({ trigger, submittedUrls }))).toEqual([
      { trigger: 'cron', submittedUrls: 1 },
      { trigger: 'cron', submittedUrls: 8 },
    ])
    await world.close()
  })

  it('D01 a run that its budget cut short goes on at the next tick until all is submitted', async () => {
    const world = await openWorld({ pages: 20 })
    const method = { submitMethod: 'get', searchEngines: [world.engines.a] }
    const app = beckon(withoutSite(world, { RUN_REQUEST_BUDGET: '14' }))
    await app.post('/api/sites', siteOf(world, method))
    for (let tick = 0; tick < 3; tick++) await app.scheduled()
    const ledger = await world.ledger('a')
    expect(ledger.acceptedCount).toBe(20)
    expect(ledger.duplicates).toEqual([])
    const { records } = await app.json<{ records: ExecutionRecord[] }>('/history?site=shop.example')
    expect(records.map(({ status }) => status)).toEqual(['success', 'checkpointed', 'checkpointed'])
    expect(records.every(({ requests }) => requests <= 14)).toBe(true)
    await world.close()
  })

  it('D02 one site comes from the environment, its host from the sitemap, and shows as such', async () => {
    const world = await openWorld({ pages: 4 })
    const app = beckon(settingsFor(world, { MAX_CONCURRENT_REQUESTS: '2', CACHE_TTL_DAYS: '7' }))
    const { site } = await app.json<{ site: Record<string, unknown> }>('/api/sites/127.0.0.1')
    expect(site).toMatchObject({
      id: '127.0.0.1',
      host: `127.0.0.1:${world.port}`,
      source: 'env',
      schedule: '0 0 * * *',
      maxConcurrentRequests: 2,
      requestIntervalMs: 0,
      cacheTtlDays: 7,
      maxRetries: 3,
      apiKey: '****...****',
    })
    expect((await app.trigger('?site=127.0.0.1')).record.submittedUrls).toBe(4)
    await world.close()
  })

  it('D06 marks expire after CACHE_TTL_DAYS, and only accepted URLs are marked', async () => {
    const world = await openWorld({ pages: 6 })
    await world.faults({ target: 'a', kind: '5xx', times: null, match: '/blog/post-2' })
    const app = beckon(settingsFor(world, { CACHE_TTL_DAYS: '30', MAX_RETRIES: '0' }))
    const now = Date.UTC(2026, 10, 18, 12)
    vi.useFakeTimers({ toFake: ['Date'], now })
    expect((await app.trigger()).record).toMatchObject({ submittedUrls: 5, failedUrls: 1, status: 'partial' })
    await world.reset()
    expect((await app.trigger()).record).toMatchObject({ newUrls: 1, submittedUrls: 1 })
    vi.setSystemTime(now + 29 * DAY_MS)
    expect((await app.trigger()).record).toMatchObject({ newUrls: 0 })
    vi.setSystemTime(now + 30 * DAY_MS)
    expect((await app.trigger()).record).toMatchObject({ newUrls: 6, submittedUrls: 6 })
    await world.close()
  })

  it('D06 a page with a newer lastmod is submitted again, and only that one', async () => {
    const world = await openWorld({ pages: 6 })
    const app = beckon(settingsFor(world))
    await app.trigger()
    await world.site({ touch: [{ page: '/products/item-3' }] })
    expect((await app.trigger()).record).toMatchObject({ newUrls: 1, submittedUrls: 1 })
    const { accepted } = await world.ledger('a')
    expect(accepted.at(-1)?.url).toBe(`${world.origin}/products/item-3`)
    await world.close()
  })

  it('D08 within a run no URL is submitted twice, however often the sitemaps list it', async () => {
    const world = await openWorld({ pages: 8 })
    const url = (path: string) => `<url><loc>${world.origin}${path}</loc></url>`
    const body = `<urlset>${url('/x')}${url('/x#part')}${url('/y')}${url('/x')}</urlset>`
    await world.site({ overrides: { '/sitemap-pages.xml': { body }, '/sitemap-blog.xml': { body } } })
    const { record } = await beckon(settingsFor(world)).trigger()
    const ledger = await world.ledger('a')
    expect(ledger.duplicates).toEqual([])
    expect(ledger.accepted.filter(({ url: sent }) => sent === `${world.origin}/x`)).toHaveLength(1)
    expect(record.leftOut).toEqual({ duplicate: 6 })
    await world.close()
  })

  it('B10 a URL that IndexNow has is still pending for Bing, and the reverse', async () => {
    const world = await openWorld({ pages: 10 })
    const bing = { BING_ENABLED: 'true', BING_API_KEY: world.bingKey }
    expect((await beckon(settingsFor(world)).trigger()).record.submittedUrls).toBe(10)
    const app = beckon(settingsFor(world, bing))
    const second = await app.trigger()
    expect(second.record.engines[world.engines.a]).toMatchObject({ total: 0 })
    expect(second.record.bingStats).toMatchObject({ enabled: true, successful: 10, quotaUsed: 10 })
    expect((await world.ledger('bing')).acceptedCount).toBe(10)

    await world.site({ pages: 11 })
    expect((await app.trigger('?channel=bing')).record).toMatchObject({ newUrls: 1, submittedUrls: 1 })
    expect((await app.trigger('?channel=indexnow')).record).toMatchObject({ newUrls: 1, submittedUrls: 1 })
    expect((await app.trigger()).record).toMatchObject({ newUrls: 0, status: 'success' })
    await world.close()
  })
})

describe('the API', () => {
  it('D03 a site is created, read and listed, its key masked everywhere', async () => {
    const world = await openWorld({ pages: 4 })
    const app = beckon(withoutSite(world))
    const created = await app.post('/api/sites', siteOf(world))
    expect(created.status).toBe(201)
    const text = await created.text()
    expect(text).not.toContain(world.key)
    expect(JSON.parse(text).site).toMatchObject({ id: 'shop.example', source: 'api', submitMethod: 'auto' })
    const read = await app.json<{ site: unknown }>('/api/sites/shop.example')
    expect(read).toEqual(JSON.parse(text))
    expect(await app.json('/api/sites')).toEqual({ sites: [read.site] })
    expect((await app.post('/api/sites', siteOf(world))).status).toBe(409)
    expect((await app.fetch('/api/sites/other.example')).status).toBe(404)
    const run = await app.trigger('?site=shop.example')
    expect(run).toMatchObject({ success: true, siteId: 'shop.example' })
    const status = await app.json<Record<string, unknown>>('/status?site=shop.example')
    expect(status).toMatchObject({
      status: 'running',
      siteId: 'shop.example',
      pending: 0,
      bing: { enabled: false },
    })
    expect(status.lastExecution).toMatchObject({ runId: run.record.runId, submittedUrls: 4 })
    await world.close()
  })

  it.each([
    ['{', 'invalid_json', undefined],
    ['[]', 'invalid_body', undefined],
    ['null', 'invalid_body', undefined],
    [{ apiKey: 'a'.repeat(32) }, 'missing_field', 'sitemapUrl'],
    [{ sitemapUrl: 'http://127.0.0.1/s.xml' }, 'missing_field', 'apiKey'],
    [{ sitemapUrl: 'nonsense', apiKey: 'a'.repeat(32) }, 'invalid_field', 'sitemapUrl'],
    [{ sitemapUrl: 'http://10.0.0.1/s.xml', apiKey: 'a'.repeat(32) }, 'invalid_field', 'sitemapUrl'],
    [{ sitemapUrl: 'http://127.0.0.1/s.xml', apiKey: 'short' }, 'invalid_field', 'apiKey'],
    [{ sitemapUrl: 'http://127.0.0.1/s.xml', apiKey: 'a'.repeat(32), id: 'bing' }, 'invalid_field', 'id'],
    [{ sitemapUrl: 'http://127.0.0.1/s.xml', apiKey: 'a'.repeat(32), extra: 1 }, 'unknown_field', 'extra'],
    [
      '{"sitemapUrl":"http://127.0.0.1/s.xml","apiKey":"aaaaaaaaaa","__proto__":{"enabled":true}}',
      'unknown_field',
      '__proto__',
    ],
  ])('D03 bad input %j is refused with code %s and the field named', async (body, code, field) => {
    const app = beckon({ ALLOW_PRIVATE_NETWORK: 'true', ADMIN_TOKEN: 'a-token-of-32-characters-exactly' })
    const response = await app.post('/api/sites', body)
    expect(response.status).toBe(400)
    expect(response.headers.get('content-type')).toBe('application/problem+json')
    const problem = (await response.json()) as { code: string; field?: string; detail: string }
    expect({ code: problem.code, field: problem.field }).toEqual({ code, field })
    if (field !== undefined) expect(problem.detail).toContain(field)
    expect(await app.json('/api/sites')).toEqual({ sites: [] })
  })

  it('D03 what is refused says where to go on', async () => {
    const app = beckon({ ADMIN_TOKEN: 'a-token-of-32-characters-exactly' })
    const site = { sitemapUrl: 'https://shop.example/s.xml', apiKey: 'a'.repeat(32) }
    const detailOf = async (response: Response) => ((await response.json()) as { detail: string }).detail
    expect(await detailOf(await app.post('/api/sites', ''))).toMatch(/^The body is empty: send a JSON object/)
    expect(await detailOf(await app.post('/api/sites', { ...site, keyLocation: 'key.txt' }))).toBe(
      'keyLocation must be a full address such as https://example.com/0123456789abcdef.txt',
    )
    expect((await app.post('/api/sites', site)).status).toBe(201)
    expect(await detailOf(await app.post('/api/sites', site))).toContain('PUT /api/sites/shop.example')
    expect(await detailOf(await app.post('/api/sites', { ...site, id: 'other.example' }))).toContain(
      'PUT /api/sites/shop.example',
    )
    expect(await detailOf(await app.fetch('/api/sites/none.example'))).toContain('GET /api/sites lists')
    const urls = '/api/sites/shop.example/urls?url=https://shop.example/?a=1&b=2'
    expect(await detailOf(await app.fetch(urls))).toContain('percent-encode the value of url')
    expect(await app.json('/api/sites/shop.example/marks?channel=fax', { method: 'DELETE' })).toMatchObject({
      status: 400,
      code: 'unknown_channel',
      field: 'channel',
    })
  })

  it('D03 all that is wrong is told at once, an unknown field with what was meant', async () => {
    const app = beckon({ ADMIN_TOKEN: 'a-token-of-32-characters-exactly' })
    const response = await app.post('/api/sites', {
      sitemapurl: 'https://shop.example/s.xml',
      maxRetries: 99,
    })
    expect(await response.json()).toEqual({
      status: 400,
      code: 'missing_field',
      field: 'sitemapUrl',
      detail:
        'sitemapUrl is required; maxRetries must be a whole number from 0 to 10; apiKey is required; ' +
        'sitemapurl is not a field of a site: did you mean sitemapUrl?',
    })
  })
})
