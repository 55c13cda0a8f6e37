import type { Target } from './shapes'

export const TARGETS = ['a', 'b', 'bing', 'site'] as const satisfies readonly Target[]

export const DEFAULTS = {
  PAGES: 500,
  BING_URLS_PER_DAY: 100,
  LATENCY_MS: 0,
  DEMO_PORT: 8788,
  SERVER_ERROR_STATUS: 503,
  INDEXNOW_KEY: '1d84df398c38bb1bd2f3cff022d5dab4',
  BING_KEY: 'd2d9e4ca74414e86cb93681b9f49e61c',
} as const

export const INDEXNOW = {
  MIN_KEY_CHARS: 8,
  MAX_KEY_CHARS: 128,
  MAX_URLS_PER_POST: 10_000,
  MAX_INVALID_URLS_LISTED: 10,
} as const

export const BING = {
  MAX_URLS_PER_REQUEST: 500,
  // One report had 100 a day beside 2200 a month.
  MONTHLY_DAYS_OF_QUOTA: 22,
} as const

export const CONTROL = {
  // Four child sitemaps of the 50,000 URLs that the sitemap protocol allows.
  MAX_PAGES: 200_000,
  MAX_BODY_BYTES: 32 * 1024 * 1024,
  MAX_DELAY_MS: 600_000,
  MAX_PORT: 65_535,
  MIN_ANSWER_STATUS: 200,
  MAX_ANSWER_STATUS: 599,
  MIN_FAULT_STATUS: 500,
  MAX_FAULT_STATUS: 504,
} as const
