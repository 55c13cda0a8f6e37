import { isSiteId } from '../domain/site'

/** Ids are parts of keys. One that is no host name is a bug further up, and must not reach another site's records. */
function own(siteId: string): string {
  if (!isSiteId(siteId)) throw new RangeError('a key was asked for something that is no site id')
  return siteId
}

/** Every key in the store, and how long it lives. Nothing else builds one. Documented in docs/storage.md. */
export const keys = {
  sitePrefix: 'sites:config:',
  siteConfig: (siteId: string) => `sites:config:${own(siteId)}`,
  lease: (siteId: string) => `sites:lease:${own(siteId)}`,
  state: (siteId: string) => `sites:state:${own(siteId)}`,
  history: (siteId: string) => `sites:history:${own(siteId)}`,
  files: (siteId: string) => `sites:files:${own(siteId)}`,
  pending: (siteId: string) => `sites:pending:${own(siteId)}`,
  marks: (cachePrefix: string, siteId: string, bucket: string) => `${cachePrefix}:${own(siteId)}:${bucket}`,
  /** Of all buckets. The colon at its end keeps `shop.example` away from `shop.example.org`. */
  marksPrefix: (cachePrefix: string, siteId: string) => `${cachePrefix}:${own(siteId)}:`,
  quota: (channelId: string, siteId: string, date: string) => `${channelId}:quota:${own(siteId)}:${date}`,
  quotaPrefix: (channelId: string, siteId: string) => `${channelId}:quota:${own(siteId)}:`,
} as const

export const TTL_SECONDS = {
  QUOTA: 48 * 3600,
} as const

/** The recent marks lie in `0`; older ones of large sites in buckets named after the bits they share. */
const BUCKET = /^[01]{1,32}$/

const PER_SITE = ['config', 'lease', 'state', 'history', 'files', 'pending'] as const

export type ParsedKey =
  | { readonly kind: (typeof PER_SITE)[number]; readonly siteId: string }
  | {
      readonly kind: 'marks'
      readonly siteId: string
      readonly cachePrefix: string
      readonly bucket: string
    }
  | { readonly kind: 'quota'; readonly siteId: string; readonly channelId: string; readonly date: string }

/** What a key says, or null when it is none of ours. */
export function parseKey(key: string): ParsedKey | null {
  const parts = key.split(':')
  const [first, second, third] = parts
  if (first === 'sites') {
    const kind = PER_SITE.find((name) => name === second)
    return parts.length === 3 && kind !== undefined && isSiteId(third ?? '')
      ? { kind, siteId: third ?? '' }
      : null
  }
  const siteId = parts.at(-2) ?? ''
  const last = parts.at(-1) ?? ''
  if (!isSiteId(siteId)) return null
  if (second === 'quota') {
    const dated = parts.length === 4 && /^[a-z]+$/.test(first ?? '') && /^\d{4}-\d{2}-\d{2}$/.test(last)
    return dated ? { kind: 'quota', siteId, channelId: first ?? '', date: last } : null
  }
  if (first !== 'url_cache' || parts.length > 4 || !BUCKET.test(last)) return null
  return { kind: 'marks', siteId, cachePrefix: parts.slice(0, -2).join(':'), bucket: last }
}
