import { LIMITS, MIN_ADMIN_TOKEN_LENGTH } from './domain/limits'
import { isSchedule } from './domain/schedule'
import { Secret } from './domain/secret'
import type { LogLevel, SettingProblem, Settings } from './domain/settings'
import { HOMEPAGE, VERSION } from './generated/product'
import { refusalOf } from './net/guard'

const DEFAULT_SCHEDULE = '0 0 * * *'
const DEFAULT_ENGINES = ['api.indexnow.org']
const DEFAULT_BING_API_BASE = 'https://ssl.bing.com/webmaster/api.svc/json'
/** What fits into a bearer token: anything else would be accepted here and match nothing. */
const TOKEN_PATTERN = /^[\x21-\x2b\x2d-\x7e]+$/
const DIGITS = /^\d+$/
const LOG_LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']

/** Which setting gives which field of the environment's site. */
export const ENVIRONMENT_SITE_FIELDS = {
  sitemapUrl: 'SITEMAP_URL',
  host: 'SITE_HOST',
  apiKey: 'INDEXNOW_API_KEY',
  searchEngines: 'INDEXNOW_SEARCH_ENGINES',
  bingEnabled: 'BING_ENABLED',
  bingApiKey: 'BING_API_KEY',
  bingDailyQuota: 'BING_DAILY_QUOTA',
  bingPriority: 'BING_PRIORITY',
} as const

/** Every setting there is. */
export const SETTING_NAMES: readonly string[] = [
  ...Object.values(ENVIRONMENT_SITE_FIELDS),
  ...Object.keys(LIMITS),
  'ADMIN_TOKEN',
  'CRON_SCHEDULE',
  'WEBHOOK_URL',
  'WEBHOOK_SECRET',
  'USER_AGENT',
  'BING_API_BASE',
  'ALLOW_PRIVATE_NETWORK',
  'CORS_ORIGINS',
  'LOG_LEVEL',
]

/** Reads settings one by one and collects what is wrong with them. */
class SettingsReader {
  readonly problems: SettingProblem[] = []

  constructor(private readonly env: Readonly<Record<string, unknown>>) {}

  /** The trimmed text, or undefined when the setting is absent or empty. */
  text(name: string): string | undefined {
    const value = this.env[name]
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (typeof value !== 'string') return undefined
    return value.trim() === '' ? undefined : value.trim()
  }

  /** A list given as JSON array or comma list stays what it is: the site's schema reads it. */
  raw(name: string): unknown {
    const value = this.env[name]
    return Array.isArray(value) ? value : this.text(name)
  }

  secret(name: string): Secret | null {
    const text = this.text(name)
    return text === undefined ? null : new Secret(text)
  }

  integer(name: keyof typeof LIMITS): number {
    const { min, max, default: fallback } = LIMITS[name]
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = DIGITS.test(text) ? Number(text) : Number.NaN
    if (Number.isInteger(value) && value >= min && value <= max) return value
    this.wrong(name, `${name} must be a whole number from ${min} to ${max}.`)
    return fallback
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return undefined
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    this.wrong(name, `${name} must be true or false.`)
    return undefined
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name)
    if (text === undefined) return fallback
    const found = allowed.find((value) => value === text)
    if (found === undefined) this.wrong(name, `${name} must be one of ${allowed.join(', ')}.`)
    return found ?? fallback
  }

  address(name: string, allowPrivateNetwork: boolean): string | undefined {
    const text = this.text(name)
    const refusal = text === undefined ? null : refusalOf(text, { allowPrivateNetwork })
    if (refusal === null) return text
    this.wrong(name, `${name} ${refusal}.`)
    return undefined
  }

  origins(name: string): readonly string[] {
    const origins = (this.text(name) ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean)
    const isOrigin = (text: string) =>
      /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
    if (origins.every(isOrigin)) return origins
    this.wrong(name, `${name} must be a comma list of origins, such as https://admin.example.com.`)
    return []
  }

  wrong(setting: string, sentence: string, kind: 'missing' | 'invalid' | 'short' = 'invalid'): void {
    this.problems.push({ setting, sentence, code: `${setting.toLowerCase()}_${kind}` })
  }
}

/** What the environment says of a site, in the field names of the API, whether or not it names one. */
function environmentFields(reader: SettingsReader): Record<string, unknown> {
  const site: Record<string, unknown> = {}
  for (const [field, name] of Object.entries(ENVIRONMENT_SITE_FIELDS)) {
    const value = reader.raw(name)
    if (value !== undefined) site[field] = value
  }
  const bingEnabled = reader.flag('BING_ENABLED')
  if (bingEnabled === undefined) delete site.bingEnabled
  else site.bingEnabled = bingEnabled
  if (DIGITS.test(String(site.bingDailyQuota))) site.bingDailyQuota = Number(site.bingDailyQuota)
  return site
}

function environmentSite(
  reader: SettingsReader,
  site: Readonly<Record<string, unknown>>,
): Settings['environmentSite'] {
  const wanted = site.sitemapUrl !== undefined || site.apiKey !== undefined || site.host !== undefined
  if (!wanted) return null
  if (site.sitemapUrl === undefined) {
    reader.wrong('SITEMAP_URL', 'SITEMAP_URL is missing: set it to the address of your sitemap.', 'missing')
  }
  if (site.apiKey === undefined) {
    reader.wrong(
      'INDEXNOW_API_KEY',
      'INDEXNOW_API_KEY is missing: set it to your IndexNow key (8 to 128 letters, digits or dashes).',
      'missing',
    )
  }
  return site
}

/** Whether the API could be opened with it. */
export function isAdminToken(text: string): boolean {
  return text.length >= MIN_ADMIN_TOKEN_LENGTH && TOKEN_PATTERN.test(text)
}

function adminToken(reader: SettingsReader): Secret | null {
  const token = reader.secret('ADMIN_TOKEN')
  if (token === null) return null
  if (token.reveal().length < MIN_ADMIN_TOKEN_LENGTH) {
    reader.wrong(
      'ADMIN_TOKEN',
      `ADMIN_TOKEN is too short: use at least ${MIN_ADMIN_TOKEN_LENGTH} characters.`,
      'short',
    )
    return null
  }
  if (isAdminToken(token.reveal())) return token
  const allowed = 'letters, digits and signs of ASCII, without blanks and commas'
  reader.wrong('ADMIN_TOKEN', `ADMIN_TOKEN must consist of ${allowed}: a request could not carry this one.`)
  return null
}

function schedule(reader: SettingsReader): string {
  const text = reader.text('CRON_SCHEDULE') ?? DEFAULT_SCHEDULE
  if (isSchedule(text)) return text
  reader.wrong(
    'CRON_SCHEDULE',
    'CRON_SCHEDULE must be a cron line of five fields, such as "0 0 * * *" (UTC).',
  )
  return DEFAULT_SCHEDULE
}

/** Turns the environment into settings. Wrong ones keep their default and are listed: the caller decides how to say so. */
export function parseSettings(env: Readonly<Record<string, unknown>>): {
  settings: Settings
  problems: readonly SettingProblem[]
} {
  const reader = new SettingsReader(env)
  const allowPrivateNetwork = reader.flag('ALLOW_PRIVATE_NETWORK') ?? false
  const fields = environmentFields(reader)
  const settings: Settings = {
    adminToken: adminToken(reader),
    siteDefaults: {
      schedule: schedule(reader),
      searchEngines: reader.raw('INDEXNOW_SEARCH_ENGINES') ?? DEFAULT_ENGINES,
      maxConcurrentRequests: reader.integer('MAX_CONCURRENT_REQUESTS'),
      requestIntervalMs: reader.integer('REQUEST_INTERVAL_MS'),
      maxRetries: reader.integer('MAX_RETRIES'),
      cacheTtlDays: reader.integer('CACHE_TTL_DAYS'),
    },
    environmentFields: fields,
    environmentSite: environmentSite(reader, fields),
    webhookUrl: reader.address('WEBHOOK_URL', allowPrivateNetwork) ?? null,
    webhookSecret: reader.secret('WEBHOOK_SECRET'),
    userAgent: reader.text('USER_AGENT') ?? `Beckon/${VERSION} (+${HOMEPAGE})`,
    runTimeBudgetMs: reader.integer('RUN_TIME_BUDGET_MS'),
    runRequestBudget: reader.integer('RUN_REQUEST_BUDGET'),
    waits: {
      rateLimitMs: reader.integer('RATE_LIMIT_WAIT_MS'),
      retryBaseMs: reader.integer('RETRY_BASE_MS'),
      sitemapRetryMs: reader.integer('SITEMAP_RETRY_MS'),
      batchPauseMs: reader.integer('BATCH_PAUSE_MS'),
    },
    requestTimeoutMs: reader.integer('REQUEST_TIMEOUT_MS'),
    sitemapTimeoutMs: reader.integer('SITEMAP_TIMEOUT_MS'),
    bingApiBase: (reader.address('BING_API_BASE', allowPrivateNetwork) ?? DEFAULT_BING_API_BASE).replace(
      /\/+$/,
      '',
    ),
    allowPrivateNetwork,
    corsOrigins: reader.origins('CORS_ORIGINS'),
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    secretNamed: (name) => reader.text(name),
  }
  return { settings, problems: reader.problems }
}
