import { z } from 'zod'
import type { Clock, KeyValueStore, Logger, Sleep } from '../ports'
import { keys, TTL_SECONDS } from './keys'

/** KV takes one write per key and second. */
const MIN_WRITE_GAP_MS = 1_000

const schema = z.object({
  used: z.int().min(0),
  lastUpdate: z.string(),
  exhausted: z.boolean().optional(),
})

type StoredQuota = z.infer<typeof schema>

/** How a day stands. */
export interface DayQuota {
  readonly used: number
  /** How many URLs may still be sent that day. */
  readonly remaining: number
  /** The record is there but says nothing: nobody knows what was used. */
  readonly unreadable: boolean
}

export interface QuotaManager {
  read(siteId: string, date: string, perDay: number): Promise<DayQuota>
  /** Adds what was accepted, on top of what another run may have added meanwhile. */
  add(siteId: string, date: string, accepted: number, perDay: number): Promise<void>
  /** The engine says the day is full, whatever we counted. */
  markExhausted(siteId: string, date: string): Promise<void>
}

/** The UTC day a run belongs to: the one it started on, even when it ends on the next. */
export function quotaDate(runStartedAt: number): string {
  return new Date(runStartedAt).toISOString().slice(0, 10)
}

/**
 * How much of a channel's daily allowance is used. KV cannot add, so what was accepted is added to what a new read says: two
 * runs count both unless one writes between the other's read and write. A soft limit, and the engine itself refuses the rest.
 */
export function createQuotaManager(deps: {
  store: KeyValueStore
  clock: Clock
  sleep: Sleep
  logger: Logger
  channelId: string
}): QuotaManager {
  const { store, clock, sleep, logger, channelId } = deps
  let lastWrite = Number.NEGATIVE_INFINITY

  /** Before the read that a write builds on, so that nothing comes between the two. */
  async function mayWrite(): Promise<void> {
    const wait = lastWrite + MIN_WRITE_GAP_MS - clock.now()
    if (wait > 0) await sleep(wait)
  }

  async function stored(siteId: string, date: string): Promise<StoredQuota & { unreadable?: true }> {
    const key = keys.quota(channelId, siteId, date)
    const text = await store.getText(key)
    if (text === null) return { used: 0, lastUpdate: '' }
    try {
      return schema.parse(JSON.parse(text))
    } catch {
      // Fails closed: an unknown count must not be taken for an unused allowance.
      logger.error('a quota record is unreadable: nothing more is sent there today', { key })
      return { used: 0, lastUpdate: '', exhausted: true, unreadable: true }
    }
  }

  async function write(siteId: string, date: string, change: { used: number; exhausted?: boolean }) {
    const value = { ...change, lastUpdate: new Date(clock.now()).toISOString() }
    await store.put(keys.quota(channelId, siteId, date), JSON.stringify(value), {
      ttlSeconds: TTL_SECONDS.QUOTA,
    })
    lastWrite = clock.now()
  }

  return {
    async read(siteId, date, perDay) {
      const { used, exhausted, unreadable = false } = await stored(siteId, date)
      return { used, remaining: exhausted ? 0 : Math.max(0, perDay - used), unreadable }
    },

    async add(siteId, date, accepted, perDay) {
      await mayWrite()
      const before = await stored(siteId, date)
      const used = before.used + accepted
      await write(siteId, date, { used, ...(before.exhausted ? { exhausted: true } : {}) })
      if (used > perDay) {
        logger.warn('audit: more was accepted than the daily quota allows', {
          channel: channelId,
          site: siteId,
          date,
          used,
          perDay,
          accepted,
        })
      }
    },

    async markExhausted(siteId, date) {
      await mayWrite()
      const { used } = await stored(siteId, date)
      await write(siteId, date, { used, exhausted: true })
    },
  }
}
