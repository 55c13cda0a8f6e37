import { reset } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import { defaultLastmod, pageNumber } from '../../sandbox/site-pages'
import { beckon, openWorld, settingsFor, TOKEN } from '../support/beckon'
import { bingError, bingSettings, storedQuota, today, useQuota } from '../support/bing'

afterEach(async () => {
  vi.useRealTimers()
  vi.restoreAllMocks()
  await reset()
})

/** What the Worker logs from now on. */
function watchLog(): () => string[] {
  const written: string[] = []
  for (const level of ['log', 'info', 'warn', 'error', 'debug'] as const) {
    vi.spyOn(console, level).mockImplementation((line: unknown) => void written.push(String(line)))
  }
  return () => written
}

const lastmodOf = (url: string) => {
  const { pathname, search } = new URL(url)
  return Date.parse(defaultLastmod(pageNumber(pathname + search) ?? 0))
}

/** Beckon with the world's site created through the API, Bing on. */
async function withSite(world: World, fields: Record<string, unknown> = {}) {
  const { SITEMAP_URL: _url, INDEXNOW_API_KEY: _key, ...settings } = settingsFor(world)
  const app = beckon(settings)
  const created = await app.post('/api/sites', {
    id: 'shop.example',
    sitemapUrl: world.sitemapUrl,
    apiKey: world.key,
    searchEngines: [world.engines.a],
    bingEnabled: true,
    bingApiKey: world.bingKey,
    ...fields,
  })
  expect(created.status).toBe(201)
  return app
}

describe('submitting to Bing', () => {
  it('B01 a batch is posted to SubmitUrlbatch with the key in the query, and 200 is success', async () => {
    const world = await openWorld({ pages: 3 })
    const { record } = await beckon(bingSettings(world)).trigger()
    const { requests, acceptedCount } = await world.ledger('bing')
    expect(requests).toMatchObject([
      {
        method: 'POST',
        path: '/bing/webmaster/api.svc/json/SubmitUrlbatch',
        rawQuery: `apikey=${world.bingKey}`,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        status: 200,
        urls: 3,
      },
    ])
    expect(acceptedCount).toBe(3)
    expect(record.bingStats).toMatchObject({
      enabled: true,
      submitted: 3,
      successful: 3,
      failed: 0,
      skipped: 0,
    })
    await world.close()
  })

  it('B02 an error: its code and message are logged, the quota is not raised, nothing is marked', async () => {
    const world = await openWorld({ pages: 5 })
    await world.faults(bingError(8, 'InvalidParameter'))
    const log = watchLog()
    const app = beckon(bingSettings(world))
    const { record } = await app.trigger()
    expect(record.batches.filter(({ channel }) => channel === 'bing')).toMatchObject([
      {
        success: false,
        urlCount: 5,
        accepted: 0,
        statusCode: 400,
        errorCode: '8',
        errorMessage: 'ERROR!!! InvalidParameter',
        timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      },
    ])
    expect(log().some((line) => line.includes('"errorCode":"8"') && line.includes('InvalidParameter'))).toBe(
      true,
    )
    expect(record.bingStats).toMatchObject({ submitted: 5, successful: 0, failed: 5, quotaUsed: 0 })
    expect(record.bingStats.error).toContain('request_refused')
    expect(await storedQuota()).toBeNull()
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 5, quotaUsed: 5 })
    await world.close()
  })

  it('B03 429: at most 3 retries, then an error, and the URLs stay pending', async () => {
    const world = await openWorld({ pages: 5 })
    await world.faults({ target: 'bing', kind: '429', times: 4 })
    const log = watchLog()
    const app = beckon(bingSettings(world))
    const { record } = await app.trigger()
    expect((await world.ledger('bing')).requests.map(({ status }) => status)).toEqual([429, 429, 429, 429])
    expect(record.bingStats).toMatchObject({ successful: 0, failed: 5, quotaUsed: 0 })
    expect(log().filter((line) => /retry \d\/3/.test(line))).toHaveLength(3)
    expect(log().some((line) => line.includes('"level":"error"') && line.includes('ThrottleUser'))).toBe(true)
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 5 })
    await world.close()
  })
})

describe('the daily quota', () => {
  it('B04 85 of 100 used: 15 are left, and 15 are sent', async () => {
    const world = await openWorld({ pages: 20 })
    await useQuota(85)
    const app = beckon(bingSettings(world))
    const { bing } = await app.json<{ bing: unknown }>('/status?site=127.0.0.1')
    expect(bing).toMatchObject({ todayQuotaUsed: 85, todayQuotaRemaining: 15 })
    const { record } = await app.trigger()
    expect(record.bingStats).toMatchObject({ submitted: 15, skipped: 5, quotaUsed: 100, quotaRemaining: 0 })
    expect((await world.ledger('bing')).acceptedCount).toBe(15)
    await world.close()
  })

  it('B05 used up: Bing is skipped and the log says so, IndexNow goes on', async () => {
    const world = await openWorld({ pages: 20 })
    await useQuota(100)
    const log = watchLog()
    const { record, success } = await beckon(bingSettings(world)).trigger()
    expect((await world.ledger('bing')).requests).toEqual([])
    expect(log().some((line) => line.includes('Bing quota exhausted, skipping'))).toBe(true)
    expect((await world.ledger('a')).acceptedCount).toBe(20)
    expect({ success, status: record.status }).toEqual({ success: true, status: 'success' })
    expect(record.bingStats).toMatchObject({ enabled: true, submitted: 0, quotaUsed: 100, quotaRemaining: 0 })
    await world.close()
  })

  it('B06 on a new UTC day nothing is used, and 100 more may go', async () => {
    const world = await openWorld({ pages: 250, bingQuota: 1_000 })
    const app = beckon(bingSettings(world))
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 18, 23, 50) })
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 100, skipped: 150 })
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 0, quotaRemaining: 0 })
    vi.setSystemTime(Date.UTC(2026, 10, 19, 0, 0))
    const status = await app.json<{ bing: unknown }>('/status?site=127.0.0.1')
    expect(status.bing).toMatchObject({ todayQuotaUsed: 0, todayQuotaRemaining: 100 })
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 100, quotaUsed: 100 })
    expect((await world.ledger('bing')).duplicates).toEqual([])
    await world.close()
  })

  it('B07 50 used and 30 accepted: 80 used, with the time', async () => {
    const world = await openWorld({ pages: 30 })
    await useQuota(50)
    const before = new Date(Date.now()).toISOString()
    await beckon(bingSettings(world)).trigger()
    const stored = await storedQuota()
    expect(stored).toMatchObject({ used: 80 })
    expect(String(stored?.lastUpdate) >= before).toBe(true)
    await world.close()
  })

  it('D13 the record lives 48 hours', async () => {
    const world = await openWorld({ pages: 3 })
    await beckon(bingSettings(world)).trigger()
    const { keys } = await env.KV.list({ prefix: 'bing:quota:' })
    expect(keys.map(({ name }) => name)).toEqual([`bing:quota:127.0.0.1:${today()}`])
    const hours = ((keys[0]?.expiration ?? 0) - Date.now() / 1000) / 3_600
    expect(hours).toBeGreaterThan(47.9)
    expect(hours).toBeLessThanOrEqual(48.1)
    await world.close()
  })

  it('a record that cannot be read: no Bing today, loudly, and IndexNow goes on', async () => {
    const world = await openWorld({ pages: 4 })
    await env.KV.put(`bing:quota:127.0.0.1:${today()}`, '{"used":')
    const { record } = await beckon(bingSettings(world)).trigger()
    expect((await world.ledger('bing')).requests).toEqual([])
    expect((await world.ledger('a')).acceptedCount).toBe(4)
    expect(record.status).toBe('partial')
    expect(record.errors).toMatchObject([{ channel: 'bing', code: 'bing_quota_unreadable' }])
    expect(record.bingStats.error).toContain('unreadable')
    await world.close()
  })

  it.each([
    'real',
    'documented',
  ] as const)('D14 a quota refusal (%s dialect) fills the day and not the count', async (dialect) => {
    const world = await openWorld({ pages: 150, bingQuota: 60 })
    await world.bing({ dialect })
    const app = beckon(bingSettings(world, { BING_DAILY_QUOTA: '150' }))
    const { record } = await app.trigger()
    // The first 100 are refused whole with "60 remain", 60 are sent, the rest waits.
    const { requests, acceptedCount } = await world.ledger('bing')
    expect(requests.map(({ urls }) => urls)).toEqual([100, 60])
    expect(acceptedCount).toBe(60)
    expect(await storedQuota()).toMatchObject({ used: 60, exhausted: true })
    expect(record.bingStats).toMatchObject({
      submitted: 60,
      successful: 60,
      failed: 0,
      skipped: 90,
      quotaUsed: 60,
      quotaRemaining: 0,
    })
    await app.trigger()
    expect((await world.ledger('bing')).requests).toHaveLength(2)
    await world.close()
  })

  it('bingQuotaSync: Bing is asked once per run, and the smaller of both counts', async () => {
    const world = await openWorld({ pages: 30, bingQuota: 12 })
    const app = await withSite(world, { bingDailyQuota: 20, bingQuotaSync: true })
    const first = await app.trigger()
    expect((await world.ledger('bing')).requests).toMatchObject([
      {
        method: 'GET',
        path: '/bing/webmaster/api.svc/json/GetUrlSubmissionQuota',
        query: { siteUrl: world.origin, apikey: world.bingKey },
      },
      { method: 'POST', urls: 12, status: 200 },
    ])
    expect(first.record.bingStats).toMatchObject({
      successful: 12,
      skipped: 18,
      quotaUsed: 12,
      quotaRemaining: 8,
    })

    await world.bing({ quota: 500 })
    expect((await app.trigger()).record.bingStats).toMatchObject({
      successful: 8,
      skipped: 10,
      quotaUsed: 20,
    })
    await world.close()
  })

  it('bingQuotaSync: Bing says nothing is left, so nothing is sent; next time it is asked again', async () => {
    const world = await openWorld({ pages: 5, bingQuota: 0 })
    const app = await withSite(world, { bingQuotaSync: true })
    expect((await app.trigger()).record).toMatchObject({
      status: 'success',
      bingStats: { submitted: 0, skipped: 5 },
    })
    expect((await world.ledger('bing')).requests.map(({ method }) => method)).toEqual(['GET'])
    await world.bing({ quota: 500 })
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 5 })
    await world.close()
  })

  it('bingQuotaSync: where Bing does not say, our own count decides', async () => {
    const world = await openWorld({ pages: 30 })
    await world.faults({ target: 'bing', kind: '5xx', match: 'GetUrlSubmissionQuota' })
    const app = await withSite(world, { bingDailyQuota: 20, bingQuotaSync: true })
    const { record } = await app.trigger()
    expect((await world.ledger('bing')).requests.map(({ status }) => status)).toEqual([503, 200])
    expect(record.bingStats).toMatchObject({ successful: 20, skipped: 10 })
    await world.close()
  })
})

describe('which URLs go', () => {
  it('B11 a URL that both have is pending in neither', async () => {
    const world = await openWorld({ pages: 6 })
    const app = beckon(bingSettings(world))
    await app.trigger()
    expect((await app.trigger()).record).toMatchObject({ newUrls: 0, cachedUrls: 6, submittedUrls: 0 })
    expect((await app.trigger('?channel=bing')).record.bingStats).toMatchObject({ submitted: 0, skipped: 0 })
    expect((await world.ledger('bing')).requests).toHaveLength(1)
    await world.close()
  })

  it('B12 newest: of 200 pending the 50 with the latest lastmod, descending', async () => {
    const world = await openWorld({ pages: 200 })
    await beckon(bingSettings(world, { BING_DAILY_QUOTA: '50' })).trigger()
    const sent = (await world.ledger('bing')).accepted.map(({ url }) => lastmodOf(url))
    const all = Array.from({ length: 200 }, (_, n) => Date.parse(defaultLastmod(n + 1))).toSorted(
      (a, b) => b - a,
    )
    expect(sent).toEqual(all.slice(0, 50))
    await world.close()
  })

  it('B13 random: 50 of 200, other ones in another run', async () => {
    const world = await openWorld({ pages: 200 })
    const settings = bingSettings(world, { BING_DAILY_QUOTA: '50', BING_PRIORITY: 'random' })
    const sets: string[][] = []
    for (let run = 0; run < 2; run++) {
      await reset()
      await world.reset()
      await beckon(settings).trigger()
      sets.push((await world.ledger('bing')).accepted.map(({ url }) => url).toSorted())
    }
    expect(sets.map((urls) => new Set(urls).size)).toEqual([50, 50])
    expect(sets[0]).not.toEqual(sets[1])
    await world.close()
  })

  it('B14 fewer than the quota: all 30', async () => {
    const world = await openWorld({ pages: 30 })
    const { record } = await beckon(bingSettings(world)).trigger()
    expect(record.bingStats).toMatchObject({ successful: 30, skipped: 0, quotaRemaining: 70 })
    await world.close()
  })

  it('B15 30 with lastmod first, then 20 random ones of the 70 without', async () => {
    const world = await openWorld({ pages: 100 })
    const body = `<urlset>${Array.from({ length: 100 }, (_, n) => {
      const lastmod =
        n >= 70
          ? `<lastmod>2026-03-01T00:00:${n - 70 + 10}Z</lastmod>`
          : n < 35
            ? ''
            : '<lastmod>soon</lastmod>'
      return `<url><loc>${world.origin}/p/${n}</loc>${lastmod}</url>`
    }).join('')}</urlset>`
    await world.site({ overrides: { '/sitemap.xml': { body } } })
    const rest: number[][] = []
    for (let run = 0; run < 2; run++) {
      await reset()
      await beckon(bingSettings(world, { BING_DAILY_QUOTA: '50' })).trigger('?channel=bing')
      const { accepted } = await world.ledger('bing')
      const sent = accepted.slice(-50).map(({ url }) => Number(url.split('/').at(-1)))
      expect(sent.slice(0, 30)).toEqual(Array.from({ length: 30 }, (_, n) => 99 - n))
      expect(sent.slice(30).every((n) => n < 70)).toBe(true)
      expect(new Set(sent).size).toBe(50)
      rest.push(sent.slice(30).toSorted())
    }
    expect(rest[0]).not.toEqual(rest[1])
    await world.close()
  })

  it('B16 150 pending and 150 left: batches of 100 and 50, and the quota is 150', async () => {
    const world = await openWorld({ pages: 150, bingQuota: 150 })
    const { record } = await beckon(bingSettings(world, { BING_DAILY_QUOTA: '150' })).trigger()
    expect((await world.ledger('bing')).requests.map(({ urls }) => urls)).toEqual([100, 50])
    expect(record.batches.filter(({ channel }) => channel === 'bing')).toMatchObject([
      { number: 1, urlCount: 100, accepted: 100, success: true, statusCode: 200 },
      { number: 2, urlCount: 50, accepted: 50, success: true, statusCode: 200 },
    ])
    expect(await storedQuota()).toMatchObject({ used: 150 })
    await world.close()
  })
})

describe('refusals', () => {
  it.each([
    'real',
    'documented',
  ] as const)('D14 an invalid URL (%s dialect) is found, rejected and not tried again until its lastmod changes', async (dialect) => {
    const world = await openWorld({ pages: 40 })
    await world.bing({ dialect })
    const answer =
      dialect === 'real'
        ? bingError(7, 'InvalidUrl')
        : { ...bingError(7, ''), body: '{"ErrorCode":"ERROR_INVALID_URL"}' }
    for (const match of ['/blog/post-6', '/news/story-20']) {
      await world.faults({ ...answer, match, times: null })
    }
    const app = beckon(bingSettings(world))
    const { record } = await app.trigger('?channel=bing')
    const bad = ['/blog/post-6', '/news/story-20'].map((path) => world.origin + path)
    const { accepted, requests } = await world.ledger('bing')
    expect(accepted).toHaveLength(38)
    expect(accepted.some(({ url }) => bad.includes(url))).toBe(false)
    expect(requests.length).toBeLessThanOrEqual(40)
    expect(record.bingStats).toMatchObject({ submitted: 40, successful: 38, failed: 2, quotaUsed: 38 })
    expect(record.engines['bing-webmaster']).toMatchObject({ total: 40, accepted: 38, rejected: 2 })
    expect(record.errors).toMatchObject([
      { channel: 'bing', code: 'invalid_url', advice: expect.any(String) },
    ])

    await app.trigger('?channel=bing')
    expect((await world.ledger('bing')).requests).toHaveLength(requests.length)

    await world.site({ touch: [{ page: '/news/story-20' }] })
    await app.trigger('?channel=bing')
    expect((await world.ledger('bing')).requests.slice(requests.length)).toMatchObject([{ urls: 1 }])
    await world.close()
  })

  it('17: a network that Bing throttles is named in words, without a retry, and is tried again next time', async () => {
    const world = await openWorld({ pages: 4 })
    await world.faults(bingError(17, 'ThrottleIP'))
    const app = beckon(bingSettings(world))
    const { record } = await app.trigger()
    expect((await world.ledger('bing')).requests).toHaveLength(1)
    expect(record.errors).toMatchObject([
      { channel: 'bing', code: 'egress_throttled', advice: expect.stringContaining('network') },
    ])
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 4 })
    await world.close()
  })

  it.each([4, 5])('code %d is throttling: the request is repeated', async (code) => {
    const world = await openWorld({ pages: 4 })
    await world.faults({ ...bingError(code, 'Throttle'), times: 2 })
    const { record } = await beckon(bingSettings(world)).trigger()
    expect((await world.ledger('bing')).requests.map(({ status }) => status)).toEqual([400, 400, 200])
    expect(record.bingStats).toMatchObject({ successful: 4, failed: 0 })
    await world.close()
  })

  it('an answer that never came: not marked, not counted, sent again', async () => {
    const world = await openWorld({ pages: 4 })
    await world.faults({ target: 'bing', kind: 'slow', ms: 400, times: 4 })
    const app = beckon(bingSettings(world, { REQUEST_TIMEOUT_MS: '100' }))
    const { record } = await app.trigger()
    expect(record.bingStats).toMatchObject({ successful: 0, failed: 4, quotaUsed: 0 })
    expect(record.batches.at(-1)).toMatchObject({ channel: 'bing', statusCode: null, errorCode: 'timeout' })
    expect(await storedQuota()).toBeNull()
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 4, quotaUsed: 4 })
    await world.close()
  })

  it.each([
    'real',
    'documented',
  ] as const)('B24 a bad key (%s dialect): IndexNow runs, the error is logged, Bing is off until the key differs', async (dialect) => {
    const world = await openWorld({ pages: 6 })
    await world.bing({ dialect })
    const log = watchLog()
    const wrong = 'ffffffffffffffffffffffffffffffff'
    const app = beckon(bingSettings(world, { BING_API_KEY: wrong }))
    const first = await app.trigger()
    expect((await world.ledger('a')).acceptedCount).toBe(6)
    expect(first.record).toMatchObject({ status: 'partial', submittedUrls: 6, failedUrls: 0 })
    expect(first.record.bingStats).toMatchObject({ enabled: true, successful: 0, quotaUsed: 0 })
    expect(first.record.bingStats.error).toContain('key_refused')
    expect(first.record.errors.map(({ code }) => code)).toEqual(['bing_switched_off', 'key_refused'])
    expect(log().some((line) => line.includes('"level":"error"') && line.includes('key_refused'))).toBe(true)

    await world.site({ pages: 7 })
    const second = await app.trigger()
    expect((await world.ledger('bing')).requests).toHaveLength(1)
    expect(second.record).toMatchObject({ status: 'success', submittedUrls: 1, errors: [] })
    expect(second.record.bingStats).toMatchObject({ enabled: true, submitted: 0, error: 'key_refused' })
    const asked = await app.trigger('?channel=bing')
    expect(asked.record).toMatchObject({ status: 'failed', errors: [{ code: 'bing_off' }] })
    expect((await world.ledger('bing')).requests).toHaveLength(1)
    expect(log().join('\n') + JSON.stringify([first, second, asked])).not.toContain(wrong)

    const cured = await beckon(bingSettings(world)).trigger()
    expect(cured.record.bingStats).toMatchObject({ successful: 7 })
    expect(cured.record.bingStats).not.toHaveProperty('error')
    await world.close()
  })

  it('bingSiteUrl overrides the origin of the sitemap', async () => {
    const world = await openWorld({ pages: 4 })
    const other = await withSite(world, { bingSiteUrl: 'http://127.0.0.1:1/' })
    const { record } = await other.trigger()
    // The sandbox knows its own origin alone, as an account knows its own properties.
    expect(record.errors).toMatchObject([{ code: 'bing_switched_off' }, { code: 'site_refused' }])
    await reset()
    const own = await withSite(world, { bingSiteUrl: `${world.origin}/` })
    expect((await own.trigger()).record.bingStats).toMatchObject({ successful: 4 })
    await world.close()
  })

  it('D14 the refusal is shown with its reason and time, and ends when bingEnabled: true is PUT again', async () => {
    const world = await openWorld({ pages: 4 })
    const app = await withSite(world)
    await world.faults(bingError(3, 'InvalidApiKey'))
    const before = new Date(Date.now()).toISOString()
    await app.trigger()
    const put = (body: unknown) =>
      app.fetch('/api/sites/shop.example', { method: 'PUT', body: JSON.stringify(body) })

    const refusal = {
      reason: 'key_refused',
      code: '3',
      detail: 'ERROR!!! InvalidApiKey',
      advice: expect.stringContaining('bingApiKey'),
      at: expect.any(String),
    }
    const status = await app.json<{ bing: { refusal: { at: string } } }>('/status?site=shop.example')
    expect(status.bing).toEqual({ enabled: false, refusal })
    expect(status.bing.refusal.at >= before).toBe(true)
    const { site } = await app.json<{ site: Record<string, unknown> }>('/api/sites/shop.example')
    expect(site).toMatchObject({ bingEnabled: true, refusals: { bing: refusal } })
    expect(JSON.stringify([status, site])).not.toMatch(/digest|switchedOn/)

    expect((await put({ name: 'The shop' })).status).toBe(200)
    await app.trigger()
    expect((await world.ledger('bing')).requests).toHaveLength(1)

    expect((await put({ bingEnabled: true })).status).toBe(200)
    expect((await app.json<{ bing: unknown }>('/status?site=shop.example')).bing).toMatchObject({
      enabled: true,
    })
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 4 })
    expect((await app.json<{ site: object }>('/api/sites/shop.example')).site).not.toHaveProperty('refusals')
    await world.close()
  })

  it('D14 a refused site may be read and PUT back as a whole', async () => {
    const world = await openWorld({ pages: 4 })
    const app = await withSite(world)
    await world.faults(bingError(3, 'InvalidApiKey'))
    await app.trigger()
    const { site } = await app.json<{ site: object }>('/api/sites/shop.example')
    expect(site).toHaveProperty('refusals')
    const answer = await app.fetch('/api/sites/shop.example', { method: 'PUT', body: JSON.stringify(site) })
    expect(answer.status).toBe(200)
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 4 })
    await world.close()
  })

  it('D14 a site that is not in the account: off until bingSiteUrl or the switch changes', async () => {
    const world = await openWorld({ pages: 6 })
    await world.faults(bingError(14, 'NotAuthorized'))
    const app = beckon(bingSettings(world))
    expect((await app.trigger()).record.errors[0]).toMatchObject({
      code: 'bing_switched_off',
      advice: expect.stringContaining('bingSiteUrl'),
    })
    await app.trigger()
    expect((await world.ledger('bing')).requests).toHaveLength(1)
    // Off for a run by its owner's will, then on again.
    await beckon(settingsFor(world)).trigger()
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 6 })
    await world.close()
  })

  it('B23 Bing fails, IndexNow succeeds: its results and marks are saved, the run says partly failed', async () => {
    const world = await openWorld({ pages: 8 })
    await world.faults({ target: 'bing', kind: '5xx', times: null })
    const app = beckon(bingSettings(world))
    const { record, success } = await app.trigger()
    expect({ success, status: record.status }).toEqual({ success: false, status: 'partial' })
    expect(record).toMatchObject({ submittedUrls: 8, failedUrls: 0 })
    expect(record.engines[world.engines.a]).toMatchObject({ total: 8, accepted: 8 })
    expect(record.bingStats).toMatchObject({ failed: 8, error: expect.stringContaining('server_error_503') })
    expect((await world.ledger('bing')).requests).toHaveLength(4)
    await app.trigger()
    expect((await world.ledger('a')).requests).toHaveLength(8)
    await world.close()
  })

  it('B23 Bing hangs: IndexNow is as it would have been', async () => {
    const world = await openWorld({ pages: 8 })
    await world.faults({ target: 'bing', kind: 'hang', times: null })
    const { record } = await beckon(bingSettings(world, { REQUEST_TIMEOUT_MS: '100' })).trigger()
    expect(record).toMatchObject({ status: 'partial', submittedUrls: 8, failedUrls: 0 })
    expect((await world.ledger('a')).acceptedCount).toBe(8)
    await world.close()
  })
})

describe('sites with Bing', () => {
  it('B17 a site is created with Bing: 100 a day, newest first, its key masked', async () => {
    const world = await openWorld({ pages: 4 })
    const app = await withSite(world)
    const text = await (await app.fetch('/api/sites/shop.example')).text()
    expect(JSON.parse(text).site).toMatchObject({
      bingEnabled: true,
      bingApiKey: '****...****',
      bingDailyQuota: 100,
      bingPriority: 'newest',
      bingQuotaSync: false,
    })
    expect(text).not.toContain(world.bingKey)
    expect((await app.trigger()).record.bingStats).toMatchObject({ successful: 4, quotaRemaining: 96 })
    await world.close()
  })

  it.each([0, 501, 1.5, -1, '100', true])('B17 bingDailyQuota %j is 400', async (bingDailyQuota) => {
    const app = beckon({ ALLOW_PRIVATE_NETWORK: 'true', ADMIN_TOKEN: TOKEN })
    const site = { sitemapUrl: 'http://127.0.0.1/s.xml', apiKey: 'a'.repeat(32), id: 'shop.example' }
    const response = await app.post('/api/sites', { ...site, bingDailyQuota })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      field: 'bingDailyQuota',
      detail: 'bingDailyQuota must be a whole number from 1 to 500',
    })
  })

  it('B18 Bing on without a key is 400', async () => {
    const app = beckon({ ALLOW_PRIVATE_NETWORK: 'true', ADMIN_TOKEN: TOKEN })
    const response = await app.post('/api/sites', {
      id: 'shop.example',
      sitemapUrl: 'http://127.0.0.1/s.xml',
      apiKey: 'a'.repeat(32),
      bingEnabled: true,
    })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      field: 'bingApiKey',
      detail: 'bingApiKey is required when bingEnabled is true',
    })
  })
})

describe('channels', () => {
  it('B25 channel=bing runs Bing alone', async () => {
    const world = await openWorld({ pages: 5 })
    const { record, channel } = await beckon(bingSettings(world)).trigger('?channel=bing')
    expect(channel).toBe('bing')
    expect((await world.ledger('a')).requests).toEqual([])
    expect((await world.ledger('bing')).acceptedCount).toBe(5)
    expect(record).toMatchObject({ submittedUrls: 5, bingStats: { successful: 5 } })
    await world.close()
  })

  it.each(['?channel=all', ''])('B26 both run with "%s", IndexNow first', async (query) => {
    const world = await openWorld({ pages: 5 })
    const { channel } = await beckon(bingSettings(world)).trigger(query)
    expect(channel).toBe('all')
    const { a, bing } = await world.ledgers()
    expect([a.acceptedCount, bing.acceptedCount]).toEqual([5, 5])
    const lastToIndexNow = Math.max(...a.requests.map(({ at }) => at))
    expect(Math.min(...bing.requests.map(({ at }) => at))).toBeGreaterThanOrEqual(lastToIndexNow)
    await world.close()
  })

  it('B27 channel=bing where Bing is off is 400, and says so', async () => {
    const world = await openWorld({ pages: 5 })
    const response = await beckon(settingsFor(world)).fetch('/trigger?channel=bing')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ detail: 'Bing submission is not enabled for this site' })
    expect((await world.ledger('site')).requests).toEqual([])
    await world.close()
  })

  it('IndexNow leaves Bing its requests', async () => {
    const world = await openWorld({ pages: 60 })
    const app = beckon(bingSettings(world, { RUN_REQUEST_BUDGET: '20' }))
    const { record } = await app.trigger()
    expect(record.requests).toBeLessThanOrEqual(20)
    expect((await world.ledger('bing')).acceptedCount).toBe(60)
    await world.close()
  })
})
