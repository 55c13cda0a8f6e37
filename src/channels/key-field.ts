import { z } from 'zod'
import { Secret } from '../domain/secret'

const REFERENCE = /^env:[A-Z_][A-Z0-9_]*$/

/** A field that holds a key, or `env:NAME` for a secret of the Worker. Parsed into a type that prints masked. */
export function keyField(pattern: RegExp, message: string) {
  return z
    .string()
    .trim()
    .refine((text) => REFERENCE.test(text) || pattern.test(text), { message })
    .transform((text) => new Secret(text))
}

/** The key itself: what stands in the field, or what the environment holds under the name it gives. */
export function resolveKey(key: unknown, secretNamed: (name: string) => string | undefined): string | null {
  if (!(key instanceof Secret)) return null
  const text = key.reveal()
  return REFERENCE.test(text) ? (secretNamed(text.slice('env:'.length)) ?? null) : text
}
