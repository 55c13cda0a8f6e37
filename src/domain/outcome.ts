/** The engine's own words, as far as it found any. */
interface Said {
  readonly code?: string
  readonly detail?: string
}

/** What became of one request to an engine. Expected failure is a value. */
export type SubmissionOutcome =
  | { readonly kind: 'accepted' }
  | (Said & {
      readonly kind: 'retryable'
      readonly cause: 'throttled' | 'transient'
      readonly reason: string
      /** The engine's own wish, when it is longer than ours. */
      readonly waitMs?: number
    })
  | (Said & {
      readonly kind: 'rejected'
      readonly reason: string
      /**
       * What was refused: URLs of the request for good, this request, or everything we would send there in this run.
       * A request refused for its URLs took none of them; the pipeline takes it apart to find which are at fault.
       */
      readonly scope: 'url' | 'batch' | 'channel'
      /** With scope `url`: those at fault, when the answer names them. */
      readonly named?: readonly string[]
      /** With scope `batch`: smaller ones would do, because it was too large or because some of its URLs are bad. */
      readonly divisible?: 'size' | 'urls'
      /** With scope `channel`: nothing will change before somebody changes the site's settings. */
      readonly lasting?: true
      readonly advice?: string
    })
  /** Not sent, or not to be sent yet: the URLs stay pending. */
  | (Said & {
      readonly kind: 'deferred'
      readonly reason: string
      readonly waitMs?: number
      /** So many of the request's URLs would have been taken. */
      readonly fits?: number
    })

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

/** Why a URL did not end as accepted: a stable code, the engine's word for it, and what to do. */
export interface Trouble {
  readonly reason: string
  readonly detail?: string | undefined
  readonly advice?: string | undefined
}
