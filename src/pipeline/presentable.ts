import { plainText } from '../domain/plain-text'
import { hint } from '../domain/secret'

/** What is ours, and must stay as it is even where a key is a part of it: `mybakery` is a key that mybakery.example may have. */
const OURS: ReadonlySet<string> = new Set([
  'siteId',
  'runId',
  'channel',
  'trigger',
  'status',
  'timestamp',
  'code',
])

/**
 * The same, with the first four characters of a key wherever there was one, and without orders to a terminal: engines quote
 * what they were sent and say what they like, and records are shown in many places.
 */
export function presentable<T>(secrets: ReadonlySet<string>, value: T): T {
  const text = JSON.stringify(value, (name, item: unknown) => {
    if (typeof item !== 'string' || OURS.has(name)) return item
    return [...secrets].reduce((masked, secret) => masked.replaceAll(secret, hint(secret)), plainText(item))
  })
  return JSON.parse(text) as T
}
