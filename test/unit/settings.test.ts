import { describe, expect, it } from 'vitest'
import { LIMITS } from '../../src/domain/limits'
import { parseSettings } from '../../src/settings'

const problemsOf = (env: Record<string, unknown>) =>
  parseSettings(env).problems.map(({ setting, code, sentence }) => ({ setting, code, sentence }))

// The quota of the environment's site is the site's own field: the site's schema reads it.
const NUMBERS = Object.entries(LIMITS).filter(([name]) => name !== 'BING_DAILY_QUOTA')

describe('settings', () => {
  it('nothing set is no problem, and gives the documented defaults', () => {
    const { settings, problems } = parseSettings({})
    expect(problems).toEqual([])
    expect(settings).toMatchObject({
      adminToken: null,
      environmentSite: null,
      siteDefaults: {
        schedule: '0 0 * * *',
        searchEngines: ['api.indexnow.org'],
        maxConcurrentRequests: 3,
        requestIntervalMs: 100,
        maxRetries: 3,
        cacheTtlDays: 30,
      },
      runTimeBudgetMs: 300_000,
      runRequestBudget: 45,
      waits: { rateLimitMs: 60_000, retryBaseMs: 1_000, sitemapRetryMs: 2_000, batchPauseMs: 1_000 },
      requestTimeoutMs: 15_000,
      sitemapTimeoutMs: 30_000,
      bingApiBase: 'https://ssl.bing.com/webmaster/api.svc/json',
      allowPrivateNetwork: false,
      logLevel: 'info',
      webhookUrl: null,
      webhookSecret: null,
    })
    expect(settings.userAgent).toMatch(/^Beckon\/\S+ \(\+https?:\/\/\S+\)$/)
  })

  it('empty and blank ones count as not set', () => {
    const { settings, problems } = parseSettings({
      ADMIN_TOKEN: '',
      MAX_RETRIES: '  ',
      SITEMAP_URL: '',
      LOG_LEVEL: ' ',
    })
    expect(problems).toEqual([])
    expect(settings).toMatchObject({ adminToken: null, environmentSite: null, logLevel: 'info' })
  })

  it.each(NUMBERS)('%s takes its limits and nothing beyond', (name, { min, max }) => {
    for (const good of [String(min), String(max), min, ` ${max} `])
      expect(problemsOf({ [name]: good })).toEqual([])
    for (const bad of [
      String(min - 1),
      String(max + 1),
      '1.5',
      'many',
      'NaN',
      'Infinity',
      '12px',
      '0x2710',
      '1e1',
      '+5',
      '5.0',
    ]) {
      expect(problemsOf({ [name]: bad })).toEqual([
        {
          setting: name,
          code: `${name.toLowerCase()}_invalid`,
          sentence: `${name} must be a whole number from ${min} to ${max}.`,
        },
      ])
    }
  })

  it.each([
    ['ADMIN_TOKEN', 'fifteen-letters', 'admin_token_short'],
    ['ADMIN_TOKEN', 'twenty-letters, or so', 'admin_token_invalid'],
    ['ADMIN_TOKEN', 'twenty-letters,or-so', 'admin_token_invalid'],
    ['ADMIN_TOKEN', 'zwanzig-zeichen-für-dich', 'admin_token_invalid'],
    ['ADMIN_TOKEN', 'twenty-letters\u0000or-so', 'admin_token_invalid'],
    ['CRON_SCHEDULE', `${'0,'.repeat(20_000)}0 0 * * *`, 'cron_schedule_invalid'],
    ['CRON_SCHEDULE', 'daily', 'cron_schedule_invalid'],
    ['CRON_SCHEDULE', '0 0 0 * * *', 'cron_schedule_invalid'],
    ['CRON_SCHEDULE', '61 0 * * *', 'cron_schedule_invalid'],
    ['CRON_SCHEDULE', '0 0 30 2 *', 'cron_schedule_invalid'],
    ['LOG_LEVEL', 'verbose', 'log_level_invalid'],
    ['LOG_LEVEL', 'INFO', 'log_level_invalid'],
    ['ALLOW_PRIVATE_NETWORK', 'yes', 'allow_private_network_invalid'],
    ['BING_ENABLED', 'on', 'bing_enabled_invalid'],
    ['WEBHOOK_URL', 'hooks.example/a', 'webhook_url_invalid'],
    ['WEBHOOK_URL', 'http://10.0.0.1/', 'webhook_url_invalid'],
    ['BING_API_BASE', 'http://localhost:8080', 'bing_api_base_invalid'],
  ])('%s=%s is told by name and code', (setting, value, code) => {
    const problems = problemsOf({ [setting]: value })
    expect(problems).toMatchObject([{ setting, code }])
    expect(problems[0]?.sentence).toMatch(new RegExp(`^${setting} .*\\.$`))
  })

  it.each([
    ['daily', 'this has 1'],
    ['0 0 0 * * *', 'this has 6'],
    ['61 0 * * *', 'its minute is wrong'],
    ['0 25 * * *', 'its hour is wrong'],
    ['0 0 * * someday', 'its day of week is wrong'],
    ['0 0 30 2 *', 'this one never comes round'],
  ])('CRON_SCHEDULE=%s: %s', (value, says) => {
    expect(problemsOf({ CRON_SCHEDULE: value })[0]?.sentence).toBe(
      `CRON_SCHEDULE must be a cron line of five fields, such as "0 0 * * *" (UTC): ${says}.`,
    )
  })

  it.each([
    ['true', true],
    ['TRUE', true],
    ['1', true],
    [true, true],
    ['false', false],
    ['0', false],
    [false, false],
  ])('a switch may be %j', (value, expected) => {
    const { settings, problems } = parseSettings({ ALLOW_PRIVATE_NETWORK: value })
    expect(problems).toEqual([])
    expect(settings.allowPrivateNetwork).toBe(expected)
  })

  it('half a site is told by what is missing', () => {
    expect(problemsOf({ SITEMAP_URL: 'https://shop.example/s.xml' })).toMatchObject([
      { code: 'indexnow_api_key_missing' },
    ])
    expect(problemsOf({ INDEXNOW_API_KEY: 'key-of-the-shop' })).toMatchObject([
      { code: 'sitemap_url_missing' },
    ])
    expect(problemsOf({ SITE_HOST: 'shop.example' }).map(({ code }) => code)).toEqual([
      'sitemap_url_missing',
      'indexnow_api_key_missing',
    ])
  })

  it('all that is wrong is told at once', () => {
    expect(problemsOf({ MAX_RETRIES: '-1', LOG_LEVEL: 'x', ADMIN_TOKEN: 'x' })).toHaveLength(3)
  })

  it('a base address loses its last slash, a secret is found by its name', () => {
    const { settings } = parseSettings({ BING_API_BASE: 'https://bing.example/json//', SHOP_KEY: ' key-1 ' })
    expect(settings.bingApiBase).toBe('https://bing.example/json')
    expect(settings.secretNamed('SHOP_KEY')).toBe('key-1')
    expect(settings.secretNamed('OTHER')).toBeUndefined()
  })

  it('secrets print masked', () => {
    const { settings } = parseSettings({
      ADMIN_TOKEN: 'a-token-of-twenty-ch',
      WEBHOOK_SECRET: 'whsec_0123456789',
    })
    expect(JSON.stringify(settings)).not.toMatch(/twenty|whsec/)
    expect(`${settings.adminToken} ${settings.webhookSecret}`).toBe('****...**** ****...****')
    expect(settings.adminToken?.reveal()).toBe('a-token-of-twenty-ch')
  })
})
