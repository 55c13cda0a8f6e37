import type { Result } from './problem'

/** One website Beckon looks after, with every default filled in. */
export interface Site {
  readonly id: string
  readonly name: string
  readonly sitemapUrl: string
  readonly fallbackSitemapUrls: readonly string[]
  /** Only URLs of this host are submitted. Carries a port only where private networks are allowed. */
  readonly host: string
  readonly enabled: boolean
  readonly schedule: string
  readonly maxConcurrentRequests: number
  readonly requestIntervalMs: number
  readonly maxRetries: number
  readonly cacheTtlDays: number
  readonly source: 'env' | 'api'
  readonly createdAt: string | null
  readonly updatedAt: string | null
  /** By field: when it was last set to true. Whoever switches something on again wants it tried again. */
  readonly switchedOn?: Readonly<Record<string, string>>
  /** What each channel keeps with the site, by channel id. Only that channel knows its shape. */
  readonly settings: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export type SiteOrigin = Pick<Site, 'source' | 'createdAt' | 'updatedAt' | 'switchedOn'>

/** Reads a site as people write it and fills in what they left out. */
export type SiteParser = (input: unknown, origin: SiteOrigin) => Result<Site>

const HOST_LABEL = '[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?'
const HOST_NAME = new RegExp(`^${HOST_LABEL}(?:\\.${HOST_LABEL})+$`)
const MAX_HOST_LENGTH = 253

/** A host name with a dot and nothing else: ids are part of keys, and the word `bing` must never be one. */
export function isSiteId(text: string): boolean {
  return text.length <= MAX_HOST_LENGTH && HOST_NAME.test(text)
}
