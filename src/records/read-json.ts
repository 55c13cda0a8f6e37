import type { z } from 'zod'
import type { KeyValueStore, Logger } from '../ports'

/** What a stored text says, or null when it is absent or not what it should be. Never throws: stores outlive programs. */
export function parseJson<T>(
  text: string | null,
  schema: z.ZodType<T>,
  key: string,
  logger: Logger,
): T | null {
  if (text === null) return null
  try {
    const parsed = schema.safeParse(JSON.parse(text))
    if (parsed.success) return parsed.data
  } catch {
    // Not JSON: told below like any other unreadable value.
  }
  logger.error('a stored record is unreadable and is treated as absent', { key })
  return null
}

export async function readJson<T>(
  store: KeyValueStore,
  key: string,
  schema: z.ZodType<T>,
  logger: Logger,
): Promise<T | null> {
  return parseJson(await store.getText(key), schema, key, logger)
}
