import { z } from 'zod'
import type { ExecutionRecord } from '../domain/execution-record'
import type { KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { readJson } from './read-json'

export const MAX_RECORDS = 100

const schema = z.array(z.custom<ExecutionRecord>((value) => typeof value === 'object' && value !== null))

export interface ExecutionLog {
  /** Newest first. */
  read(siteId: string): Promise<readonly ExecutionRecord[]>
  append(record: ExecutionRecord): Promise<void>
}

export function createExecutionLog(store: KeyValueStore, logger: Logger): ExecutionLog {
  const read = async (siteId: string) => (await readJson(store, keys.history(siteId), schema, logger)) ?? []
  return {
    read,
    async append(record) {
      const records = [record, ...(await read(record.siteId))].slice(0, MAX_RECORDS)
      await store.put(keys.history(record.siteId), JSON.stringify(records))
    },
  }
}
