import { describe, expect, it } from 'vitest'
import { KEY, openShop, pageOf, type Reply, START } from '../support/pretend-internet'

const GET = { submitMethod: 'get' }
const starts = (seen: readonly { at: number }[]) => seen.map(({ at }) => at)
const messages = (entries: readonly { message: string }[]) => entries.map(({ message }) => message)
const gaps = (times: readonly number[]) => times.slice(1).map((time, n) => time - (times[n] ?? 0))

/** Answers one after the other, then well. */
const script =
  (...replies: readonly Reply[]) =>
  (_: unknown, nth: number): Reply =>
    replies[nth] ?? 200

describe('pace', () => {
  it('N07 three engines: at most 3 in flight each and 6 in all, every URL with its own result', async () => {
    const shop = openShop({
      pages: 30,
      latencyMs: 900,
      env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example,c.example' },
    })
    const record = await shop.run()
    const engines = ['a.example', 'b.example', 'c.example']
    const all = engines.flatMap((host) => shop.seen(host).map(({ at }) => ({ at, host })))
    const flying = (at: number, host?: string) =>
      all.filter((one) => (host === undefined || one.host === host) && one.at <= at && at < one.at + 900)
        .length
    expect(Math.max(...all.map(({ at }) => flying(at)))).toBe(6)
    for (const host of engines) {
      expect(Math.max(...all.map(({ at }) => flying(at, host)))).toBeLessThanOrEqual(3)
      expect(shop.accepted(host)).toHaveLength(30)
      expect(record.engines[host]).toMatchObject({ total: 30, accepted: 30 })
    }
  })

  it('N08 D09 100 ms between the starts of a lane, 1 s after each batch of 100', async () => {
    const shop = openShop({ pages: 250, env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    await shop.run()
    for (const host of ['a.example', 'b.example']) {
      const apart = gaps(starts(shop.seen(host)))
      expect(apart).toHaveLength(249)
      expect(apart.filter((_, n) => n !== 99 && n !== 199).every((gap) => gap === 100)).toBe(true)
      expect([apart[99], apart[199]]).toEqual([1_000, 1_000])
    }
  })

  it('N09 N18 more than 1,000 URLs: batches of 100, each with number, count, engine, status, time and progress', async () => {
    const shop = openShop({ pages: 1_200, latencyMs: 20 })
    const record = await shop.run()
    expect(shop.seen('a.example').every(({ method }) => method === 'GET')).toBe(true)
    expect(record.batches).toHaveLength(12)
    const lines = shop.log.entries('info').filter(({ message }) => message === 'batch submitted')
    expect(lines.map(({ progress }) => progress)).toEqual(
      Array.from({ length: 12 }, (_, n) => `${(n + 1) * 100}/1200`),
    )
    for (const [n, line] of lines.entries()) {
      expect(line).toMatchObject({
        number: n + 1,
        urlCount: 100,
        engine: 'a.example',
        statusCode: 200,
        ms: 20,
      })
    }
  })

  it('N09 N10 after 5 minutes the run stops, says what would help, and the next tick goes on with the rest', async () => {
    const shop = openShop({ pages: 4_000 })
    await shop.call('/api/sites', {
      method: 'POST',
      body: JSON.stringify({
        id: 'big.example',
        sitemapUrl: 'https://shop.example/sitemap.xml?big',
        apiKey: KEY,
        searchEngines: ['a.example'],
        ...GET,
      }),
    })
    const first = await shop.run('?site=big.example')
    expect(first.status).toBe('checkpointed')
    expect(first.durationMs).toBeGreaterThanOrEqual(300_000)
    expect(first.durationMs).toBeLessThan(302_000)
    const { accepted, deferred } = first.engines['a.example'] ?? { accepted: 0, deferred: 0 }
    expect(accepted + deferred).toBe(4_000)
    expect(accepted).toBeGreaterThan(2_700)
    const [told] = first.errors
    expect(told?.code).toBe('budget')
    for (const help of ['split the sitemap', 'run more often', 'bulk', 'RUN_TIME_BUDGET_MS']) {
      expect(told?.advice).toContain(help)
    }
    const warned = shop.log.entries('warn').find(({ message }) => message === 'run finished')
    expect(warned).toMatchObject({ status: 'checkpointed', errors: first.errors })

    const second = await shop.run('?site=big.example')
    expect(second).toMatchObject({ status: 'success', newUrls: deferred, submittedUrls: deferred })
    expect(new Set(shop.accepted('a.example')).size).toBe(4_000)
    expect(shop.accepted('a.example')).toHaveLength(4_000)
  })

  it('D09 after a 429 the lane pauses 60 s, then keeps twice the distance; the other engine does not wait', async () => {
    const shop = openShop({ pages: 8, env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    shop.hosts['a.example'] = script(200, 200, 429)
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([
      0, 100, 200, 60_200, 60_400, 60_600, 60_800, 61_000, 61_200,
    ])
    expect(starts(shop.seen('b.example'))).toEqual([0, 100, 200, 300, 400, 500, 600, 700])
    expect(record).toMatchObject({ status: 'success', submittedUrls: 8 })
  })
})

describe('answers', () => {
  it('N12 a 429 that stays: 60 s three times, then the batch is skipped with an error and the engine set aside', async () => {
    const shop = openShop({ pages: 1, hosts: { 'a.example': () => 429 } })
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([0, 60_000, 120_000, 180_000])
    expect(record).toMatchObject({ status: 'failed', failedUrls: 1 })
    expect(messages(shop.log.entries('error'))).toContain(
      'IndexNow a.example: throttled, given up after 3 retries',
    )
  })

  it('N12 the requests of a batch wait together: three times 60 s, not three times for each URL', async () => {
    const shop = openShop({ pages: 250, env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    shop.hosts['a.example'] = () => 429
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([0, 60_000, 120_000, 180_000])
    expect(record.durationMs).toBeLessThan(185_000)
    expect(record.engines['a.example']).toMatchObject({ total: 250, accepted: 0 })
    expect(record.engines['b.example']).toMatchObject({ total: 250, accepted: 250 })
    expect(record.status).toBe('partial')
    expect(record.errors.map(({ code }) => code)).toContain('engine_set_aside')
  })

  it('N12 a Retry-After that is longer is kept to, capped at 10 minutes; a wait beyond the run becomes a not-before', async () => {
    const wish = (seconds: string): Reply => ({ status: 429, headers: { 'retry-after': seconds } })
    const shop = openShop({ pages: 1, hosts: { 'a.example': script(wish('90'), wish('86400')) } })
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([0, 90_000])
    expect(record.status).toBe('checkpointed')
    const until = START + 90_000 + 600_000
    expect(await shop.state()).toMatchObject({
      notBefore: { 'https://a.example/indexnow': until },
      unfinished: { indexnow: until },
    })

    await shop.clock.advance(until - shop.clock.now() - 1)
    await shop.tick()
    expect(shop.seen('a.example')).toHaveLength(2)
    await shop.clock.advance(1)
    await shop.tick()
    expect(shop.accepted('a.example')).toEqual([pageOf(1)])
    expect((await shop.history())[0]?.status).toBe('success')
  })

  it.each<Reply>([
    500,
    503,
    'network',
  ])('N13 N15 N16 %s: 1, 2 and 4 s, `retry X/3`, then error', async (reply) => {
    const shop = openShop({ pages: 1, hosts: { 'a.example': () => reply } })
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([0, 1_000, 3_000, 7_000])
    expect(record).toMatchObject({ status: 'failed', failedUrls: 1 })
    const reason = reply === 'network' ? 'network' : `server_error_${reply}`
    expect(messages(shop.log.entries('warn')).filter((text) => text.includes('retry'))).toEqual(
      [1, 2, 3].map((n) => `IndexNow a.example: ${reason}, retry ${n}/3`),
    )
    expect(messages(shop.log.entries('error'))).toContain(
      `IndexNow a.example: ${reason}, given up after 3 retries`,
    )
  })

  it('N13 one URL that always fails uses up the retries of its batch; the next batch goes on', async () => {
    const shop = openShop({ pages: 150 })
    shop.hosts['a.example'] = ({ urls }) => (urls[0] === pageOf(5) ? 500 : 200)
    const record = await shop.run()
    expect(record).toMatchObject({ status: 'partial', submittedUrls: 149, failedUrls: 1 })
    expect(shop.seen('a.example').filter(({ urls }) => urls[0] === pageOf(5))).toHaveLength(4)
    expect(record.batches.map(({ accepted }) => accepted)).toEqual([99, 50])
  })

  it('N13 an engine that is down is given up after one batch, and Bing still has requests and time', async () => {
    const shop = openShop({
      pages: 40,
      env: { RUN_REQUEST_BUDGET: '45', BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' },
      hosts: {
        'a.example': () => 503,
        'ssl.bing.com': () => ({ status: 200, body: '{"d":null}' }),
      },
    })
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([0, 1_000, 3_000, 7_000, 7_100, 7_200])
    expect(record.bingStats).toMatchObject({ successful: 40 })
    expect(record).toMatchObject({ status: 'partial', submittedUrls: 0 })
  })

  it('N13 a POST that no retry saves: the engine is set aside at once', async () => {
    const shop = openShop({ pages: 25_000, env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    shop.hosts['a.example'] = () => 500
    const record = await shop.run()
    expect(starts(shop.seen('a.example'))).toEqual([0, 1_000, 3_000, 7_000])
    expect(record.engines['a.example']).toMatchObject({ failed: 10_000, deferred: 15_000 })
    expect(record.engines['b.example']).toMatchObject({ accepted: 25_000 })
  })

  it.each([
    [400, 'urls_refused', 'well formed', 3],
    [422, 'urls_refused', 'well formed', 3],
    [401, 'key_refused', 'key file', 1],
    [403, 'key_refused', 'key file', 1],
    [404, 'refused_404', 'set searchEngines', 3],
    [418, 'refused_418', 'well formed', 3],
  ])('N14 %d is not retried and says what to check', async (status, code, advice, asked) => {
    const shop = openShop({ pages: 3, env: { MAX_CONCURRENT_REQUESTS: '1' } })
    shop.hosts['a.example'] = () => status
    const record = await shop.run()
    expect(shop.seen('a.example')).toHaveLength(asked)
    expect(record.status).toBe('failed')
    const told = record.errors.find((error) => error.code === code)
    expect(told?.advice).toContain(advice)
    const logged = shop.log.entries('error').find(({ message }) => message.includes(code))
    expect(logged?.message).toBe(`IndexNow a.example: ${code}, not retried`)
    expect(logged?.advice).toContain(advice)
    expect(logged?.status).toBe(status)
  })

  it('a key check that is pending at the engine keeps the URLs, and is asked again after two minutes', async () => {
    const pending = { status: 403, body: '{"errorCode":"SiteVerificationNotCompleted"}' }
    const shop = openShop({ pages: 2, env: { MAX_CONCURRENT_REQUESTS: '1' } })
    shop.hosts['a.example'] = script(pending)
    const record = await shop.run()
    expect(record).toMatchObject({ status: 'checkpointed', failedUrls: 0 })
    expect(record.engines['a.example']).toMatchObject({ deferred: 2, rejected: 0 })
    await shop.clock.advance(119_000)
    await shop.tick()
    expect(shop.seen('a.example')).toHaveLength(1)
    await shop.clock.advance(1_000)
    await shop.tick()
    expect(shop.accepted('a.example')).toEqual([pageOf(1), pageOf(2)])
  })
})
