import type { Secret } from './secret'

export type LogLevel = 'debug' | 'info' | 'warn' | 'error'

/** Defaults for every site that does not say otherwise. */
export interface SiteDefaults {
  readonly schedule: string
  readonly searchEngines: unknown
  readonly maxConcurrentRequests: number
  readonly requestIntervalMs: number
  readonly maxRetries: number
  readonly cacheTtlDays: number
}

export interface Waits {
  readonly rateLimitMs: number
  readonly retryBaseMs: number
  readonly sitemapRetryMs: number
  readonly batchPauseMs: number
}

export interface Settings {
  readonly adminToken: Secret | null
  readonly siteDefaults: SiteDefaults
  /** What the environment says of a site, whether or not it names one. */
  readonly environmentFields: Readonly<Record<string, unknown>>
  /** The environment's site in the field names of the API, not yet checked; null when there is none. */
  readonly environmentSite: Readonly<Record<string, unknown>> | null
  readonly webhookUrl: string | null
  readonly webhookSecret: Secret | null
  readonly userAgent: string
  readonly runTimeBudgetMs: number
  readonly runRequestBudget: number
  readonly waits: Waits
  readonly requestTimeoutMs: number
  readonly sitemapTimeoutMs: number
  readonly bingApiBase: string
  readonly allowPrivateNetwork: boolean
  /** Origins whose pages may read answers. */
  readonly corsOrigins: readonly string[]
  readonly logLevel: LogLevel
  /** The value behind `env:NAME`. */
  readonly secretNamed: (name: string) => string | undefined
}

/** A setting that cannot be used: a code to script against and a sentence that says what to do. */
export interface SettingProblem {
  readonly setting: string
  readonly code: string
  readonly sentence: string
}
