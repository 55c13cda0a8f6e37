import { z } from 'zod'
import type { ExecutionRecord } from '../domain/execution-record'
import type { KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { readJson } from './read-json'

export const MAX_RECORDS = 100
/** At three bytes each still less than the 25 MiB that KV takes as one value. */
const MAX_CHARACTERS = 8 * 1_048_576

const schema = z.array(z.custom<ExecutionRecord>((value) => typeof value === 'object' && value !== null))

export interface ExecutionLog {
  /** Newest first. */
  read(siteId: string): Promise<readonly ExecutionRecord[]>
  append(record: ExecutionRecord): Promise<void>
  /** Adds the record of a run that died, unless it lived long enough to do so itself. */
  appendMissing(record: ExecutionRecord): Promise<boolean>
}

export function createExecutionLog(store: KeyValueStore, logger: Logger): ExecutionLog {
  const read = async (siteId: string) => (await readJson(store, keys.history(siteId), schema, logger)) ?? []
  const write = (siteId: string, records: readonly ExecutionRecord[]) =>
    store.put(keys.history(siteId), `[${withinOneValue(records).join(',')}]`)
  return {
    read,
    async append(record) {
      await write(record.siteId, [record, ...(await read(record.siteId))])
    },
    async appendMissing(record) {
      const known = await read(record.siteId)
      if (known.some(({ runId }) => runId === record.runId)) return false
      await write(record.siteId, [record, ...known])
      return true
    },
  }
}

/** The newest records, as many as fit. */
function withinOneValue(records: readonly ExecutionRecord[]): readonly string[] {
  const texts = records.slice(0, MAX_RECORDS).map((record) => JSON.stringify(record))
  let characters = 0
  const tooMany = texts.findIndex((text) => {
    characters += text.length + 1
    return characters > MAX_CHARACTERS
  })
  return tooMany === -1 ? texts : texts.slice(0, Math.max(1, tooMany))
}
