import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import type { PendingList } from '../../src/records/pending-urls'
import { beckon, openWorld, settingsFor } from '../support/beckon'

let world: World
let lines: Record<string, unknown>[] = []

beforeEach(() => {
  lines = []
  vi.spyOn(console, 'log').mockImplementation((line: unknown) => {
    lines.push(JSON.parse(String(line)) as Record<string, unknown>)
  })
})

afterEach(async () => {
  vi.restoreAllMocks()
  vi.useRealTimers()
  await world.close()
  await reset()
})

const messages = (level: string) =>
  lines.filter((line) => line.level === level).map(({ message }) => String(message))
const both = () => ({ INDEXNOW_SEARCH_ENGINES: `${world.engines.a},${world.engines.b}` })
const siteOf = (extra: Record<string, unknown>) => ({
  id: 'shop.example',
  sitemapUrl: world.sitemapUrl,
  apiKey: world.key,
  searchEngines: [world.engines.a],
  ...extra,
})
function withoutSite(extra: Record<string, string> = {}): Record<string, string> {
  const { SITEMAP_URL: _url, INDEXNOW_API_KEY: _key, ...rest } = settingsFor(world, extra)
  return rest
}
const historyOf = async (app: ReturnType<typeof beckon>, id: string) =>
  (await app.json<{ records: ExecutionRecord[] }>(`/history?site=${id}`)).records

function expectBalanced(record: ExecutionRecord): void {
  for (const { total, accepted, failed, rejected, deferred } of Object.values(record.engines)) {
    expect(accepted + failed + rejected + deferred).toBe(total)
  }
}

describe('IndexNow in trouble', () => {
  it.each([
    ['missing', 'key_file_missing'],
    ['wrong', 'key_file_wrong'],
  ] as const)('N04 a key file that is %s: no engine hears of it, the reason is told, and it heals by itself', async (keyFile, code) => {
    world = await openWorld({ pages: 5 })
    await world.site({ keyFile })
    const app = beckon(settingsFor(world, both()))
    const { record, success } = await app.trigger()
    expect(success).toBe(false)
    expect(record.status).toBe('failed')
    expect(record.errors.map((error) => error.code)).toContain(code)
    expect(JSON.stringify(record)).not.toContain(world.key)
    const silent = await world.ledgers()
    expect([...silent.a.requests, ...silent.b.requests]).toEqual([])

    await world.site({ keyFile: 'ok' })
    expect((await app.trigger()).record).toMatchObject({ status: 'success', submittedUrls: 5 })
    expect((await world.ledger('a')).acceptedCount).toBe(5)
  })

  it('N05 the key is checked for its form, may be a secret of the Worker, and shows at most its first 4 characters', async () => {
    world = await openWorld({ pages: 3 })
    const app = beckon(withoutSite({ SHOP_KEY: world.key }))
    for (const apiKey of ['short', 'a'.repeat(129), 'under_score_0', 'sp ace 00000']) {
      expect((await app.post('/api/sites', siteOf({ apiKey }))).status).toBe(400)
    }
    expect((await app.post('/api/sites', siteOf({ apiKey: 'env:SHOP_KEY' }))).status).toBe(201)
    await world.site({ keyFile: 'missing' })
    const answer = await (await app.fetch('/trigger?site=shop.example')).text()
    expect(answer).toContain(`${world.key.slice(0, 4)}****`)
    const said = answer + JSON.stringify(lines) + JSON.stringify(await historyOf(app, 'shop.example'))
    expect(said).not.toContain(world.key.slice(0, 5))
    await world.site({ keyFile: 'ok' })
    expect((await app.trigger('?site=shop.example')).record.submittedUrls).toBe(3)
  })

  it('N09 N18 1,100 URLs by GET: batches of 100 with number, count, engine, status, time and progress', async () => {
    world = await openWorld({ pages: 1_100 })
    const { record } = await beckon(settingsFor(world)).trigger()
    expect(record).toMatchObject({ status: 'success', submittedUrls: 1_100 })
    expect(record.batches).toHaveLength(11)
    for (const [n, batch] of record.batches.entries()) {
      expect(batch).toMatchObject({
        number: n + 1,
        urlCount: 100,
        engine: world.engines.a,
        statusCode: expect.any(Number),
      })
      expect(batch.ms).toBeGreaterThanOrEqual(0)
    }
    const progress = lines.filter(({ message }) => message === 'batch submitted').map((line) => line.progress)
    expect(progress).toEqual(Array.from({ length: 11 }, (_, n) => `${(n + 1) * 100}/1100`))
  })

  it('N10 the time ends: what is done is saved, the rest goes on, and the advice names what would help', async () => {
    world = await openWorld({ pages: 60, latencyMs: 100 })
    const app = beckon(withoutSite({ RUN_TIME_BUDGET_MS: '1000' }))
    await app.post('/api/sites', siteOf({ submitMethod: 'get' }))
    const records: ExecutionRecord[] = []
    for (let run = 0; run < 8; run++) {
      const { record } = await app.trigger('?site=shop.example')
      records.push(record)
      expectBalanced(record)
      if (record.status === 'success') break
    }
    expect(records[0]?.status).toBe('checkpointed')
    expect(records.at(-1)?.status).toBe('success')
    const advice = records[0]?.errors.find(({ code }) => code === 'budget')?.advice
    for (const help of ['split the sitemap', 'run more often', 'bulk', 'RUN_TIME_BUDGET_MS'])
      expect(advice).toContain(help)
    const { acceptedCount, duplicates } = await world.ledger('a')
    expect({ acceptedCount, duplicates }).toEqual({ acceptedCount: 60, duplicates: [] })
  })

  it('N12 N16 a 429 that stays is retried three times, then the batch is skipped; the other engine is untouched', async () => {
    world = await openWorld({ pages: 10 })
    await world.faults({ target: 'a', kind: '429', times: null })
    const app = beckon(settingsFor(world, { ...both(), MAX_CONCURRENT_REQUESTS: '1' }))
    const { record } = await app.trigger()
    expect((await world.ledger('a')).requests.map(({ status }) => status)).toEqual([429, 429, 429, 429])
    expect(record.engines[world.engines.b]).toMatchObject({ accepted: 10 })
    expect(record.status).toBe('partial')
    const retries = messages('warn').filter((text) => text.includes('retry'))
    expect(retries).toEqual([1, 2, 3].map((n) => `IndexNow ${world.engines.a}: throttled, retry ${n}/3`))
    expect(messages('error')).toContain(`IndexNow ${world.engines.a}: throttled, given up after 3 retries`)
    expectBalanced(record)
  })

  it('N13 N16 a 503 that passes: retried, and nothing is lost or sent twice', async () => {
    world = await openWorld({ pages: 10 })
    await world.faults({ target: 'a', kind: '5xx', status: 503, times: 2 })
    const { record } = await beckon(settingsFor(world)).trigger()
    expect(record).toMatchObject({ status: 'success', submittedUrls: 10, failedUrls: 0 })
    expect((await world.ledger('a')).duplicates).toEqual([])
    expect(messages('warn').filter((text) => text.includes('server_error_503, retry'))).not.toEqual([])
  })

  it('N14 a refused key is not retried; the log has the reason and says what to check', async () => {
    world = await openWorld({ pages: 6 })
    await world.faults({ target: 'a', kind: 'refuse', times: null })
    const app = beckon(settingsFor(world, { MAX_CONCURRENT_REQUESTS: '1' }))
    const { record } = await app.trigger()
    expect((await world.ledger('a')).requests).toHaveLength(1)
    expect(record.errors[0]).toMatchObject({
      code: 'key_refused',
      advice: expect.stringContaining('key file'),
    })
    expect(
      lines.find(({ level, advice }) => level === 'error' && String(advice).includes('key file')),
    ).toBeDefined()
    // The next run looks at the key file itself before it asks the engine again.
    const before = (await world.ledger('site')).requests.filter(({ path }) => path.endsWith('.txt')).length
    await app.trigger()
    const after = (await world.ledger('site')).requests.filter(({ path }) => path.endsWith('.txt')).length
    expect(after - before).toBe(1)
  })

  it('N15 a connection that breaks is retried like a 5xx', async () => {
    world = await openWorld({ pages: 4 })
    await world.faults({ target: 'a', kind: 'drop', times: 1 })
    const { record } = await beckon(settingsFor(world, { MAX_CONCURRENT_REQUESTS: '1' })).trigger()
    expect(record).toMatchObject({ status: 'success', submittedUrls: 4 })
    expect(messages('warn')).toContain(`IndexNow ${world.engines.a}: network, retry 1/3`)
  })

  it('N17 what failed is listed, not marked, and goes first next time', async () => {
    world = await openWorld({ pages: 9 })
    await world.faults({ target: 'a', kind: '5xx', times: null, match: '/news/story-8' })
    const app = beckon(settingsFor(world, { MAX_RETRIES: '0', MAX_CONCURRENT_REQUESTS: '1' }))
    expect((await app.trigger()).record).toMatchObject({ submittedUrls: 8, failedUrls: 1 })
    const listed = JSON.parse((await env.KV.get('sites:pending:127.0.0.1')) ?? 'null') as PendingList
    expect(listed.entries).toMatchObject([
      { url: `${world.origin}/news/story-8`, reason: 'server_error_503', status: 503, attempts: 1 },
    ])
    await world.reset()
    await world.site({ pages: 12 })
    await app.trigger()
    const { accepted } = await world.ledger('a')
    expect(accepted).toHaveLength(4)
    expect(accepted[0]?.url).toBe(`${world.origin}/news/story-8`)
  })

  it('N19 total, successful, failed and average time per engine are in record, log and answer', async () => {
    world = await openWorld({ pages: 8, latencyMs: 15 })
    const app = beckon(settingsFor(world, both()))
    const { record } = await app.trigger()
    for (const engine of [world.engines.a, world.engines.b]) {
      expect(record.engines[engine]).toMatchObject({ total: 8, accepted: 8, failed: 0 })
      expect(record.engines[engine]?.averageMs).toBeGreaterThanOrEqual(15)
    }
    expect(lines.find(({ message }) => message === 'run finished')?.engines).toEqual(record.engines)
    expect((await historyOf(app, '127.0.0.1'))[0]?.engines).toEqual(record.engines)
  })

  it('N20 more than 10 % failed: ERROR in the log, and one signed alert to the webhook', async () => {
    world = await openWorld({ pages: 20 })
    await world.site({ overrides: { '/hook': { status: 200, body: 'ok' } } })
    await world.faults({ target: 'a', kind: 'refuse', times: null, match: '/blog/' })
    const app = beckon(
      settingsFor(world, {
        WEBHOOK_URL: `${world.origin}/hook`,
        WEBHOOK_SECRET: 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=',
      }),
    )
    const { record } = await app.trigger()
    expect(record.engines[world.engines.a]?.rejected).toBeGreaterThan(0)
    expect(lines.find(({ level, code }) => level === 'error' && code === 'failure_rate')).toBeDefined()
    const hooks = (await world.ledger('site')).requests.filter(({ path }) => path === '/hook')
    expect(hooks.map(({ method }) => method)).toEqual(['POST'])
  })

  it('a POST with bad URLs: those the engine names are dropped, the rest is accepted in the same run', async () => {
    world = await openWorld({ pages: 40 })
    const bad = ["/pages/a'b%zz", '/pages/c%']
    const good = Array.from({ length: 30 }, (_, n) => `/pages/good-${n}`)
    const body = `<urlset>${[...good, ...bad].map((path) => `<url><loc>${world.origin}${path}</loc></url>`).join('')}</urlset>`
    await world.site({ overrides: { '/sitemap.xml': { body } } })
    const app = beckon(withoutSite())
    await app.post('/api/sites', siteOf({ submitMethod: 'bulk' }))
    const { record } = await app.trigger('?site=shop.example')
    expect(record.engines[world.engines.a]).toMatchObject({ accepted: 30, rejected: 2 })
    expectBalanced(record)
    expect((await app.trigger('?site=shop.example')).record).toMatchObject({ newUrls: 0 })
  })

  it('20,000 new URLs on the budget of the free plan: one run, 2 POSTs per engine', async () => {
    world = await openWorld({ pages: 20_000 })
    const { record } = await beckon(settingsFor(world, { ...both(), RUN_REQUEST_BUDGET: '45' })).trigger()
    expect(record).toMatchObject({ status: 'success', submittedUrls: 20_000 })
    expect(record.requests).toBeLessThanOrEqual(45)
    for (const engine of ['a', 'b'] as const) {
      const { requests, acceptedCount } = await world.ledger(engine)
      expect(requests.map(({ method, urls }) => [method, urls])).toEqual([
        ['POST', 10_000],
        ['POST', 10_000],
      ])
      expect(acceptedCount).toBe(20_000)
    }
  })
})
