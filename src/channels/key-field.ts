import { z } from 'zod'
import { Secret } from '../domain/secret'

const REFERENCE = /^env:[A-Z_][A-Z0-9_]*$/
/** Named as a key they would be sent to whatever engine the site names. The address of a webhook often holds its password. */
const NEVER_KEYS = ['env:ADMIN_TOKEN', 'env:WEBHOOK_SECRET', 'env:WEBHOOK_URL']

/** A field that holds a key, or `env:NAME` for a secret of the Worker. Parsed into a type that prints masked. */
export function keyField(pattern: RegExp, message: string) {
  return z
    .string()
    .trim()
    .refine((text) => REFERENCE.test(text) || pattern.test(text), { message })
    .refine((text) => !NEVER_KEYS.includes(text), { message: 'must not name a secret of Beckon itself' })
    .transform((text) => new Secret(text))
}

/** The key itself: what stands in the field, or what the environment holds under the name it gives. */
export function resolveKey(key: unknown, secretNamed: (name: string) => string | undefined): string | null {
  if (!(key instanceof Secret)) return null
  const text = key.reveal()
  return REFERENCE.test(text) ? (secretNamed(text.slice('env:'.length)) ?? null) : text
}
