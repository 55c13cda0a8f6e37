import type { z } from 'zod'
import type { Finding } from '../domain/finding'
import type { Answer, SubmissionOutcome, Trouble } from '../domain/outcome'
import type { Result } from '../domain/problem'
import type { SiteDefaults } from '../domain/settings'
import type { Site } from '../domain/site'
import type { HttpClient } from '../net/http-client'
import type { Budget, Clock } from '../ports'

export interface Endpoint {
  /** As the site's owner spells it: records and answers show this. */
  readonly name: string
  /** What it really is: marks and not-before times are kept by this. */
  readonly address: string
}

/** Sends one request with these URLs and judges the answer. Never throws for anything an engine does. */
export type Submitter = (endpoint: Endpoint, urls: readonly string[]) => Promise<Answer>

export interface SubmitterContext {
  readonly client: HttpClient
  readonly clock: Clock
  readonly timeoutMs: number
  /** Requests this channel must leave to others. */
  readonly reserve: number
  readonly bingApiBase: string
  /** Under ALLOW_PRIVATE_NETWORK the key file is expected where the sitemap is, https or not. */
  readonly allowPlainKeyFile: boolean
  /** The value behind a site's key, be it the key itself or `env:NAME`. */
  readonly resolveKey: (key: unknown) => string | null
}

/** What engines will ask the site itself for before they believe us. */
export interface KeyProof {
  /** One key in one place. Only its fingerprint is kept. */
  readonly subject: string
  /** Accepted when it is there and right, rejected when it is not, retryable when it could not be seen. */
  readonly look: () => Promise<SubmissionOutcome>
}

export interface FieldContext {
  readonly defaults: SiteDefaults
  readonly allowPrivateNetwork: boolean
}

export interface Pace {
  readonly concurrency: number
  readonly intervalMs: number
}

export interface DailyQuota {
  readonly perDay: number
  readonly priority: 'newest' | 'random'
}

/** How many more URLs the engine says it takes today, or why it did not say. */
export type QuotaAnswer = { readonly left: number } | { readonly reason: string }

/** A way to tell engines about URLs. One folder and one line in the registry make a new one. */
export interface Channel {
  readonly id: string
  readonly title: string
  /** Where its marks lie; site id and bucket follow. */
  readonly cachePrefix: string
  /** Its fields of a site, with their defaults. Everything it needs of a site goes through these. */
  readonly fields: (context: FieldContext) => z.ZodRawShape
  /** A rule across its fields: the field at fault and the sentence to say, or null. */
  readonly checkFields?: (
    fields: Readonly<Record<string, unknown>>,
  ) => { field: string; detail: string } | null
  readonly isEnabled: (site: Site) => boolean
  readonly endpoints: (site: Site) => readonly Endpoint[]
  readonly pace: (site: Site) => Pace
  /** How many URLs go into one request. `submissions` counts a URL once per endpoint that has to hear of it. */
  readonly requestSize: (
    site: Site,
    pending: { readonly urls: number; readonly submissions: number },
    budget: Budget,
    reserve: number,
  ) => number
  /** Why an admitted URL can never be submitted with the site's settings; null where that cannot be. */
  readonly refusalOf?: (site: Site) => ((url: string) => Trouble | null) | null
  /** Present when the engine takes only so many URLs a day. */
  readonly quota?: (site: Site) => DailyQuota
  /** Asks the engine for what is left of it, once per run and before anything is sent; null when it is not to be asked. */
  readonly askQuota?: (site: Site, context: SubmitterContext) => Promise<QuotaAnswer> | null
  /**
   * What a refusal that lasts is about. The channel stays off for the site while this is what was refused; without it,
   * no refusal outlives its run. Only its digest is kept.
   */
  readonly credentials?: (site: Site, resolveKey: SubmitterContext['resolveKey']) => string | null
  /** Present when engines verify a key at the site. */
  readonly keyProof?: (site: Site, context: SubmitterContext) => KeyProof | null
  /** Looks whether everything it needs is in place, without submitting anything. */
  readonly check: (site: Site, context: SubmitterContext) => Promise<readonly Finding[]>
  readonly createSubmitter: (site: Site, context: SubmitterContext) => Result<Submitter>
}
