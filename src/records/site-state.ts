import { z } from 'zod'
import type { ExecutionRecord } from '../domain/execution-record'
import type { KeyValueStore, Logger } from '../ports'
import { dailySumsSchema, NO_SUMS } from './daily-sums'
import { keys } from './keys'
import { parseJson, readJson } from './read-json'
import { refusalSchema } from './refusals'

/** The last record without its batches: the history keeps those. */
export type LastExecution = Omit<ExecutionRecord, 'batches'>

const schema = z.object({
  finishedRunId: z.string().nullable(),
  lastExecution: z.custom<LastExecution>((value) => typeof value === 'object' && value !== null).nullable(),
  /** The child sitemap the next run begins with, when the budget ended in the middle of an index. */
  cursor: z.string().nullable(),
  /** Per endpoint address: not to be asked before this moment. */
  notBefore: z.record(z.string(), z.number()),
  /** Per channel that its engine refused for good. An unreadable one costs one more refusal, not the state. */
  refusals: z.record(z.string(), refusalSchema).optional().catch({}),
  /** Unreadable or absent ones begin anew: they are statistics, and must not cost the rest of the state. */
  sums: dailySumsSchema.catch(NO_SUMS),
})

export type SiteState = z.infer<typeof schema>

const EMPTY: SiteState = {
  finishedRunId: null,
  lastExecution: null,
  cursor: null,
  notBefore: {},
  sums: NO_SUMS,
}

export interface SiteStates {
  read(siteId: string): Promise<SiteState>
  readMany(siteIds: readonly string[]): Promise<ReadonlyMap<string, SiteState>>
  write(siteId: string, state: SiteState): Promise<void>
}

/** What a site remembers from run to run. Losing it costs order and a scan, never a URL. */
export function createSiteStates(store: KeyValueStore, logger: Logger): SiteStates {
  return {
    async read(siteId) {
      return (await readJson(store, keys.state(siteId), schema, logger)) ?? EMPTY
    },
    async readMany(siteIds) {
      const texts = await store.getTexts(siteIds.map(keys.state))
      const stateOf = (id: string): SiteState =>
        parseJson(texts.get(keys.state(id)) ?? null, schema, keys.state(id), logger) ?? EMPTY
      return new Map(siteIds.map((id) => [id, stateOf(id)]))
    },
    async write(siteId, state) {
      await store.put(keys.state(siteId), JSON.stringify(state))
    },
  }
}
