import { plainText } from '../domain/plain-text'
import { hint } from '../domain/secret'

/**
 * The same, with the first four characters of a key wherever there was one, and without orders to a terminal: engines quote
 * what they were sent and say what they like, and records are shown in many places.
 */
export function presentable<T>(secrets: ReadonlySet<string>, value: T): T {
  const text = JSON.stringify(value, (_name, item: unknown) => {
    if (typeof item !== 'string') return item
    return [...secrets].reduce((masked, secret) => masked.replaceAll(secret, hint(secret)), plainText(item))
  })
  return JSON.parse(text) as T
}
