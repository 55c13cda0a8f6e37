// Only types: the client runs in workerd, so nothing here may pull in Node.

export type Target = 'a' | 'b' | 'bing' | 'site'

export interface SandboxOptions {
  /** 0 or absent: any free port. A taken port falls back to a free one. */
  port?: number | undefined
  pages?: number | undefined
  key?: string | undefined
  bingKey?: string | undefined
  bingQuota?: number | undefined
  /** Delay of every engine answer (a, b, bing). */
  latencyMs?: number | undefined
}

export interface SandboxInfo {
  origin: string
  port: number
  key: string
  bingKey: string
  sitemapUrl: string
  engines: { a: string; b: string }
  bingApiBase: string
}

export type FaultKind =
  | { kind: '429'; retryAfter?: number | string | undefined }
  | { kind: '5xx'; status?: number | undefined }
  | { kind: 'hang' }
  | { kind: 'refuse' }
  | { kind: 'drop' }
  | { kind: 'slow'; ms: number }
  /** Any answer at all; nothing is accepted. */
  | { kind: 'answer'; status: number; body?: string | undefined }

export type FaultRequest = FaultKind & {
  target: Target
  /** How many requests it meets; null: until reset. Default 1. */
  times?: number | null | undefined
  /** Only requests whose path, query or submitted URLs contain this. */
  match?: string | undefined
}

export interface Override {
  status?: number | undefined
  body?: string | undefined
  bodyBase64?: string | undefined
  headers?: Record<string, string> | undefined
}

export interface SiteChange {
  pages?: number | undefined
  /** Path or full URL of existing pages; lastmod defaults to now, null leaves the element out. */
  touch?: readonly { page: string; lastmod?: string | null | undefined }[] | undefined
  /** Any bytes at any path of the site; null puts the original back. */
  overrides?: Record<string, Override | null> | undefined
  keyFile?: 'ok' | 'missing' | 'wrong' | undefined
}

export type BingDialect = 'real' | 'documented'

export interface BingChange {
  dialect?: BingDialect | undefined
  /** Sets the daily allowance and starts both counters afresh. */
  quota?: number | undefined
  /** Gives the daily allowance back; the monthly counter stays. */
  newDay?: boolean | undefined
}

export interface AcceptedUrl {
  url: string
  at: number
  method: string
  host: string
}

export interface SeenRequest {
  at: number
  method: string
  path: string
  query: Record<string, string>
  rawQuery: string
  headers: { 'user-agent': string | null; 'content-type': string | null }
  /** null: no answer was sent (hung, dropped, still open, or the caller left). */
  status: number | null
  /** How many URLs the request carried. */
  urls: number
}

export interface TargetLedger {
  accepted: AcceptedUrl[]
  acceptedCount: number
  /** URLs accepted more than once, each listed once. */
  duplicates: string[]
  requests: SeenRequest[]
  maxInFlight: number
}

export type LedgerView = Record<Target, TargetLedger>
