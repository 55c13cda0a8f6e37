import { z } from 'zod'
import type { KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { readJson } from './read-json'

const entry = z.object({
  channel: z.string(),
  engine: z.string(),
  url: z.string(),
  reason: z.string(),
  attempts: z.number(),
  status: z.number().nullable(),
  lastAttempt: z.string(),
})

const schema = z.object({ entries: z.array(entry), overflow: z.number() })

export type PendingEntry = z.infer<typeof entry>

/** The attempted failures of a site with their reasons. What is pending the marks alone decide; this explains. */
export async function readPending(
  store: KeyValueStore,
  siteId: string,
  logger: Logger,
): Promise<z.infer<typeof schema>> {
  return (await readJson(store, keys.pending(siteId), schema, logger)) ?? { entries: [], overflow: 0 }
}
