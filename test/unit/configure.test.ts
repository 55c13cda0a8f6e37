import { describe, expect, it } from 'vitest'
import { configure } from '../../src/compose'
import { composeInMemory } from '../support/memory-application'

const GOOD = {
  ADMIN_TOKEN: 'a-token-of-32-characters-exactly',
  SITEMAP_URL: 'https://shop.example/sitemap.xml',
  INDEXNOW_API_KEY: 'key-of-the-shop-0001',
}
const SECRET_VALUE = 'not a key: hush hush'

describe('the environment’s site', () => {
  it('needs its sitemap and its key; the rest has defaults', () => {
    const { environmentSite, problems } = configure(GOOD)
    expect(problems).toEqual([])
    expect(environmentSite).toMatchObject({
      id: 'shop.example',
      name: 'shop.example',
      host: 'shop.example',
      source: 'env',
      enabled: true,
      schedule: '0 0 * * *',
      maxConcurrentRequests: 3,
    })
  })

  it('takes every setting that is its own', () => {
    const { environmentSite } = configure({
      ...GOOD,
      SITE_HOST: 'WWW.shop.example',
      INDEXNOW_SEARCH_ENGINES: '["bing","yandex"]',
      CRON_SCHEDULE: '30 6 * * 1',
      MAX_CONCURRENT_REQUESTS: '5',
      CACHE_TTL_DAYS: '7',
      BING_ENABLED: 'true',
      BING_API_KEY: 'env:BING_KEY_OF_SHOP',
      BING_DAILY_QUOTA: '50',
      BING_PRIORITY: 'random',
    })
    expect(environmentSite).toMatchObject({
      id: 'www.shop.example',
      schedule: '30 6 * * 1',
      maxConcurrentRequests: 5,
      cacheTtlDays: 7,
      settings: { bing: { bingEnabled: true, bingDailyQuota: 50, bingPriority: 'random' } },
    })
  })

  it.each([
    ['SITEMAP_URL', 'shop.example/sitemap.xml', 'sitemap_url_invalid'],
    ['SITEMAP_URL', 'http://10.0.0.1/sitemap.xml', 'sitemap_url_invalid'],
    ['SITE_HOST', 'https://shop.example', 'site_host_invalid'],
    ['SITE_HOST', 'shop.example:8080', 'site_host_invalid'],
    ['SITE_HOST', 'shop', 'site_host_invalid'],
    ['INDEXNOW_API_KEY', SECRET_VALUE, 'indexnow_api_key_invalid'],
    ['INDEXNOW_API_KEY', 'short', 'indexnow_api_key_invalid'],
    ['INDEXNOW_SEARCH_ENGINES', 'google', 'indexnow_search_engines_invalid'],
    ['INDEXNOW_SEARCH_ENGINES', '[]', 'indexnow_search_engines_invalid'],
    ['INDEXNOW_SEARCH_ENGINES', '["bing"', 'indexnow_search_engines_invalid'],
    ['INDEXNOW_SEARCH_ENGINES', 'a.example,'.repeat(9), 'indexnow_search_engines_invalid'],
    ['BING_API_KEY', SECRET_VALUE, 'bing_api_key_invalid'],
    ['BING_DAILY_QUOTA', '0', 'bing_daily_quota_invalid'],
    ['BING_DAILY_QUOTA', '501', 'bing_daily_quota_invalid'],
    ['BING_DAILY_QUOTA', '1.5', 'bing_daily_quota_invalid'],
    ['BING_DAILY_QUOTA', 'many', 'bing_daily_quota_invalid'],
    ['BING_DAILY_QUOTA', '0x10', 'bing_daily_quota_invalid'],
    ['BING_PRIORITY', 'oldest', 'bing_priority_invalid'],
  ])('%s=%s is told by name and code, in a sentence', (setting, value, code) => {
    const { environmentSite, problems } = configure({ ...GOOD, [setting]: value })
    expect(environmentSite).toBeNull()
    expect(problems).toMatchObject([{ setting, code }])
    expect(problems[0]?.sentence).toMatch(new RegExp(`^${setting} [a-z].*[^.]\\.$`))
  })

  it.each([
    ['INDEXNOW_SEARCH_ENGINES', 'yahoo', 'indexnow_search_engines_invalid'],
    ['BING_DAILY_QUOTA', 'abc', 'bing_daily_quota_invalid'],
    ['BING_PRIORITY', 'zzz', 'bing_priority_invalid'],
    ['BING_API_KEY', SECRET_VALUE, 'bing_api_key_invalid'],
  ])('%s=%s is told where the environment names no site, too', async (setting, value, code) => {
    const env = { ADMIN_TOKEN: GOOD.ADMIN_TOKEN, [setting]: value }
    expect(configure(env)).toMatchObject({ environmentSite: null, problems: [{ setting, code }] })
    const none = { SITEMAP_URL: '', INDEXNOW_API_KEY: '' }
    const { call } = composeInMemory({
      env: { ...env, ...none },
      fetch: () => Promise.reject(new Error('none')),
      startMs: 0,
    })
    const response = await call('/api/sites')
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ code })
  })

  it('what the environment says of Bing may stand without a site', () => {
    const env = { ADMIN_TOKEN: GOOD.ADMIN_TOKEN, BING_ENABLED: 'true', BING_DAILY_QUOTA: '50' }
    expect(configure(env)).toMatchObject({ environmentSite: null, problems: [] })
  })

  it('B18 Bing without a key', () => {
    expect(configure({ ...GOOD, BING_ENABLED: 'true' }).problems).toEqual([
      {
        setting: 'BING_API_KEY',
        code: 'bing_api_key_invalid',
        sentence: 'BING_API_KEY is required when BING_ENABLED is true.',
      },
    ])
  })

  it.each(['ADMIN_TOKEN', 'INDEXNOW_API_KEY', 'BING_API_KEY'])('a bad %s is never quoted', (setting) => {
    const value = setting === 'ADMIN_TOKEN' ? 'hush hush' : SECRET_VALUE
    const env = { ...GOOD, [setting]: value }
    expect(JSON.stringify(configure(env).problems)).not.toContain('hush')
    const { log } = composeInMemory({ env, fetch: () => Promise.reject(new Error('none')), startMs: 0 })
    expect(log.entries('error')).toHaveLength(1)
    expect(log.lines.join()).not.toContain('hush')
  })

  it('a token that is too short closes the API, but not the schedule', () => {
    const { environmentSite, problems } = configure({ ...GOOD, ADMIN_TOKEN: 'short' })
    expect(problems).toMatchObject([{ code: 'admin_token_short' }])
    expect(environmentSite?.id).toBe('shop.example')
    const both = configure({ ...GOOD, ADMIN_TOKEN: 'short', SITE_HOST: 'shop' })
    expect(both.problems.map(({ code }) => code)).toEqual(['admin_token_short', 'site_host_invalid'])
  })

  it('a bad engine is quoted, beside those known by name', () => {
    expect(configure({ ...GOOD, INDEXNOW_SEARCH_ENGINES: 'bing,google' }).problems[0]?.sentence).toBe(
      'INDEXNOW_SEARCH_ENGINES holds "google" (number 2), which is neither a known engine (bing, yandex, naver, seznam, yep, amazon) nor an address that may be asked.',
    )
  })

  it('all that is wrong is told at once, each thing once', () => {
    const codes = (env: Record<string, string>) => configure(env).problems.map(({ code }) => code)
    const wrong = { MAX_RETRIES: '-1', SITE_HOST: 'shop', BING_PRIORITY: 'oldest', BING_ENABLED: 'true' }
    expect(codes({ ...GOOD, ...wrong })).toEqual([
      'max_retries_invalid',
      'site_host_invalid',
      'bing_priority_invalid',
      'bing_api_key_invalid',
    ])
    expect(codes({ SITE_HOST: 'shop', INDEXNOW_SEARCH_ENGINES: 'google' })).toEqual([
      'sitemap_url_missing',
      'indexnow_api_key_missing',
      'site_host_invalid',
      'indexnow_search_engines_invalid',
    ])
    const local = { ...GOOD, SITEMAP_URL: 'http://localhost:8080/s.xml', SITE_HOST: 'shop.example' }
    expect(codes({ ...local, ALLOW_PRIVATE_NETWORK: 'yes' })).toEqual(['allow_private_network_invalid'])
  })

  it('a missing token is told in the log, once, and the schedule goes on', async () => {
    const { call, log, tick } = composeInMemory({
      env: { ADMIN_TOKEN: '' },
      fetch: () => Promise.reject(new Error('none')),
      startMs: 0,
    })
    expect(await (await call('/status')).json()).toMatchObject({ status: 503, code: 'admin_token_missing' })
    const told = log.entries('error').filter(({ code }) => code === 'admin_token_missing')
    expect(told).toHaveLength(1)
    expect(told[0]).toMatchObject({
      setting: 'ADMIN_TOKEN',
      message: expect.stringMatching(/^ADMIN_TOKEN is missing: set it to .+secret put ADMIN_TOKEN/),
    })
    await tick()
    expect(log.entries('info')).toContainEqual(expect.objectContaining({ message: 'run started' }))
  })
})
