import { z } from 'zod'
import type { RunProgress, Trigger } from '../domain/execution-record'
import type { Clock, KeyValueStore, Logger, Sleep } from '../ports'
import { keys } from './keys'
import { parseJson, readJson } from './read-json'

export const LEASE_MS = 60_000
const RENEW_MS = 20_000

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
  startedAt: z.number(),
  until: z.number(),
  trigger: z.enum(['cron', 'manual', 'queue']).optional(),
  channel: z.string().optional(),
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

  return {
    read: (siteId) => readJson(store, keys.lease(siteId), schema, logger),

    async readMany(siteIds) {
      const texts = await store.getTexts(siteIds.map(keys.lease))
      const leaseOf = (id: string) =>
        parseJson(texts.get(keys.lease(id)) ?? null, schema, keys.lease(id), logger)
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
