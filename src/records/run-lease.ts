import { z } from 'zod'
import type { RunProgress, Trigger } from '../domain/execution-record'
import type { Clock, KeyValueStore, Logger, Sleep } from '../ports'
import { keys } from './keys'
import { parseJson, readJson } from './read-json'

export const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** How far apart the clocks of two machines may be. */
const CLOCK_SKEW_MS = 300_000

const figures = z.object({
  total: z.number(),
  accepted: z.number(),
  failed: z.number(),
  rejected: z.number(),
  deferred: z.number(),
  averageMs: z.number(),
})

const schema = z.object({
  runId: z.string(),
  startedAt: z.number().min(0),
  until: z.number().min(0),
  trigger: z.enum(['cron', 'manual', 'queue']).optional(),
  channel: z.string().optional(),
  /** With a run of one channel: when all were last started together. */
  wholeStartedAt: z.number().min(0).optional(),
  /** As of the last renewal. */
  progress: z
    .object({
      totalUrls: z.number(),
      newUrls: z.number(),
      engines: z.record(z.string(), figures),
      cursor: z.string().nullable(),
    })
    .optional(),
})

export type Lease = z.infer<typeof schema>

export interface LeaseHolder {
  readonly siteId: string
  readonly runId: string
  readonly startedAt: number
  readonly trigger: Trigger
  readonly channel: string
  readonly wholeStartedAt: number
  readonly progress: () => RunProgress
}

export interface RunLeases {
  read(siteId: string): Promise<Lease | null>
  readMany(siteIds: readonly string[]): Promise<ReadonlyMap<string, Lease | null>>
  /** Writes the lease and renews it until the returned function is called. */
  hold(holder: LeaseHolder): Promise<() => void>
}

/** True while the run that holds the lease may still be alive. */
export function isLive(lease: Lease | null, finishedRunId: string | null, now: number): boolean {
  return lease !== null && lease.runId !== finishedRunId && lease.until > now
}

/** When all channels were last started together, which is what the schedule counts from; 0 when nobody knows. */
export function wholeStartOf(lease: Lease | null): number {
  if (lease === null) return 0
  const { channel = 'all', startedAt, wholeStartedAt = 0 } = lease
  return channel === 'all' ? startedAt : wholeStartedAt
}

/** True when the run that held the lease ended without a word. */
export function isOrphan(lease: Lease | null, finishedRunId: string | null, now: number): lease is Lease {
  return lease !== null && lease.runId !== finishedRunId && lease.until <= now
}

/**
 * One run per site at a time, as far as a store without compare-and-set allows: two starts within the same second
 * can both succeed, and then cost duplicates, never a URL. The lease also tells when a site was last started and, since it
 * is written again and again anyway, how far its run has come.
 */
export function createRunLeases(deps: {
  store: KeyValueStore
  clock: Clock
  sleep: Sleep
  logger: Logger
}): RunLeases {
  const { store, clock, sleep, logger } = deps

  /**
   * A moment that no run can have written would lock its site for ever, or keep it from ever being due: the lease is over
   * then, and its site waited longest. Whose it was still counts, so that a run that died is told of.
   */
  function possible(key: string, lease: Lease | null): Lease | null {
    if (lease === null) return null
    const latest = clock.now() + CLOCK_SKEW_MS
    if (Math.max(lease.startedAt, wholeStartOf(lease)) <= latest && lease.until <= latest + LEASE_MS)
      return lease
    logger.error('a lease lies in the future and counts as over', { key })
    const atMost = (moment: number, instead: number) => (moment <= latest ? moment : instead)
    const { startedAt, wholeStartedAt = 0 } = lease
    return {
      ...lease,
      startedAt: atMost(startedAt, 0),
      wholeStartedAt: atMost(wholeStartedAt, 0),
      until: Math.min(lease.until, clock.now()),
    }
  }

  return {
    read: async (siteId) => {
      const key = keys.lease(siteId)
      return possible(key, await readJson(store, key, schema, logger))
    },

    async readMany(siteIds) {
      const texts = await store.getTexts(siteIds.map(keys.lease))
      const leaseOf = (id: string) => {
        const key = keys.lease(id)
        return possible(key, parseJson(texts.get(key) ?? null, schema, key, logger))
      }
      return new Map(siteIds.map((id) => [id, leaseOf(id)]))
    },

    async hold({ siteId, progress, ...run }) {
      const ended = new AbortController()
      const write = () => {
        const lease: Lease = { ...run, until: clock.now() + LEASE_MS, progress: { ...progress() } }
        return store.put(keys.lease(siteId), JSON.stringify(lease))
      }
      const renew = async (): Promise<void> => {
        for (;;) {
          await sleep(RENEW_MS, ended.signal)
          if (ended.signal.aborted) return
          await write().catch(() => logger.warn('the lease of a run could not be renewed', { siteId }))
        }
      }
      await write()
      void renew()
      return () => ended.abort()
    },
  }
}
