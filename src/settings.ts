import { LIMITS, MIN_ADMIN_TOKEN_LENGTH } from './domain/limits'
import { scheduleRefusal } from './domain/schedule'
import type { Secret } from './domain/secret'
import type { LogLevel, SettingProblem, Settings } from './domain/settings'
import { HOMEPAGE, VERSION } from './generated/product'
import { isWholeNumber, SettingsReader } from './settings-reader'

const DEFAULT_SCHEDULE = '0 0 * * *'
const DEFAULT_ENGINES = ['api.indexnow.org']
const DEFAULT_BING_API_BASE = 'https://ssl.bing.com/webmaster/api.svc/json'
/** What fits into a bearer token: anything else would be accepted here and match nothing. */
const TOKEN_PATTERN = /^[\x21-\x2b\x2d-\x7e]+$/
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
  if (isWholeNumber(String(site.bingDailyQuota))) site.bingDailyQuota = Number(site.bingDailyQuota)
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
  const refusal = scheduleRefusal(text)
  if (refusal === null) return text
  reader.wrong('CRON_SCHEDULE', `CRON_SCHEDULE ${refusal}.`)
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
    webhookUrl:
      reader.address('WEBHOOK_URL', allowPrivateNetwork, 'https://hooks.example.com/beckon') ?? null,
    webhookSecret: webhookSecret(reader),
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
    bingApiBase: (
      reader.address('BING_API_BASE', allowPrivateNetwork, DEFAULT_BING_API_BASE) ?? DEFAULT_BING_API_BASE
    ).replace(/\/+$/, ''),
    allowPrivateNetwork,
    corsOrigins: reader.origins('CORS_ORIGINS'),
    logLevel: reader.oneOf('LOG_LEVEL', LOG_LEVELS, 'info'),
    secretNamed: (name) => reader.text(name),
  }
  return { settings, problems: reader.problems }
}

/** The prefix alone would sign with nothing, which no runtime does. */
function webhookSecret(reader: SettingsReader): Secret | null {
  const secret = reader.secret('WEBHOOK_SECRET')
  if (secret?.reveal() !== 'whsec_') return secret
  reader.wrong(
    'WEBHOOK_SECRET',
    'WEBHOOK_SECRET has nothing after whsec_: paste the whole secret, or leave it out.',
  )
  return null
}
