import { z } from 'zod'
import type { SitemapFiles } from '../domain/sitemap-file'
import type { KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { readJson } from './read-json'

const schema = z.object({
  host: z.string(),
  files: z.record(
    z.string(),
    z.object({
      etag: z.string().optional(),
      lastModified: z.string().optional(),
      scannedAt: z.number(),
      lastChange: z.number().optional(),
      urls: z.int().nonnegative(),
      settledUntil: z.record(z.string(), z.number()),
    }),
  ),
})

export interface SitemapFileLog {
  read(siteId: string): Promise<SitemapFiles | null>
  write(siteId: string, files: SitemapFiles): Promise<void>
  forget(siteId: string): Promise<void>
}

/** What is known of a site's sitemap files. Losing it costs a reading, never a URL. */
export function createSitemapFileLog(store: KeyValueStore, logger: Logger): SitemapFileLog {
  return {
    read: (siteId) => readJson(store, keys.files(siteId), schema, logger),
    forget: (siteId) => store.delete(keys.files(siteId)),
    write: (siteId, files) => store.put(keys.files(siteId), JSON.stringify(files)),
  }
}
