import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import { beckon, openWorld, settingsFor } from '../support/beckon'

afterEach(async () => {
  vi.useRealTimers()
  await reset()
})

interface Finding {
  name: string
  ok: boolean
  code: string
  detail: string
  advice?: string
}
interface CheckAnswer {
  ok: boolean
  checks: Finding[]
  sitemap: { totalUrls: number; leftOut: Record<string, number>; complete: boolean }
}
interface UrlAnswer {
  url: string
  leftOut: { code: string } | null
  engines: Record<string, Record<string, unknown>>
}

const SITE = '/api/sites/127.0.0.1'
const withBing = (world: World, extra: Record<string, string> = {}) =>
  settingsFor(world, { BING_ENABLED: 'true', BING_API_KEY: world.bingKey, ...extra })

describe('/status', () => {
  it('B20 with Bing on: quota used and left today, and the last submission', async () => {
    const world = await openWorld({ pages: 85 })
    const app = beckon(withBing(world))
    const before = await app.json<Record<string, unknown>>('/status?site=127.0.0.1')
    expect(before.bing).toEqual({
      enabled: true,
      todayQuotaUsed: 0,
      todayQuotaRemaining: 100,
      lastSubmission: null,
    })
    const { record } = await app.trigger()
    const { bing } = await app.json<{ bing: { lastSubmission: string } }>('/status?site=127.0.0.1')
    expect(bing).toMatchObject({ enabled: true, todayQuotaUsed: 85, todayQuotaRemaining: 15 })
    expect(Date.parse(bing.lastSubmission)).toBeGreaterThanOrEqual(Date.parse(record.timestamp))
    // A run with nothing to send is no submission.
    await app.trigger()
    const after = await app.json<{ bing: { lastSubmission: string } }>('/status?site=127.0.0.1')
    expect(after.bing.lastSubmission).toBe(bing.lastSubmission)
    await world.close()
  })

  it('B21 with Bing off: enabled is false and nothing else', async () => {
    const world = await openWorld({ pages: 1 })
    const status = await beckon(settingsFor(world)).json<Record<string, unknown>>('/status?site=127.0.0.1')
    expect(status.bing).toEqual({ enabled: false })
    await world.close()
  })

  it('N19 per engine: its last answer, until when it is set aside, and what it accepted in total', async () => {
    const world = await openWorld({ pages: 5 })
    const engines = `${world.engines.a},${world.engines.b}`
    const app = beckon(
      settingsFor(world, {
        INDEXNOW_SEARCH_ENGINES: engines,
        RATE_LIMIT_WAIT_MS: '600000',
        RUN_TIME_BUDGET_MS: '60000',
      }),
    )
    await app.trigger()
    await world.site({ pages: 6 })
    await world.faults({ target: 'b', kind: '429', times: null })
    const { record } = await app.trigger()
    const status = await app.json<{ engines: Record<string, Record<string, unknown>>; pending: number }>(
      '/status?site=127.0.0.1',
    )
    expect(status.engines[world.engines.a]).toMatchObject({
      channel: 'indexnow',
      acceptedTotal: 6,
      lastAnswer: { status: 200 },
      setAsideUntil: null,
      lastRun: { accepted: 1 },
    })
    const b = status.engines[world.engines.b]
    expect(b).toMatchObject({ acceptedTotal: 5, lastAnswer: { status: 429 }, lastRun: { accepted: 0 } })
    expect(Date.parse(String(b?.setAsideUntil))).toBeGreaterThan(Date.parse(record.timestamp) + 500_000)
    expect(status.pending).toBe(1)
    await world.close()
  })

  it('D17 today’s KV writes and their share of the free plan, a new day beginning at zero', async () => {
    const world = await openWorld({ pages: 3 })
    const app = beckon(settingsFor(world))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) })
    const writes = (await app.trigger()).record.kvWrites + (await app.trigger()).record.kvWrites
    expect(writes).toBeGreaterThanOrEqual(6)
    const read = () => app.json<{ kv: unknown }>('/status?site=127.0.0.1')
    expect((await read()).kv).toEqual({ writesToday: writes, shareOfFreePlan: writes / 1000 })
    vi.setSystemTime(Date.UTC(2026, 10, 19, 12))
    expect((await read()).kv).toEqual({ writesToday: 0, shareOfFreePlan: 0 })
    await world.close()
  })

  it('the next run is the tick that will do it: at once when due, by the schedule otherwise', async () => {
    const world = await openWorld({ pages: 20 })
    const app = beckon(settingsFor(world, { RUN_REQUEST_BUDGET: '12', CRON_SCHEDULE: '5 3 * * *' }))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12, 1) })
    const next = async () => (await app.json<{ nextRun: string }>('/status?site=127.0.0.1')).nextRun
    expect(await next()).toBe('2026-11-18T12:15:00.000Z')
    for (let run = 0, status = ''; status !== 'success'; run++) {
      expect(run).toBeLessThan(6)
      status = (await app.trigger()).record.status
      expect(await next()).toBe(
        status === 'success' ? '2026-11-19T03:15:00.000Z' : '2026-11-18T12:15:00.000Z',
      )
    }
    await world.close()
  })
})

describe('/api/stats/daily', () => {
  it('B22 seven days, oldest first, zero-filled, URLs counted once however many engines heard of them', async () => {
    const world = await openWorld({ pages: 10 })
    const app = beckon(
      withBing(world, {
        INDEXNOW_SEARCH_ENGINES: `${world.engines.a},${world.engines.b}`,
        BING_DAILY_QUOTA: '4',
        MAX_RETRIES: '0',
      }),
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 16, 12) })
    await world.faults({ target: 'b', kind: '5xx', times: null, match: '/news/story-4' })
    await app.trigger()
    await world.reset()
    vi.setSystemTime(Date.UTC(2026, 10, 18, 12))
    await app.trigger('?channel=indexnow')
    const { daily } = await app.json<{ daily: Record<string, unknown>[] }>('/api/stats/daily?days=7')
    const nothing = { total: 0, successful: 0 }
    expect(daily).toEqual([
      ...['12', '13', '14', '15'].map((day) => ({
        date: `2026-11-${day}`,
        indexnow: nothing,
        bing: nothing,
      })),
      { date: '2026-11-16', indexnow: { total: 10, successful: 9 }, bing: { total: 4, successful: 4 } },
      { date: '2026-11-17', indexnow: nothing, bing: nothing },
      { date: '2026-11-18', indexnow: { total: 1, successful: 1 }, bing: nothing },
    ])
    expect(await app.json('/api/stats/daily?site=127.0.0.1')).toEqual({ daily })
    const one = await app.json<{ daily: unknown[] }>('/api/stats/daily?days=1')
    expect(one.daily).toEqual([daily.at(-1)])
    expect((await app.json<{ daily: unknown[] }>('/api/stats/daily?days=90')).daily).toHaveLength(90)
    await world.close()
  })

  it('B22 all sites together, or one; days out of 1–90 are 400, an unknown site 404', async () => {
    const world = await openWorld({ pages: 3 })
    const app = beckon(settingsFor(world))
    await app.post('/api/sites', {
      id: 'second.example',
      sitemapUrl: `${world.sitemapUrl}?second`,
      apiKey: world.key,
      host: `127.0.0.1:${world.port}`,
    })
    await app.trigger('?site=127.0.0.1')
    await app.trigger('?site=second.example')
    const total = async (query: string) => {
      const { daily } = await app.json<{ daily: { indexnow: { total: number } }[] }>(
        `/api/stats/daily?days=1${query}`,
      )
      return daily[0]?.indexnow.total
    }
    expect(await total('')).toBe(6)
    expect(await total('&site=second.example')).toBe(3)
    for (const days of ['0', '91', '-1', '1e1', '7;', '1.5', '', '1000000000', 'NaN']) {
      const response = await app.fetch(`/api/stats/daily?days=${encodeURIComponent(days)}`)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'invalid_parameter', field: 'days' })
    }
    expect((await app.fetch('/api/stats/daily?site=none.example')).status).toBe(404)
    await world.close()
  })
})

describe('/history', () => {
  it('D12 is paged, newest first, until nextOffset is null', async () => {
    const world = await openWorld({ pages: 2 })
    const app = beckon(settingsFor(world))
    const ran: string[] = []
    for (let run = 0; run < 5; run++) ran.unshift((await app.trigger()).record.runId)
    const seen: string[] = []
    let offset: number | null = 0
    while (offset !== null) {
      const page: { total: number; records: { runId: string }[]; nextOffset: number | null } = await app.json(
        `/history?limit=2&offset=${offset}`,
      )
      expect(page.total).toBe(5)
      seen.push(...page.records.map(({ runId }) => runId))
      offset = page.nextOffset
    }
    expect(seen).toEqual(ran)
    for (const query of ['limit=0', 'limit=101', 'offset=-1', 'offset=x']) {
      expect((await app.fetch(`/history?${query}`)).status).toBe(400)
    }
    await world.close()
  })
})

describe('/api/sites/{id}/urls and /pending', () => {
  it('N17 says where a URL was accepted and when, and why it is pending elsewhere', async () => {
    const world = await openWorld({ pages: 6 })
    const engines = `${world.engines.a},${world.engines.b}`
    // Without retries: their waits would never end on a clock that stands still.
    const settings = { INDEXNOW_SEARCH_ENGINES: engines, BING_DAILY_QUOTA: '1', MAX_RETRIES: '0' }
    const app = beckon(withBing(world, settings))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 12) })
    const ask = (url: string) => app.json<UrlAnswer>(`${SITE}/urls?url=${encodeURIComponent(url)}`)
    const url = `${world.origin}/blog/post-2`
    const unknown = { state: 'pending', code: 'not_sent', acceptedOn: null }
    expect((await ask(url)).engines).toMatchObject({
      [world.engines.a]: unknown,
      [world.engines.b]: unknown,
      'bing-webmaster': unknown,
    })
    await world.faults({ target: 'b', kind: '5xx', times: null, match: '/blog/post-2' })
    await app.trigger()
    const known = await ask(`${url}#part`)
    expect(known.url).toBe(url)
    expect(known.leftOut).toBeNull()
    expect(known.engines[world.engines.a]).toMatchObject({
      state: 'accepted',
      code: 'accepted',
      acceptedOn: '2026-11-18',
    })
    expect(known.engines[world.engines.b]).toMatchObject({
      state: 'pending',
      code: 'server_error_503',
      acceptedOn: null,
      attempts: 1,
    })
    expect(known.engines['bing-webmaster']).toMatchObject({ state: 'pending', code: 'quota' })
    vi.setSystemTime(Date.UTC(2026, 11, 30, 12))
    expect((await ask(url)).engines[world.engines.a]).toMatchObject({
      state: 'pending',
      code: 'mark_expired',
      acceptedOn: '2026-11-18',
    })
    await world.close()
  })

  it.each([
    ['https://other.example/a', 'other_host'],
    ['ftp://127.0.0.1/a', 'not_http'],
    ['http://u:p@127.0.0.1/a', 'credentials'],
    ['http://[', 'bad_url'],
  ])('a URL that the crawler leaves out says why: %s is %s', async (url, code) => {
    const world = await openWorld({ pages: 1 })
    const app = beckon(settingsFor(world))
    const known = await app.json<UrlAnswer>(`${SITE}/urls?url=${encodeURIComponent(url)}`)
    expect(known).toMatchObject({ leftOut: { code }, engines: {} })
    const missing = await app.fetch(`${SITE}/urls`)
    expect(await missing.json()).toMatchObject({ status: 400, field: 'url' })
    await world.close()
  })

  it('N17 the pending list is shown with its reasons, page by page', async () => {
    const world = await openWorld({ pages: 1 })
    const app = beckon(settingsFor(world))
    const entries = Array.from({ length: 3 }, (_, at) => ({
      channel: 'indexnow',
      engine: world.engines.a,
      url: `${world.origin}/x-${at}`,
      reason: 'server_error_503',
      attempts: at + 1,
      status: 503,
      lastAttempt: '2026-11-18T00:00:00.000Z',
    }))
    await env.KV.put('sites:pending:127.0.0.1', JSON.stringify({ entries, overflow: 2 }))
    const page = await app.json<{ total: number; pending: { url: string; detail: string }[] }>(
      `${SITE}/pending?limit=2&offset=1`,
    )
    expect(page).toMatchObject({ siteId: '127.0.0.1', total: 5, nextOffset: null })
    expect(page.pending.map(({ url }) => url)).toEqual([`${world.origin}/x-1`, `${world.origin}/x-2`])
    expect(page.pending[0]?.detail).toMatch(/trouble/)
    const known = await app.json<UrlAnswer>(`${SITE}/urls?url=${encodeURIComponent(`${world.origin}/x-0`)}`)
    expect(known.engines[world.engines.a]).toMatchObject({
      state: 'pending',
      code: 'server_error_503',
      attempts: 1,
      lastAttempt: '2026-11-18T00:00:00.000Z',
    })
    await world.close()
  })
})

describe('/api/sites/{id}/check', () => {
  const named = (answer: CheckAnswer, name: string) =>
    answer.checks.filter((finding) => finding.name === name)

  it('N04 everything in place: each check is ok, URLs are counted, nothing is submitted or written', async () => {
    const world = await openWorld({ pages: 12 })
    const app = beckon(withBing(world))
    const answer = await app.json<CheckAnswer>(`${SITE}/check`)
    expect(answer).toMatchObject({ ok: true, sitemap: { totalUrls: 12, leftOut: {}, complete: true } })
    expect(answer.checks.map(({ name, code }) => `${name}: ${code}`)).toEqual([
      'keyFile: ok',
      `engine ${world.engines.a}: ok`,
      'bingKey: ok',
      'sitemap: ok',
    ])
    const ledgers = await world.ledgers()
    expect([ledgers.a.acceptedCount, ledgers.bing.acceptedCount]).toEqual([0, 0])
    expect((await env.KV.list()).keys).toEqual([])
    await world.close()
  })

  it.each([
    'missing',
    'wrong',
  ] as const)('N04 a key file that is %s is told, with what to do', async (keyFile) => {
    const world = await openWorld({ pages: 1 })
    await world.site({ keyFile })
    const answer = await beckon(settingsFor(world)).json<CheckAnswer>(`${SITE}/check`)
    expect(answer.ok).toBe(false)
    const [finding] = named(answer, 'keyFile')
    expect(finding).toMatchObject({ ok: false, code: `key_file_${keyFile}` })
    expect(finding?.advice).toMatch(/text file/)
    expect(JSON.stringify(answer)).not.toContain(world.key)
    await world.close()
  })

  it('says what is wrong with the sitemap: a web page, a bot wall, other hosts, nothing at all', async () => {
    const world = await openWorld({ pages: 4 })
    const app = beckon(settingsFor(world))
    const page = (title: string) => `<!DOCTYPE html><html><title>${title}</title></html>`
    const loc = (url: string) => `<url><loc>${url}</loc></url>`
    const list = (...urls: string[]) => `<urlset>${urls.map(loc).join('')}</urlset>`
    for (const [override, name, code, words] of [
      [{ body: page('Login') }, 'sitemap', 'sitemap_not_a_sitemap', /html/],
      [{ body: page('Just a moment...'), status: 403 }, 'sitemap', 'sitemap_bot_wall', /wall|robots/],
      [
        { body: '', status: 503, headers: { 'cf-mitigated': 'challenge' } },
        'sitemap',
        'sitemap_bot_wall',
        /wall|robots/,
      ],
      [
        { body: list('https://www.shop.example/a', 'https://www.shop.example/b', `${world.origin}/c`) },
        'host',
        'host_mismatch',
        /2 of 3 are on www\.shop\.example/,
      ],
      [
        { body: list('https://www.shop.example/a', `${world.origin}/b`, `${world.origin}/c`) },
        'host',
        'other_host',
        /1 URLs .* not on 127/,
      ],
      [{ body: '<urlset></urlset>' }, 'sitemap', 'sitemap_empty', /no URL/],
      [{ body: 'gone', status: 410 }, 'sitemap', 'sitemap_http_410', /410/],
    ] as const) {
      await world.site({ overrides: { '/sitemap.xml': override } })
      const answer = await app.json<CheckAnswer>(`${SITE}/check`)
      const [finding] = named(answer, name)
      expect(finding).toMatchObject({ ok: false, code })
      expect(finding?.detail).toMatch(words)
      expect(finding?.advice?.length).toBeGreaterThan(10)
      expect(answer.ok).toBe(false)
    }
    await world.close()
  })

  it('B24 a wrong Bing key, an account without the site and a silent engine are told one by one', async () => {
    const world = await openWorld({ pages: 2 })
    const wrongKey = beckon(withBing(world, { BING_API_KEY: 'f'.repeat(32) }))
    expect(named(await wrongKey.json(`${SITE}/check`), 'bingKey')).toMatchObject([
      { ok: false, code: 'key_refused', advice: expect.stringMatching(/bingApiKey/) },
    ])
    const app = beckon(withBing(world))
    await app.post('/api/sites', {
      id: 'other.example',
      sitemapUrl: `${world.sitemapUrl}?x`,
      apiKey: 'env:NOT_SET',
      bingEnabled: true,
      bingApiKey: world.bingKey,
      bingSiteUrl: 'https://nobody.example/',
      searchEngines: [world.engines.b],
    })
    await world.faults({ target: 'b', kind: '5xx', times: null })
    const answer = await app.json<CheckAnswer>('/api/sites/other.example/check')
    expect(named(answer, 'bingKey')).toMatchObject([{ ok: false, code: 'site_refused' }])
    expect(named(answer, 'keyFile')).toMatchObject([
      {
        ok: false,
        code: 'indexnow_key_unusable',
        detail: expect.stringContaining(
          'apiKey of other.example is env:NOT_SET, but the Worker has no secret',
        ),
      },
    ])
    expect(named(answer, `engine ${world.engines.b}`)).toMatchObject([
      { ok: false, code: 'server_error_503' },
    ])
    expect(named(answer, 'neighbour')).toMatchObject([{ ok: false, code: 'same_host' }])
    expect((await app.fetch('/api/sites/none.example/check')).status).toBe(404)
    await world.close()
  })
})
