import type { Clock, KeyValueStore } from '../ports'

const MIN_TTL_SECONDS = 60
const PAGE_SIZE = 1_000

interface Entry {
  readonly value: Uint8Array
  readonly expiresAt: number
}

/** A store that lives as long as the process: for tests, simulations and a look around. */
export function createMemoryStore(clock: Clock): KeyValueStore {
  const entries = new Map<string, Entry>()
  const encoder = new TextEncoder()
  const decoder = new TextDecoder()

  function bytesOf(key: string): Uint8Array | null {
    const entry = entries.get(key)
    if (entry === undefined) return null
    if (entry.expiresAt > clock.now()) return entry.value
    entries.delete(key)
    return null
  }

  function textOf(key: string): string | null {
    const bytes = bytesOf(key)
    return bytes === null ? null : decoder.decode(bytes)
  }

  return {
    getText: async (key) => textOf(key),
    // Copies both ways: a caller that goes on writing to its bytes must not write to the store.
    getBytes: async (key) => bytesOf(key)?.slice() ?? null,
    getTexts: async (keys) => new Map(keys.map((key) => [key, textOf(key)])),
    async put(key, value, options) {
      const ttl = options?.ttlSeconds
      const expiresAt = ttl === undefined ? Infinity : clock.now() + Math.max(ttl, MIN_TTL_SECONDS) * 1000
      entries.set(key, {
        value: typeof value === 'string' ? encoder.encode(value) : value.slice(),
        expiresAt,
      })
    },
    async delete(key) {
      entries.delete(key)
    },
    async list(prefix, cursor) {
      const matching = [...entries.keys()].filter((key) => key.startsWith(prefix) && bytesOf(key) !== null)
      const found = matching.sort().filter((key) => cursor === undefined || key > cursor)
      const keys = found.slice(0, PAGE_SIZE)
      const last = keys.at(-1)
      return found.length > PAGE_SIZE && last !== undefined ? { keys, cursor: last } : { keys }
    },
  }
}
