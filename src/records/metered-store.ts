import type { KeyValueStore } from '../ports'

export interface StoreMeter {
  reads: number
  writes: number
}

/** The same store, counting: free plans allow 1,000 writes a day, so a record says what its run cost. */
export function meteredStore(store: KeyValueStore, meter: StoreMeter): KeyValueStore {
  const read = <T>(result: Promise<T>): Promise<T> => {
    meter.reads++
    return result
  }
  const write = (result: Promise<void>): Promise<void> => {
    meter.writes++
    return result
  }
  return {
    getText: (key) => read(store.getText(key)),
    getBytes: (key) => read(store.getBytes(key)),
    getTexts: (keys) => read(store.getTexts(keys)),
    list: (prefix, cursor) => read(store.list(prefix, cursor)),
    put: (key, value, options) => write(store.put(key, value, options)),
    delete: (key) => write(store.delete(key)),
  }
}
