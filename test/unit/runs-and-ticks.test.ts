import { describe, expect, it } from 'vitest'
import { meteredStore } from '../../src/records/metered-store'
import {
  HOOK,
  type Host,
  index,
  KEY,
  openShop,
  pageOf,
  START,
  shopHost,
  urlset,
} from '../support/pretend-internet'

type Shop = ReturnType<typeof openShop>
const MINUTES_15 = 900_000
const post = (shop: Shop, site: Record<string, unknown>) =>
  shop.call('/api/sites', {
    method: 'POST',
    body: JSON.stringify({ apiKey: KEY, searchEngines: ['a.example'], ...site }),
  })

/** A site whose sitemap is an index of so many files, with so many pages each. */
const indexed = (files: number, pagesPerFile: number): Host => {
  const key = shopHost(() => 0)
  return (request, nth) => {
    const { origin, pathname } = request.url
    const file = /^\/map-(\d+)\.xml$/.exec(pathname)?.[1]
    if (pathname === '/sitemap.xml') {
      return { status: 200, body: index(Array.from({ length: files }, (_, n) => `${origin}/map-${n}.xml`)) }
    }
    if (file === undefined) return key(request, nth)
    return {
      status: 200,
      body: urlset(Array.from({ length: pagesPerFile }, (_, n) => `${origin}/${file}/${n}`)),
    }
  }
}

async function ticks(shop: Shop, count: number): Promise<void> {
  for (let tick = 0; tick < count; tick++) {
    await shop.tick()
    await shop.clock.advance(MINUTES_15)
  }
}

describe('a budget too small for anything', () => {
  it('is told by its name, with what would do, and is no run to be gone on with', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '3' } })
    expect(await shop.run()).toMatchObject({
      status: 'failed',
      errors: [{ code: 'budget_too_small', advice: expect.stringContaining('RUN_REQUEST_BUDGET to 5') }],
    })
    const enough = openShop({ env: { RUN_REQUEST_BUDGET: '5' } })
    expect(await enough.run()).toMatchObject({ errors: [] })
    await ticks(enough, 4)
    expect(enough.accepted('a.example')).toHaveLength(3)
  })
})

describe('an index longer than the budget', () => {
  it('that turns its order round every time: every file is read', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '12' } })
    const site = indexed(60, 1)
    const files = Array.from({ length: 60 }, (_, n) => `https://shop.example/map-${n}.xml`)
    let fetched = 0
    shop.hosts['shop.example'] = (request, nth) =>
      request.url.pathname === '/sitemap.xml'
        ? { status: 200, body: index(fetched++ % 2 ? files : files.toReversed()) }
        : site(request, nth)
    await ticks(shop, 20)
    expect(new Set(shop.accepted('a.example')).size).toBe(60)
  })
})

describe('the tick', () => {
  it('three sites on 45 requests, the first with an index of 100 files: all complete, none starves', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '45', SITEMAP_URL: '', INDEXNOW_API_KEY: '' } })
    shop.hosts['big.example'] = indexed(100, 3)
    shop.hosts['two.example'] = shopHost(() => 10)
    shop.hosts['three.example'] = shopHost(() => 10)
    for (const host of ['big.example', 'two.example', 'three.example']) {
      await post(shop, { sitemapUrl: `https://${host}/sitemap.xml` })
    }
    const done = (host: string) =>
      shop.accepted('a.example').filter((url) => url.includes(`//${host}/`)).length
    const perTick: number[][] = []
    for (let tick = 0; tick < 4; tick++) {
      await shop.tick()
      perTick.push(['big.example', 'two.example', 'three.example'].map(done))
      await shop.clock.advance(MINUTES_15)
    }
    // 100 files, an index per run and a few submissions: three runs of 45. The small ones need one tick, once it is theirs.
    expect(perTick[0]?.[0]).toBeGreaterThan(100)
    expect(perTick[1]?.slice(1)).toEqual([10, 10])
    expect(perTick.at(-1)).toEqual([300, 10, 10])
    expect(new Set(shop.accepted('a.example')).size).toBe(shop.accepted('a.example').length)
    for (const site of ['big.example', 'two.example', 'three.example']) {
      const records = await shop.history(site)
      expect(records[0]?.status).toBe('success')
      expect(records.every(({ requests }) => requests <= 45)).toBe(true)
    }
    const before = shop.seen('big.example').length
    await ticks(shop, 4)
    expect(shop.seen('big.example')).toHaveLength(before)
  })

  it('a site without enough left to get anywhere keeps its turn', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '10', SITEMAP_URL: '', INDEXNOW_API_KEY: '' } })
    shop.hosts['one.example'] = indexed(4, 1)
    shop.hosts['two.example'] = shopHost(() => 1)
    for (const host of ['one.example', 'two.example'])
      await post(shop, { sitemapUrl: `https://${host}/sitemap.xml` })
    await shop.tick()
    expect(shop.seen('two.example')).toEqual([])
    expect(await shop.history('two.example')).toEqual([])
    expect(shop.log.entries('warn').find(({ sites }) => Array.isArray(sites))?.sites).toEqual(['two.example'])
    await shop.clock.advance(MINUTES_15)
    await shop.tick()
    expect((await shop.history('two.example'))[0]?.status).toBe('success')
  })

  it('a site that never gets through does not keep another on what is left over', async () => {
    const env = { RUN_REQUEST_BUDGET: '12', SITEMAP_URL: '', INDEXNOW_API_KEY: '' }
    const shop = openShop({ env, latencyMs: 5 })
    shop.hosts['endless.example'] = indexed(10_000, 0)
    const small = indexed(6, 1)
    // The way to its sitemap is longer than what is left over.
    shop.hosts['small.example'] = (request, nth) => {
      const { origin, pathname } = request.url
      if (pathname === '/sitemap.xml') return { status: 301, headers: { location: `${origin}/index.xml` } }
      if (pathname !== '/index.xml') return small(request, nth)
      return small({ ...request, url: new URL('/sitemap.xml', origin) }, nth)
    }
    const searchEngines = ['a.example', 'b.example']
    await post(shop, { sitemapUrl: 'https://endless.example/sitemap.xml', searchEngines })
    await post(shop, { sitemapUrl: 'https://small.example/sitemap.xml' })
    await ticks(shop, 6)
    expect(new Set(shop.accepted('a.example')).size).toBe(6)
    expect((await shop.history('small.example'))[0]?.status).toBe('success')
  })

  it('what had to wait in files already read is found again in another round', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '12' } })
    shop.hosts['shop.example'] = indexed(10, 2)
    let nth = 0
    shop.hosts['a.example'] = () => (nth++ === 0 ? { status: 429, headers: { 'retry-after': '900' } } : 200)
    await ticks(shop, 8)
    expect(new Set(shop.accepted('a.example')).size).toBe(20)
    expect((await shop.history())[0]?.status).toBe('success')
  })

  it('a nested index of 60 files before another file: all is read in a few ticks of 45 requests', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '45' } })
    const inner = indexed(60, 1)
    shop.hosts['shop.example'] = (request, nth) => {
      const { origin, pathname } = request.url
      if (pathname === '/nested.xml') return inner({ ...request, url: new URL('/sitemap.xml', origin) }, nth)
      if (pathname === '/news.xml') return { status: 200, body: urlset([`${origin}/news`]) }
      if (pathname !== '/sitemap.xml') return inner(request, nth)
      return { status: 200, body: index([`${origin}/nested.xml`, `${origin}/news.xml`]) }
    }
    await ticks(shop, 3)
    expect(shop.accepted('a.example')).toContain('https://shop.example/news')
    expect(new Set(shop.accepted('a.example')).size).toBe(61)
    expect(shop.accepted('a.example')).toHaveLength(61)
    expect((await shop.history())[0]?.status).toBe('success')
  })

  it('one broken site delays no other, and is recorded', async () => {
    const shop = openShop({ env: { SITEMAP_URL: '', INDEXNOW_API_KEY: '', WEBHOOK_URL: HOOK } })
    for (const host of ['one.example', 'two.example']) {
      shop.hosts[host] = shopHost(() => 2)
      await post(shop, { sitemapUrl: `https://${host}/sitemap.xml` })
    }
    const { getText } = shop.store
    Object.assign(shop.store, {
      getText: (key: string) =>
        key === 'sites:files:one.example' ? Promise.reject(new Error('KV is down')) : getText(key),
    })
    await shop.tick()
    expect((await shop.history('two.example'))[0]).toMatchObject({ status: 'success', submittedUrls: 2 })
    const [broken] = await shop.history('one.example')
    expect(broken).toMatchObject({ status: 'failed', errors: [{ code: 'internal_error' }] })
    expect(shop.seen('hooks.example')).toHaveLength(1)
  })
})

describe('a channel that is switched on but takes no part', () => {
  const QUOTA = 'bing:quota:shop.example:2026-04-01'

  it.each([
    ['its key is not set', { BING_API_KEY: 'env:NOT_SET' }, null],
    ['its quota is used up', { BING_API_KEY: 'bing-key-0123456789' }, { used: 100, lastUpdate: '' }],
  ])('keeps nothing back from the others on a large index: %s', async (_, env, quota) => {
    const shop = openShop({ env: { ...env, BING_ENABLED: 'true', RUN_REQUEST_BUDGET: '12' } })
    shop.hosts['shop.example'] = indexed(60, 1)
    if (quota !== null) await shop.store.put(QUOTA, JSON.stringify(quota))
    await shop.tick()
    const [record] = await shop.history()
    expect(record).toMatchObject({ status: 'checkpointed', requests: 11 })
    // Index and files leave two requests for the engine and one for the alert: the key file and one POST.
    expect(record?.submittedUrls).toBe(8)
  })
})

describe('runs of one channel', () => {
  it('a finished run of Bing does not end what IndexNow still has to do', async () => {
    const shop = openShop({
      pages: 60,
      env: { RUN_TIME_BUDGET_MS: '5000', BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' },
      hosts: { 'ssl.bing.com': () => ({ status: 200, body: '{"d":null}' }) },
      latencyMs: 10,
    })
    shop.hosts['a.example'] = () => ({ status: 403, body: '{"errorCode":"SiteVerificationNotCompleted"}' })
    expect((await shop.run('?channel=indexnow')).status).toBe('checkpointed')
    expect((await shop.run('?channel=bing')).status).toBe('success')
    expect(await shop.state()).toMatchObject({ unfinished: { indexnow: expect.any(Number) } })
    shop.hosts['a.example'] = () => 200
    await shop.clock.advance(MINUTES_15)
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(60)
    expect(await shop.state()).toMatchObject({ unfinished: {} })
  })
})

describe('the schedule', () => {
  it('a manual run of one channel just before or after midnight keeps nobody from the daily run', async () => {
    const shop = openShop({
      env: { BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' },
      hosts: { 'ssl.bing.com': () => ({ status: 200, body: '{"d":null}' }) },
    })
    const day = 96 * MINUTES_15
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(3)
    shop.pages = 5
    await shop.clock.advance(day + 60_000)
    await shop.run('?channel=bing')
    await shop.run('?channel=bing')
    const status = await (await shop.call('/status?site=shop.example')).json()
    expect(status).toMatchObject({ nextRun: new Date(START + day + MINUTES_15).toISOString() })
    await shop.clock.advance(MINUTES_15)
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(5)
    const before = (await shop.history()).length
    await shop.clock.advance(MINUTES_15)
    await shop.tick()
    expect(await shop.history()).toHaveLength(before)
  })

  it('nor does one after a run of all that died', async () => {
    const shop = openShop({
      env: { BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' },
      hosts: { 'ssl.bing.com': () => ({ status: 200, body: '{"d":null}' }) },
    })
    const dead = { runId: 'dead', startedAt: START - 70_000, until: START - 10_000, channel: 'all' }
    await shop.store.put('sites:lease:shop.example', JSON.stringify(dead))
    await shop.run('?channel=bing')
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(3)
  })
})

describe('overlap', () => {
  const lease = { runId: 'dead', startedAt: START - 200_000, trigger: 'cron', channel: 'all' }
  const progress = {
    totalUrls: 50,
    newUrls: 40,
    engines: { 'a.example': { total: 30, accepted: 25, failed: 2, rejected: 0, deferred: 3, averageMs: 9 } },
    cursor: null,
  }

  it('a live lease: 409 with Retry-After for a manual run, skipped by the tick', async () => {
    const shop = openShop({ pages: 3 })
    await shop.store.put('sites:lease:shop.example', JSON.stringify({ ...lease, until: START + 30_000 }))
    const refused = await shop.call('/trigger')
    expect(refused.status).toBe(409)
    expect(refused.headers.get('retry-after')).toBe('30')
    await shop.tick()
    expect(shop.seen('shop.example')).toEqual([])
    await shop.clock.advance(30_000)
    expect((await shop.call('/trigger')).status).toBe(200)
  })

  it('a run that died is recorded as interrupted by the next, with what it got through and advice, and an alert', async () => {
    const shop = openShop({ pages: 3, env: { WEBHOOK_URL: HOOK } })
    await shop.store.put('sites:lease:shop.example', JSON.stringify({ ...lease, until: START - 1, progress }))
    expect((await shop.run()).status).toBe('success')
    const [own, dead, ...more] = await shop.history()
    expect(more).toEqual([])
    expect(own?.status).toBe('success')
    expect(dead).toMatchObject({
      runId: 'dead',
      status: 'interrupted',
      trigger: 'cron',
      durationMs: 139_999,
      totalUrls: 50,
      newUrls: 40,
      submittedUrls: 25,
      failedUrls: 2,
      engines: progress.engines,
    })
    for (const help of [
      'stopped by hand',
      'CPU limit',
      'paid plan',
      'split the sitemap',
      'machine of your own (Node)',
    ]) {
      expect(dead?.errors[0]?.advice).toContain(help)
    }
    const body = JSON.parse(shop.seen('hooks.example')[0]?.body ?? '{}') as {
      data: { reasons: { code: string }[] }
    }
    expect(body.data.reasons.map(({ code }) => code)).toEqual(['interrupted'])
    await shop.run()
    expect((await shop.history()).filter(({ status }) => status === 'interrupted')).toHaveLength(1)
    expect(shop.seen('hooks.example')).toHaveLength(1)
  })

  it('a run that saved its record but not its state is not told of twice', async () => {
    const shop = openShop({ pages: 3 })
    await shop.run()
    await shop.store.delete('sites:state:shop.example')
    await shop.clock.advance(60_000)
    await shop.run()
    expect((await shop.history()).map(({ status }) => status)).toEqual(['success', 'success'])
  })

  it('the next run goes on with the file the dead one had reached, and comes back for the others', async () => {
    const shop = openShop({ env: { RUN_REQUEST_BUDGET: '9' } })
    shop.hosts['shop.example'] = indexed(6, 1)
    const cursor = 'https://shop.example/map-4.xml'
    const until = START - 1
    await shop.store.put(
      'sites:lease:shop.example',
      JSON.stringify({ ...lease, until, progress: { ...progress, cursor } }),
    )
    await shop.tick()
    expect(shop.seen('shop.example').map(({ url }) => url.pathname)).toEqual([
      '/sitemap.xml',
      '/map-4.xml',
      '/map-5.xml',
      `/${KEY}.txt`,
    ])
    await shop.clock.advance(MINUTES_15)
    await ticks(shop, 3)
    expect(new Set(shop.accepted('a.example')).size).toBe(6)
    expect((await shop.history())[0]?.status).toBe('success')
  })

  it('a lease is renewed every 20 s with the progress of the run', async () => {
    const shop = openShop({ pages: 900 })
    const running = shop.call('/trigger')
    await running
    const kept = JSON.parse((await shop.store.getText('sites:lease:shop.example')) ?? '{}') as {
      until: number
      progress: typeof progress
    }
    expect(kept.progress).toMatchObject({ totalUrls: 900, newUrls: 900 })
    const { total = 0, accepted = 0 } = kept.progress.engines['a.example'] ?? {}
    expect(accepted).toBe(total)
    expect(accepted).toBeGreaterThan(600)
    expect((kept.until - START - 60_000) % 20_000).toBe(0)
  })
})

describe('what it costs', () => {
  it('D17 a run in which everything is known: 8 reads and 3 writes at most; the record says so', async () => {
    const shop = openShop({
      pages: 50,
      env: { BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' },
      hosts: { 'ssl.bing.com': () => ({ status: 200, body: '{"d":null}' }) },
    })
    const first = await shop.run()
    expect(first.marksPerWrite).toBe(50)
    expect(first).toMatchObject({ requests: 53, durationMs: expect.any(Number), totalUrls: 50 })
    const counted = { reads: 0, writes: 0 }
    Object.assign(shop.store, meteredStore({ ...shop.store }, counted))
    const second = await shop.run('?site=shop.example')
    expect(second).toMatchObject({ newUrls: 0, kvReads: counted.reads, kvWrites: counted.writes })
    expect(counted.reads).toBeLessThanOrEqual(8)
    expect(counted.writes).toBe(3)
  })

  it('marks are saved at least every 100 accepted URLs or 10 s, never twice a second, and after each POST', async () => {
    const shop = openShop({ pages: 350, env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    const writes: number[] = []
    const { put } = shop.store
    Object.assign(shop.store, {
      put: (...args: Parameters<typeof put>) => {
        if (args[0].startsWith('url_cache')) writes.push(shop.clock.now() - START)
        return put(...args)
      },
    })
    await shop.run()
    const gaps = writes.slice(1).map((at, n) => at - (writes[n] ?? 0))
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(1_000)
    expect(Math.max(...gaps)).toBeLessThanOrEqual(11_000)
    expect(writes.length).toBeGreaterThanOrEqual(4)
  })
})

describe('the figures', () => {
  it('N19 total, successful, failed and the average time per engine, in record, log and answer', async () => {
    const shop = openShop({
      pages: 10,
      latencyMs: 40,
      env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example', MAX_RETRIES: '0' },
    })
    shop.hosts['b.example'] = ({ urls }) => (urls[0] === pageOf(2) ? 500 : 200)
    const record = await shop.run()
    const engines = {
      'a.example': { total: 10, accepted: 10, failed: 0, rejected: 0, deferred: 0, averageMs: 40 },
      'b.example': { total: 10, accepted: 9, failed: 1, rejected: 0, deferred: 0, averageMs: 40 },
    }
    expect(record.engines).toEqual(engines)
    expect((await shop.history())[0]?.engines).toEqual(engines)
    expect(shop.log.entries().find(({ message }) => message === 'run finished')?.engines).toEqual(engines)
  })
})
