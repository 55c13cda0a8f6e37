/** What a person may configure, in one table, so that a setting and a field can never disagree. */
export const LIMITS = {
  MAX_CONCURRENT_REQUESTS: { min: 1, max: 10, default: 3 },
  REQUEST_INTERVAL_MS: { min: 0, max: 60_000, default: 100 },
  CACHE_TTL_DAYS: { min: 1, max: 3650, default: 30 },
  MAX_RETRIES: { min: 0, max: 10, default: 3 },
  BING_DAILY_QUOTA: { min: 1, max: 500, default: 100 },
  RUN_TIME_BUDGET_MS: { min: 1_000, max: 900_000, default: 300_000 },
  RUN_REQUEST_BUDGET: { min: 1, max: 10_000, default: 45 },
  RATE_LIMIT_WAIT_MS: { min: 0, max: 600_000, default: 60_000 },
  RETRY_BASE_MS: { min: 0, max: 60_000, default: 1_000 },
  SITEMAP_RETRY_MS: { min: 0, max: 60_000, default: 2_000 },
  BATCH_PAUSE_MS: { min: 0, max: 60_000, default: 1_000 },
  REQUEST_TIMEOUT_MS: { min: 1, max: 120_000, default: 15_000 },
  SITEMAP_TIMEOUT_MS: { min: 1, max: 300_000, default: 30_000 },
} as const

export const MIN_ADMIN_TOKEN_LENGTH = 16
