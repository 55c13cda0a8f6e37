import { z } from 'zod'
import type { Clock, KeyValueStore, Logger } from '../ports'
import { keys, TTL_SECONDS } from './keys'

const schema = z.object({
  used: z.int().min(0),
  lastUpdate: z.string(),
  exhausted: z.boolean().optional(),
})

export interface QuotaManager {
  used(siteId: string, date: string): Promise<number>
  /** How many URLs may still be sent that day. */
  remaining(siteId: string, date: string, perDay: number): Promise<number>
  /** Adds what was accepted, on top of what another run may have added meanwhile. */
  add(siteId: string, date: string, accepted: number): Promise<void>
  /** The engine says the day is full, whatever we counted. */
  markExhausted(siteId: string, date: string): Promise<void>
}

/** The UTC day a run belongs to: the one it started on, even when it ends on the next. */
export function quotaDate(runStartedAt: number): string {
  return new Date(runStartedAt).toISOString().slice(0, 10)
}

/** How much of a day's Bing allowance is used. KV cannot add: a soft limit, and Bing itself refuses the rest. */
export function createQuotaManager(deps: {
  store: KeyValueStore
  clock: Clock
  logger: Logger
}): QuotaManager {
  const { store, clock, logger } = deps

  async function read(siteId: string, date: string): Promise<z.infer<typeof schema>> {
    const key = keys.bingQuota(siteId, date)
    const text = await store.getText(key)
    if (text === null) return { used: 0, lastUpdate: '' }
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      // Fails closed: an unknown count must not be taken for an unused allowance.
      logger.error('the quota record is unreadable: nothing more goes to Bing today', { key })
      return { used: 0, lastUpdate: '', exhausted: true }
    }
  }

  async function write(siteId: string, date: string, change: { used: number; exhausted?: boolean }) {
    const value = { ...change, lastUpdate: new Date(clock.now()).toISOString() }
    await store.put(keys.bingQuota(siteId, date), JSON.stringify(value), {
      ttlSeconds: TTL_SECONDS.BING_QUOTA,
    })
  }

  return {
    used: async (siteId, date) => (await read(siteId, date)).used,

    async remaining(siteId, date, perDay) {
      const { used, exhausted } = await read(siteId, date)
      return exhausted ? 0 : Math.max(0, perDay - used)
    },

    async add(siteId, date, accepted) {
      const { used, exhausted } = await read(siteId, date)
      await write(siteId, date, { used: used + accepted, ...(exhausted ? { exhausted } : {}) })
    },

    async markExhausted(siteId, date) {
      const { used } = await read(siteId, date)
      await write(siteId, date, { used, exhausted: true })
    },
  }
}
