import { z } from 'zod'
import { type ExecutionRecord, isExecutionRecord, type LastExecution } from '../domain/execution-record'
import type { KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { readJson } from './read-json'

export const MAX_RECORDS = 100
/** At three bytes each still less than the 25 MiB that KV takes as one value. */
const MAX_CHARACTERS = 8 * 1_048_576

const schema = z.array(z.unknown()).transform((entries) => entries.filter(isExecutionRecord))

export interface ExecutionLog {
  /** Newest first. */
  read(siteId: string): Promise<readonly ExecutionRecord[]>
  /** Adds a record, and before it the one of the run before in case it is not there: its write may have failed. */
  append(record: ExecutionRecord, earlier: LastExecution | null): Promise<void>
  /** Adds the record of a run that died, unless it lived long enough to do so itself. */
  appendMissing(record: ExecutionRecord, earlier: LastExecution | null): Promise<boolean>
}

export function createExecutionLog(store: KeyValueStore, logger: Logger): ExecutionLog {
  const read = async (siteId: string) => (await readJson(store, keys.history(siteId), schema, logger)) ?? []
  const write = (siteId: string, records: readonly ExecutionRecord[]) =>
    store.put(keys.history(siteId), `[${withinOneValue(records).join(',')}]`)
  return {
    read,
    async append(record, earlier) {
      // Another run may have taken this one for dead and told of it: what it says of itself stands in that place.
      const others = (await read(record.siteId)).filter(({ runId }) => runId !== record.runId)
      await write(record.siteId, [record, ...completed(others, earlier)])
    },
    async appendMissing(record, earlier) {
      const known = await read(record.siteId)
      if (holds(known, record.runId)) return false
      await write(record.siteId, [record, ...completed(known, earlier)])
      return true
    },
  }
}

const holds = (records: readonly ExecutionRecord[], wanted: string): boolean =>
  records.some(({ runId }) => runId === wanted)

function completed(
  known: readonly ExecutionRecord[],
  earlier: LastExecution | null,
): readonly ExecutionRecord[] {
  return earlier === null || holds(known, earlier.runId) ? known : [{ ...earlier, batches: [] }, ...known]
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
