/** What the documents show. The tests hold them against the schemas, so that they cannot grow old. */

export const siteInput = {
  sitemapUrl: 'https://www.example.com/sitemap.xml',
  apiKey: 'env:EXAMPLE_INDEXNOW_KEY',
  searchEngines: ['api.indexnow.org', 'yandex'],
  bingEnabled: true,
  bingApiKey: 'env:EXAMPLE_BING_KEY',
}

export const site = {
  id: 'www.example.com',
  name: 'www.example.com',
  sitemapUrl: 'https://www.example.com/sitemap.xml',
  fallbackSitemapUrls: [],
  host: 'www.example.com',
  enabled: true,
  schedule: '0 0 * * *',
  maxConcurrentRequests: 3,
  requestIntervalMs: 100,
  maxRetries: 3,
  cacheTtlDays: 30,
  source: 'api',
  createdAt: '2026-11-18T09:00:00.000Z',
  updatedAt: '2026-11-18T09:00:00.000Z',
  apiKey: 'env:EXAMPLE_INDEXNOW_KEY',
  searchEngines: ['api.indexnow.org', 'yandex'],
  submitMethod: 'auto',
  bingEnabled: true,
  bingApiKey: 'env:EXAMPLE_BING_KEY',
  bingDailyQuota: 100,
  bingPriority: 'newest',
  bingQuotaSync: false,
}

/** 120 new pages: two of them yandex could not take, and 20 more than Bing had room for. */
const engines = {
  'api.indexnow.org': { total: 120, accepted: 120, failed: 0, rejected: 0, deferred: 0, averageMs: 61 },
  yandex: { total: 120, accepted: 118, failed: 2, rejected: 0, deferred: 0, averageMs: 84 },
  'bing-webmaster': { total: 120, accepted: 100, failed: 0, rejected: 0, deferred: 20, averageMs: 310 },
}

const lastExecution = {
  runId: '6f0c7c3e-4d0b-4c0b-9a39-3f0a3f4f8a11',
  siteId: 'www.example.com',
  channel: 'all',
  trigger: 'cron',
  status: 'partial',
  timestamp: '2026-11-18T00:00:02.000Z',
  durationMs: 14_250,
  totalUrls: 1_500,
  newUrls: 120,
  cachedUrls: 1_380,
  submittedUrls: 118,
  failedUrls: 2,
  leftOut: { other_host: 3 },
  errors: [{ channel: 'indexnow', code: 'server_error_503', message: 'yandex: 2 URLs, server_error_503' }],
  engines,
  bingStats: {
    enabled: true,
    submitted: 100,
    successful: 100,
    failed: 0,
    skipped: 20,
    quotaUsed: 100,
    quotaRemaining: 0,
  },
  requests: 250,
  kvReads: 8,
  kvWrites: 5,
}

export const record = {
  ...lastExecution,
  batches: [
    {
      channel: 'indexnow',
      engine: 'yandex',
      number: 1,
      success: false,
      urlCount: 100,
      accepted: 98,
      statusCode: 503,
      errorCode: 'server_error_503',
      timestamp: '2026-11-18T00:00:16.250Z',
      ms: 84,
    },
  ],
}

export const status = {
  siteId: 'www.example.com',
  enabled: true,
  currentRun: null,
  lastExecution,
  engines: {
    'api.indexnow.org': {
      channel: 'indexnow',
      acceptedTotal: 4_212,
      lastAnswer: { at: '2026-11-18T00:00:16.250Z', status: 200, averageMs: 61 },
      setAsideUntil: null,
      lastRun: engines['api.indexnow.org'],
    },
    yandex: {
      channel: 'indexnow',
      acceptedTotal: 4_210,
      lastAnswer: { at: '2026-11-18T00:00:16.250Z', status: 503, averageMs: 84 },
      setAsideUntil: null,
      lastRun: engines.yandex,
    },
    'bing-webmaster': {
      channel: 'bing',
      acceptedTotal: 3_900,
      lastAnswer: { at: '2026-11-18T00:00:16.250Z', status: 200, averageMs: 310 },
      setAsideUntil: null,
      lastRun: engines['bing-webmaster'],
    },
  },
  pending: 2,
  nextRun: '2026-11-19T00:00:00.000Z',
  bing: {
    enabled: true,
    todayQuotaUsed: 100,
    todayQuotaRemaining: 0,
    lastSubmission: '2026-11-18T00:00:16.250Z',
  },
  kv: { writesToday: 5, shareOfFreePlan: 0.005 },
}

export const daily = {
  daily: [
    {
      date: '2026-11-18',
      indexnow: { total: 120, successful: 118 },
      bing: { total: 100, successful: 100 },
    },
  ],
}
