/** What became of one request to an engine. Expected failure is a value. */
export type SubmissionOutcome =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'retryable'
      readonly cause: 'throttled' | 'transient'
      readonly reason: string
      /** The engine's own wish, when it is longer than ours. */
      readonly waitMs?: number
    }
  | {
      readonly kind: 'rejected'
      readonly reason: string
      /** The engine's own word for it. */
      readonly detail?: string
      /** What was refused: this URL for good, this request, or everything we would send there in this run. */
      readonly scope: 'url' | 'batch' | 'channel'
      readonly advice?: string
    }
  /** Not sent, or not to be sent yet: the URLs stay pending. */
  | { readonly kind: 'deferred'; readonly reason: string; readonly waitMs?: number }

/** One request's outcome with what the log wants to know of it. */
export interface Answer {
  readonly outcome: SubmissionOutcome
  readonly status?: number
  readonly elapsedMs: number
}

/** How a URL ends, once per endpoint and run. */
export type Ending = 'accepted' | 'failed' | 'rejected' | 'deferred'

/** A URL that at least one endpoint of one channel still has to hear of. */
export interface PendingUrl {
  readonly url: string
  /** Unix seconds, or null when the sitemap gives none that can be read. */
  readonly lastmod: number | null
  readonly fingerprint: bigint
  /** Per channel, one bit per endpoint that has not settled this URL. */
  readonly missing: Readonly<Record<string, number>>
}
