import type { Clock, KeyValueStore } from '../ports'
import { keys, parseKey } from './keys'
import { quotaDate } from './quota-manager'

const DAY_MS = 86_400_000

async function deleteUnder(store: KeyValueStore, prefix: string, siteId: string): Promise<void> {
  const found: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.list(prefix, cursor)
    // The prefix says so already; a key is deleted only when its own text says it as well.
    found.push(...page.keys.filter((key) => parseKey(key)?.siteId === siteId))
    cursor = page.cursor
  } while (cursor !== undefined)
  for (const key of found) await store.delete(key)
}

/**
 * Forgets what was accepted, so that the next run submits everything again. What is known of the sitemap files goes first:
 * it says that there is nothing left to do in them.
 */
export async function deleteMarks(
  store: KeyValueStore,
  siteId: string,
  cachePrefixes: readonly string[],
): Promise<void> {
  await store.delete(keys.files(siteId))
  for (const prefix of cachePrefixes) {
    // A list may be a minute old and not know the first bucket yet; that one has the same name in every site.
    await store.delete(keys.marks(prefix, siteId, '0'))
    await deleteUnder(store, keys.marksPrefix(prefix, siteId), siteId)
  }
}

/** Everything there is of a site. Its configuration goes last: after a failure half-way the request can be repeated. */
export async function deleteSiteRecords(
  deps: { readonly store: KeyValueStore; readonly clock: Clock },
  siteId: string,
  channels: readonly { readonly id: string; readonly cachePrefix: string }[],
): Promise<void> {
  const { store, clock } = deps
  await deleteMarks(
    store,
    siteId,
    channels.map(({ cachePrefix }) => cachePrefix),
  )
  for (const { id } of channels) {
    for (const at of [clock.now(), clock.now() - DAY_MS])
      await store.delete(keys.quota(id, siteId, quotaDate(at)))
    await deleteUnder(store, keys.quotaPrefix(id, siteId), siteId)
  }
  for (const key of [keys.pending, keys.files, keys.history, keys.state, keys.lease, keys.siteConfig]) {
    await store.delete(key(siteId))
  }
}
