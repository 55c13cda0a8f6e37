import type { KeyValueStore, PutOptions } from '../../src/ports'
import type { Chance } from './chance'
import type { SimulatedTime } from './simulated-time'

/** How long another location may go on seeing what was there before, "not found" included. */
export const MAX_STALE_MS = 60_000
const MIN_TTL_MS = 60_000
const PAGE_SIZE = 1_000

export type Value = string | Uint8Array

interface Version {
  readonly at: number
  readonly value: Value | null
  readonly expiresAt: number
}

/** What really is stored, and what was stored within the last minute. */
export class StoredTruth {
  readonly #versions = new Map<string, Version[]>()

  constructor(private readonly time: SimulatedTime) {}

  read(key: string, ageMs = 0): Value | null {
    const moment = this.time.now - ageMs
    const versions = this.#versions.get(key) ?? []
    for (let at = versions.length - 1; at >= 0; at--) {
      const version = versions[at] as Version
      if (version.at <= moment) return version.expiresAt > moment ? version.value : null
    }
    return null
  }

  write(key: string, value: Value | null, ttlSeconds?: number): void {
    const { now } = this.time
    const expiresAt =
      ttlSeconds === undefined ? Number.POSITIVE_INFINITY : now + Math.max(ttlSeconds * 1000, MIN_TTL_MS)
    const versions = this.#versions.get(key) ?? []
    const old = versions.findLastIndex(({ at }) => at <= now - MAX_STALE_MS)
    this.#versions.set(key, [...versions.slice(Math.max(0, old)), { at: now, value, expiresAt }])
  }

  keys(prefix = ''): string[] {
    return [...this.#versions.keys()]
      .filter((key) => key.startsWith(prefix) && this.read(key) !== null)
      .sort()
  }
}

export type StoreFault =
  | 'kv_get_failed'
  | 'kv_stale'
  | 'kv_put_failed'
  | 'kv_put_failed_but_applied'
  | 'kv_put_lost'
  | 'kv_put_too_soon'
  | 'kv_list_failed'
  | 'kv_slow'
  | 'kv_budget'

export interface StoreRates {
  readonly fail: number
  readonly stale: number
  readonly slow: number
  /** Whether two writes to one key within a second meet a refusal. */
  readonly refuseSoon: boolean
}

export const NO_STORE_FAULTS: StoreRates = { fail: 0, stale: 0, slow: 0, refuseSoon: false }

export interface StoreEvents {
  /** A fault met this key; what it concerns may have suffered. */
  fault(fault: StoreFault, key: string): void
  /** Something was written, or tried to be. */
  put(key: string, value: Value, applied: boolean): void
}

/** The store as one invocation sees it: late, forgetful, and not always truthful. */
export function hostileStore(options: {
  readonly truth: StoredTruth
  readonly time: SimulatedTime
  readonly chance: Chance
  readonly rates: () => StoreRates
  readonly lastWrites: Map<string, number>
  readonly maxOperations: () => number
  readonly events: StoreEvents
}): KeyValueStore & { operations: number } {
  const { truth, time, chance, rates, lastWrites, events } = options

  async function delay(key: string): Promise<void> {
    if (!chance.happens(rates().slow)) return
    events.fault('kv_slow', key)
    await time.sleep(chance.int(1, 1_500))
  }

  function count(key: string, operations = 1): void {
    store.operations += operations
    if (store.operations <= options.maxOperations()) return
    events.fault('kv_budget', key)
    throw new Error('Too many API requests by single Worker invocation')
  }

  function seen(key: string): Value | null {
    const fresh = truth.read(key)
    if (!chance.happens(rates().stale)) return fresh
    const stale = truth.read(key, chance.int(1, MAX_STALE_MS))
    if (stale !== fresh) events.fault('kv_stale', key)
    return stale
  }

  async function read(key: string): Promise<Value | null> {
    count(key)
    await delay(key)
    if (chance.happens(rates().fail)) {
      events.fault('kv_get_failed', key)
      throw new Error('KV GET failed: 503')
    }
    return seen(key)
  }

  const store = {
    operations: 0,
    getText: async (key: string) => textOf(await read(key)),
    getBytes: async (key: string) => {
      const value = await read(key)
      return value === null
        ? null
        : typeof value === 'string'
          ? new TextEncoder().encode(value)
          : value.slice()
    },
    async getTexts(keys: readonly string[]) {
      count(keys[0] ?? '', Math.max(1, Math.ceil(keys.length / 100)))
      if (chance.happens(rates().fail)) {
        for (const key of keys) events.fault('kv_get_failed', key)
        throw new Error('KV GET_BULK failed: 503')
      }
      return new Map(keys.map((key) => [key, textOf(seen(key))]))
    },
    async put(key: string, given: Value, { ttlSeconds }: PutOptions = {}) {
      count(key)
      const value = typeof given === 'string' ? given : given.slice()
      await delay(key)
      const { fail, refuseSoon } = rates()
      const soon = time.now - (lastWrites.get(key) ?? Number.NEGATIVE_INFINITY) < 1_000
      if (soon && refuseSoon) {
        events.fault('kv_put_too_soon', key)
        events.put(key, value, false)
        throw new Error('KV PUT failed: 429 Too Many Requests')
      }
      if (chance.happens(fail)) {
        const fault = chance.pick(['kv_put_failed', 'kv_put_failed_but_applied', 'kv_put_lost'] as const)
        const applied = fault === 'kv_put_failed_but_applied'
        if (applied) truth.write(key, value, ttlSeconds)
        events.fault(fault, key)
        events.put(key, value, applied)
        if (fault === 'kv_put_lost') return
        throw new Error('KV PUT failed: 503')
      }
      lastWrites.set(key, time.now)
      truth.write(key, value, ttlSeconds)
      events.put(key, value, true)
    },
    async delete(key: string) {
      count(key)
      truth.write(key, null)
    },
    async list(prefix: string, cursor?: string) {
      count(prefix)
      if (chance.happens(rates().fail)) {
        events.fault('kv_list_failed', prefix)
        throw new Error('KV LIST failed: 503')
      }
      const found = truth.keys(prefix).filter((key) => cursor === undefined || key > cursor)
      const keys = found.slice(0, PAGE_SIZE)
      const last = keys.at(-1)
      return found.length > PAGE_SIZE && last !== undefined ? { keys, cursor: last } : { keys }
    },
  }
  return store
}

const decoder = new TextDecoder()

export function textOf(value: Value | null): string | null {
  return value === null || typeof value === 'string' ? value : decoder.decode(value)
}
