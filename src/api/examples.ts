/** What the documents show. The tests hold them against the schemas, so that they cannot grow old. */

export const siteInput = {
  sitemapUrl: 'https://www.example.com/sitemap.xml',
  apiKey: 'env:EXAMPLE_INDEXNOW_KEY',
  searchEngines: ['api.indexnow.org', 'yandex'],
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
  apiKey: '****...****',
  searchEngines: ['api.indexnow.org', 'yandex'],
  submitMethod: 'auto',
  bingEnabled: false,
  bingDailyQuota: 100,
  bingPriority: 'newest',
}

const engine = { total: 120, accepted: 118, failed: 2, rejected: 0, deferred: 0, averageMs: 84 }

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
  errors: [{ code: 'server_error_503', message: 'yandex: 2 URLs, server_error_503' }],
  engines: { yandex: engine },
  bingStats: {
    enabled: false,
    submitted: 0,
    successful: 0,
    failed: 0,
    skipped: 0,
    quotaUsed: 0,
    quotaRemaining: 0,
  },
  requests: 128,
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
      statusCode: 200,
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
    yandex: {
      channel: 'indexnow',
      acceptedTotal: 4_210,
      lastAnswer: { at: '2026-11-18T00:00:16.250Z', status: 200, averageMs: 84 },
      setAsideUntil: null,
      lastRun: engine,
    },
  },
  pending: 2,
  nextRun: '2026-11-19T00:00:00.000Z',
  bing: {
    enabled: true,
    todayQuotaUsed: 85,
    todayQuotaRemaining: 15,
    lastSubmission: '2026-11-18T00:00:16.250Z',
  },
  kv: { writesToday: 5, shareOfFreePlan: 0.005 },
}

export const daily = {
  daily: [
    {
      date: '2026-11-18',
      indexnow: { total: 1_500, successful: 1_480 },
      bing: { total: 100, successful: 98 },
    },
  ],
}
