import { MASK, Secret } from '../domain/secret'
import type { Site } from '../domain/site'
import { referenceIn } from './key-field'

/** The site as answers show it: flat, in the names people use, no key in it in any field. What only names one is shown. */
export function showSite(site: Site, resolveKey: (key: unknown) => string | null): Record<string, unknown> {
  const { settings, switchedOn: _, ...own } = site
  const fields: Record<string, unknown> = Object.assign({}, ...Object.values(settings))
  const secrets = Object.values(fields).filter((value) => value instanceof Secret)
  const texts = secrets.flatMap(
    (secret) => resolveKey(secret) ?? (referenceIn(secret) ? [] : secret.reveal()),
  )
  // Beside the key's own field it may stand in an address: a key file is named after its key.
  const hide = (value: unknown): unknown => {
    if (value instanceof Secret) return referenceIn(value) ?? MASK
    if (Array.isArray(value)) return value.map(hide)
    if (typeof value !== 'string') return value
    return texts.reduce((text, key) => text.replaceAll(key, MASK), value)
  }
  for (const [name, value] of Object.entries(fields)) fields[name] = hide(value)
  return { ...own, ...fields }
}
