import { z } from 'zod'
import { fail, type Result } from '../domain/problem'
import { Secret } from '../domain/secret'
import type { Site } from '../domain/site'

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

/** `env:NAME` where the field holds that and no key: a name is no secret. */
export function referenceIn(key: unknown): string | null {
  const text = key instanceof Secret ? key.reveal() : ''
  return REFERENCE.test(text) ? text : null
}

/** Says that there is no key to use. Only one that is named can be missing; one that is written out was checked. */
export function unusableKey(
  { id, source }: Site,
  key: unknown,
  says: { readonly code: string; readonly field: string; readonly setting: string; readonly is: string },
): Result<never> {
  const [, name = 'NAME'] = (referenceIn(key) ?? '').split(':')
  const where = source === 'env' ? says.setting : `${says.field} of ${id}`
  const detail = `${where} is env:${name}, but the Worker has no secret ${name}, or it is not ${says.is}: set it (npx wrangler secret put ${name}).`
  return fail({ status: 503, code: says.code, detail })
}

/** The key itself: what stands in the field, or what the environment holds under the name it gives. */
export function resolveKey(key: unknown, secretNamed: (name: string) => string | undefined): string | null {
  if (!(key instanceof Secret)) return null
  const text = key.reveal()
  return REFERENCE.test(text) ? (secretNamed(text.slice('env:'.length)) ?? null) : text
}
