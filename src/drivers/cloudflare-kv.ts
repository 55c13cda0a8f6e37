import type { KVNamespace } from '@cloudflare/workers-types'
import type { KeyValueStore } from '../ports'

const MIN_TTL_SECONDS = 60
const MAX_KEYS_PER_GET = 100

/** The store on Cloudflare KV. */
export function createCloudflareKv(kv: KVNamespace): KeyValueStore {
  return {
    getText: (key) => kv.get(key, 'text'),

    async getBytes(key) {
      const buffer = await kv.get(key, 'arrayBuffer')
      return buffer === null ? null : new Uint8Array(buffer)
    },

    async getTexts(keys) {
      const found = new Map<string, string | null>()
      for (let at = 0; at < keys.length; at += MAX_KEYS_PER_GET) {
        const page = await kv.get(keys.slice(at, at + MAX_KEYS_PER_GET), 'text')
        for (const [key, value] of page) found.set(key, value)
      }
      return found
    },

    async put(key, value, options) {
      const ttl = options?.ttlSeconds
      await kv.put(key, value, ttl === undefined ? {} : { expirationTtl: Math.max(ttl, MIN_TTL_SECONDS) })
    },

    delete: (key) => kv.delete(key),

    async list(prefix, cursor) {
      const page = await kv.list(cursor === undefined ? { prefix } : { prefix, cursor })
      const keys = page.keys.map(({ name }) => name)
      return page.list_complete ? { keys } : { keys, cursor: page.cursor }
    },
  }
}
