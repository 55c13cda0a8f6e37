/** Every key in the store, and how long it lives. Nothing else builds one. Documented in docs/ARCHITECTURE.md. */
export const keys = {
  sitePrefix: 'sites:config:',
  siteConfig: (siteId: string) => `sites:config:${siteId}`,
  lease: (siteId: string) => `sites:lease:${siteId}`,
  state: (siteId: string) => `sites:state:${siteId}`,
  history: (siteId: string) => `sites:history:${siteId}`,
  files: (siteId: string) => `sites:files:${siteId}`,
  marks: (cachePrefix: string, siteId: string, bucket: string) => `${cachePrefix}:${siteId}:${bucket}`,
  bingQuota: (siteId: string, date: string) => `bing:quota:${siteId}:${date}`,
} as const

export const TTL_SECONDS = {
  BING_QUOTA: 48 * 3600,
} as const
