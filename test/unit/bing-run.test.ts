import { describe, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { createMemoryStore } from '../../src/drivers/memory-store'
import type { KeyValueStore } from '../../src/ports'
import { composeInMemory } from '../support/memory-application'
import { bingFault, bingSuccess, createInternet, type InternetOptions, pages } from '../support/shop-internet'
import { createVirtualClock } from '../support/virtual-clock'

const KEY = '0123456789abcdef0123456789abcdef'
const NOON = Date.UTC(2025, 0, 15, 12)

function open(
  internet: Omit<InternetOptions, 'pages'> & { readonly pages?: readonly string[] },
  options: {
    readonly env?: Record<string, string>
    readonly startMs?: number
    readonly wrap?: (store: KeyValueStore) => KeyValueStore
  } = {},
) {
  const clock = createVirtualClock(options.startMs ?? NOON)
  const times: number[] = []
  const { fetch, bingCalls } = createInternet({
    ...internet,
    pages: internet.pages ?? pages(10),
    bing: (call, nth) => {
      times.push(clock.now() - (options.startMs ?? NOON))
      return internet.bing(call, nth)
    },
  })
  const store = createMemoryStore(clock)
  const app = composeInMemory({
    clock,
    startMs: clock.now(),
    store: options.wrap?.(store) ?? store,
    fetch,
    env: { BING_ENABLED: 'true', BING_API_KEY: KEY, RUN_REQUEST_BUDGET: '5000', ...options.env },
  })
  return {
    ...app,
    store,
    bingCalls,
    /** Of the requests to Bing, in seconds since the start. */
    seconds: () => times.map((ms) => ms / 1000),
    async trigger(query = '?channel=bing') {
      const answer = (await (await app.call(`/trigger${query}`)).json()) as { record: ExecutionRecord }
      return answer.record
    },
  }
}

const throttled = (retryAfter?: string) =>
  new Response('', { status: 429, headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter } })

describe('a run of Bing, to the second', () => {
  it('B01 the request is the one of the documents, byte for byte', async () => {
    const app = open({ pages: ['/a', '/b?x=1&amp;y=ü'], bing: bingSuccess })
    await app.trigger()
    expect(app.bingCalls).toHaveLength(1)
    const [call] = app.bingCalls
    expect(call?.method).toBe('POST')
    expect(call?.url.href).toBe(`https://ssl.bing.com/webmaster/api.svc/json/SubmitUrlbatch?apikey=${KEY}`)
    expect(call?.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect({ siteUrl: call?.siteUrl, urlList: call?.urls }).toEqual({
      siteUrl: 'https://shop.example',
      urlList: ['https://shop.example/a', 'https://shop.example/b?x=1&y=%C3%BC'],
    })
  })

  it('B03 429: a minute between the tries, three retries, then an error', async () => {
    const app = open({ bing: () => throttled() })
    const record = await app.trigger()
    expect(app.seconds()).toEqual([0, 60, 120, 180])
    expect(record.bingStats).toMatchObject({ successful: 0, failed: 10, quotaUsed: 0 })
    expect(app.log.entries('warn').map(({ message }) => message)).toContain(
      'Bing bing-webmaster: throttled, retry 3/3',
    )
    expect(app.log.entries('error').map(({ message }) => message)).toContain('batch submitted')
  })

  it.each([4, 5])('B03 ErrorCode %d waits like a 429', async (code) => {
    const app = open({
      bing: (_, nth) => (nth <= 2 ? bingFault(code, 'ERROR!!! ThrottleUser') : bingSuccess()),
    })
    expect((await app.trigger()).bingStats).toMatchObject({ successful: 10 })
    expect(app.seconds()).toEqual([0, 60, 120])
  })

  it('D14 a 5xx and a lost connection are tried again after 1, 2 and 4 seconds', async () => {
    for (const fail of [
      () => new Response('', { status: 502 }),
      () => Promise.reject(new TypeError('connection reset')),
      () => new Response('<html>Sign in</html>'),
    ]) {
      const app = open({ bing: fail })
      expect((await app.trigger()).bingStats).toMatchObject({ failed: 10, quotaUsed: 0 })
      expect(app.seconds()).toEqual([0, 1, 3, 7])
    }
  })

  it('D14 no answer: given up after the timeout, tried again, not counted', async () => {
    const app = open({ bing: (_, nth) => (nth === 1 ? new Promise<Response>(() => {}) : bingSuccess()) })
    const record = await app.trigger()
    expect(app.seconds()).toEqual([0, 16])
    expect(record.bingStats).toMatchObject({ successful: 10, quotaUsed: 10 })
  })

  it('B16 batches of 100 are a second apart', async () => {
    const app = open({ pages: pages(250), bing: bingSuccess }, { env: { BING_DAILY_QUOTA: '250' } })
    const record = await app.trigger()
    expect(app.bingCalls.map(({ urls }) => urls.length)).toEqual([100, 100, 50])
    expect(app.seconds()).toEqual([0, 1, 2])
    expect(record.bingStats).toMatchObject({ quotaUsed: 250 })
    expect(record.batches.map(({ timestamp }) => timestamp)).toEqual([
      '2025-01-15T12:00:00.000Z',
      '2025-01-15T12:00:01.000Z',
      '2025-01-15T12:00:02.000Z',
    ])
  })

  it('B08 a run from 23:58 to 00:03 counts all on the day it started: 90 and 10 are 100', async () => {
    const startMs = Date.UTC(2025, 0, 15, 23, 58)
    const app = open(
      { pages: pages(12), bing: (_, nth) => (nth <= 2 ? throttled('150') : bingSuccess()) },
      { startMs, env: { RUN_TIME_BUDGET_MS: '600000' } },
    )
    const quota = (date: string) => app.store.getText(`bing:quota:shop.example:${date}`)
    await app.store.put(
      'bing:quota:shop.example:2025-01-15',
      JSON.stringify({ used: 90, lastUpdate: '2025-01-15T10:00:00.000Z' }),
    )
    const record = await app.trigger()
    expect(new Date(app.clock.now()).toISOString()).toBe('2025-01-16T00:03:00.000Z')
    expect(record).toMatchObject({ timestamp: '2025-01-15T23:58:00.000Z', durationMs: 300_000 })
    expect(JSON.parse((await quota('2025-01-15')) ?? '')).toEqual({
      used: 100,
      lastUpdate: '2025-01-16T00:03:00.000Z',
    })
    expect(await quota('2025-01-16')).toBeNull()
    expect(record.bingStats).toMatchObject({ successful: 10, skipped: 2, quotaUsed: 100, quotaRemaining: 0 })
    // The next run belongs to the new day, and has all of it.
    expect((await app.trigger()).bingStats).toMatchObject({ successful: 2, quotaUsed: 2 })
  })

  it('the key is in no line, record or answer, even when Bing quotes it', async () => {
    const app = open(
      { bing: () => bingFault(8, `ERROR!!! Bad parameter apikey=${KEY}`) },
      { env: { LOG_LEVEL: 'debug' } },
    )
    const record = await app.trigger()
    expect(record.batches[0]?.errorMessage).toBe('ERROR!!! Bad parameter apikey=****...****')
    const stored = await Promise.all((await app.store.list('')).keys.map((key) => app.store.getText(key)))
    const shown = await (await app.call('/status?site=shop.example')).text()
    expect([JSON.stringify(record), ...app.log.lines, ...stored, shown].join('\n')).not.toContain(
      KEY.slice(0, 8),
    )
  })
})

describe('Bing cannot touch IndexNow', () => {
  /** Everything a run says of IndexNow. */
  const ofIndexNow = (record: ExecutionRecord) => ({
    submittedUrls: record.submittedUrls,
    failedUrls: record.failedUrls,
    engine: record.engines['api.indexnow.org'],
    batches: record.batches.filter(({ channel }) => channel === 'indexnow'),
    errors: record.errors.filter(({ channel }) => channel !== 'bing'),
  })
  const marksOf = async (store: KeyValueStore) =>
    Buffer.from((await store.getBytes('url_cache:shop.example:0')) ?? []).toString('hex')

  const never = () => new Promise<Response>(() => {})
  const failingFor = (prefix: string, what: 'get' | 'put') => (store: KeyValueStore) => ({
    ...store,
    getText: async (key: string) => {
      if (what === 'get' && key.startsWith(prefix)) throw new Error('KV is down')
      return store.getText(key)
    },
    getBytes: async (key: string) => {
      if (what === 'get' && key.startsWith(prefix)) throw new Error('KV is down')
      return store.getBytes(key)
    },
    put: async (...args: Parameters<KeyValueStore['put']>) => {
      if (what === 'put' && args[0].startsWith(prefix)) throw new Error('KV is down')
      return store.put(...args)
    },
  })

  it.each([
    ['refuses the key', () => bingFault(3, 'ERROR!!! InvalidApiKey'), undefined],
    ['hangs', never, undefined],
    ['is down', () => new Response('', { status: 503 }), undefined],
    ['throttles', () => throttled(), undefined],
    ['has its quota record out of reach', bingSuccess, failingFor('bing:quota:', 'get')],
    ['cannot write its quota', bingSuccess, failingFor('bing:quota:', 'put')],
    ['has its marks out of reach', bingSuccess, failingFor('url_cache:bing:', 'get')],
    ['cannot write its marks', bingSuccess, failingFor('url_cache:bing:', 'put')],
  ])('B23 Bing %s: record, marks and figures of IndexNow are those of a run without it', async (_, bing, wrap) => {
    const alone = open({ bing: never }, { env: { BING_ENABLED: 'false', BING_API_KEY: '' } })
    const expected = ofIndexNow(await alone.trigger(''))
    expect(expected).toMatchObject({ submittedUrls: 10, errors: [] })

    const app = open({ bing }, wrap === undefined ? {} : { wrap })
    expect(ofIndexNow(await app.trigger(''))).toEqual(expected)
    expect(await marksOf(app.store)).toBe(await marksOf(alone.store))
    expect((await app.trigger('?channel=indexnow')).newUrls).toBe(0)
  })

  it('B23 what breaks in Bing is told, and its URLs are sent again', async () => {
    let down = true
    const app = open(
      { bing: bingSuccess },
      {
        wrap: (store) => ({
          ...store,
          getBytes: async (key) => {
            if (down && key.startsWith('url_cache:bing:')) throw new Error('KV is down')
            return store.getBytes(key)
          },
        }),
      },
    )
    const record = await app.trigger('')
    expect(record.status).toBe('partial')
    expect(record.errors).toMatchObject([{ channel: 'bing', code: 'channel_broke_off' }])
    expect(record.bingStats.error).toContain('broke off')
    down = false
    expect((await app.trigger('')).bingStats).toMatchObject({ successful: 10 })
  })

  it('IndexNow leaves Bing a tenth of the time, however slow its engine is', async () => {
    const slow = open({
      pages: pages(90),
      bing: bingSuccess,
      indexnow: async () => {
        await slow.clock.sleep(14_000)
        return new Response('')
      },
    })
    const record = await slow.trigger('')
    expect(record.status).toBe('checkpointed')
    expect(record.engines['api.indexnow.org']).toMatchObject({ total: 90, failed: 0 })
    expect(record.engines['api.indexnow.org']?.deferred).toBeGreaterThan(0)
    expect(record.bingStats).toMatchObject({ successful: 90 })
    expect(slow.seconds()[0]).toBeLessThan(290)
  })
})
