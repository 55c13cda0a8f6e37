import { z } from 'zod'
import { isExecutionRecord, type LastExecution } from '../domain/execution-record'
import type { Clock, KeyValueStore, Logger } from '../ports'
import { dailySumsSchema, NO_SUMS } from './daily-sums'
import { keys } from './keys'
import { parseJson, readJson } from './read-json'
import { refusalSchema } from './refusals'

/** Nothing is ever put off for longer: retries wait less than that, and so does a key file that cannot be reached. */
const MAX_WAIT_MS = 86_400_000

/** By channel: when it has a reason to go on before its schedule; 0 is as soon as possible. */
const resumeTimes = z.record(z.string(), z.number())

const schema = z.object({
  finishedRunId: z.string().nullable(),
  /** One that is none costs a look at the history, not the state. */
  lastExecution: z.custom<LastExecution>(isExecutionRecord).nullable().catch(null),
  /**
   * By what was asked for (a channel, or `all`): the child sitemap with which the next run goes on, when the budget ended
   * in the middle of an index, and what the files before it still owe.
   */
  rounds: z.record(z.string(), z.object({ cursor: z.string(), owing: resumeTimes })).default({}),
  unfinished: resumeTimes.default({}),
  /** Per endpoint address: not to be asked before this moment. */
  notBefore: z.record(z.string(), z.number()).default({}),
  /** By channel: the fingerprint of the key that was found right at the site. */
  keyCheck: z.record(z.string(), z.string()).default({}),
  /** Per channel that its engine refused for good. An unreadable one costs one more refusal, not the state. */
  refusals: z.record(z.string(), refusalSchema).optional().catch({}),
  /** Unreadable or absent ones begin anew: they are statistics, and must not cost the rest of the state. */
  sums: dailySumsSchema.catch(NO_SUMS),
  /** How many failures the pending list holds or had no place for. */
  failed: z.number().default(0),
  /** Alerts that did not get through yet. */
  alerts: z.array(z.object({ id: z.string(), body: z.string(), tries: z.number() })).default([]),
})

export type SiteState = z.infer<typeof schema>
export type WaitingAlert = SiteState['alerts'][number]

export const EMPTY_STATE: SiteState = {
  finishedRunId: null,
  lastExecution: null,
  rounds: {},
  unfinished: {},
  notBefore: {},
  keyCheck: {},
  failed: 0,
  alerts: [],
  sums: NO_SUMS,
}

export interface SiteStates {
  read(siteId: string): Promise<SiteState>
  readMany(siteIds: readonly string[]): Promise<ReadonlyMap<string, SiteState>>
  write(siteId: string, state: SiteState): Promise<void>
}

/** What a site remembers from run to run. Losing it costs order and a scan, never a URL. */
export function createSiteStates(deps: {
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly logger: Logger
}): SiteStates {
  const { store, clock, logger } = deps
  return {
    async read(siteId) {
      const state = await readJson(store, keys.state(siteId), schema, logger)
      return state === null ? EMPTY_STATE : withPossibleWaits(state, clock.now())
    },
    async readMany(siteIds) {
      const texts = await store.getTexts(siteIds.map(keys.state))
      const stateOf = (id: string): SiteState => {
        const state = parseJson(texts.get(keys.state(id)) ?? null, schema, keys.state(id), logger)
        return state === null ? EMPTY_STATE : withPossibleWaits(state, clock.now())
      }
      return new Map(siteIds.map((id) => [id, stateOf(id)]))
    },
    async write(siteId, state) {
      await store.put(keys.state(siteId), JSON.stringify(state))
    },
  }
}

/** A wait longer than any there is would never end: what it kept back may go on at once. */
function withPossibleWaits(state: SiteState, now: number): SiteState {
  const latest = now + MAX_WAIT_MS
  const soon = (times: Readonly<Record<string, number>>) =>
    Object.fromEntries(Object.entries(times).map(([id, at]) => [id, at > latest ? 0 : at]))
  return {
    ...state,
    unfinished: soon(state.unfinished),
    notBefore: soon(state.notBefore),
    rounds: Object.fromEntries(
      Object.entries(state.rounds).map(([asked, round]) => [asked, { ...round, owing: soon(round.owing) }]),
    ),
  }
}
