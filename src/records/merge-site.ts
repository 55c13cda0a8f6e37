import { fail, ok, type Problem, type Result } from '../domain/problem'
import { MASK } from '../domain/secret'

type Fields = Readonly<Record<string, unknown>>

/** Written by Beckon. They may come back with the rest of an answer, as they were. */
const READ_ONLY = ['source', 'createdAt']
const NOT_STORED = [...READ_ONLY, 'updatedAt', 'id', 'refusals']

/**
 * What is stored after these changes: fields not named stay, `null` goes back to the default, and a value that is what
 * the answer showed, mask included, means "as it was". `shown` is that answer.
 */
export function mergeSite(stored: Fields, shown: Fields, changes: Fields): Result<Fields> {
  const merged = new Map(Object.entries(stored))
  for (const [name, value] of Object.entries(changes)) {
    const problem = refusal(name, value, shown)
    if (problem !== null) return fail(problem)
    if (NOT_STORED.includes(name) || isMasked(value)) continue
    if (value === null) merged.delete(name)
    else merged.set(name, value)
  }
  return ok(Object.fromEntries(merged))
}

function refusal(field: string, value: unknown, shown: Fields): Problem | null {
  const same = isSame(value, shown[field])
  if (field === 'id')
    return same || isSameText(value, shown.id) ? null : { ...WRONG, field, detail: ID_STAYS }
  if (READ_ONLY.includes(field)) {
    return same ? null : { ...WRONG, field, detail: `${field} is written by Beckon and cannot be changed` }
  }
  if (field === 'updatedAt' && !same) {
    const detail = 'updatedAt is not that of the stored site: it was changed since you read it. Read it again'
    return { status: 409, code: 'site_changed', field, detail }
  }
  // A name in place of a key is shown, but the mask stands for it all the same: other keys are masked.
  const named = value === MASK && String(shown[field]).startsWith('env:')
  return isMasked(value) && !same && !named ? maskedKey(field) : null
}

const WRONG = { status: 400, code: 'invalid_field' } as const
const ID_STAYS = 'id cannot be changed: create a site with the new id and delete this one'

const isSameText = (value: unknown, id: unknown): boolean =>
  typeof value === 'string' && value.trim().toLowerCase() === id

/** Texts and lists of texts: nothing else is ever shown masked. */
function isSame(value: unknown, shown: unknown): boolean {
  if (!Array.isArray(value) || !Array.isArray(shown)) return value === shown
  return value.length === shown.length && value.every((item, index) => item === shown[index])
}

/** True for a value copied from an answer, where keys are masked. */
export function isMasked(value: unknown): boolean {
  const holdsMask = (item: unknown) => typeof item === 'string' && item.includes(MASK)
  return holdsMask(value) || (Array.isArray(value) && value.some(holdsMask))
}

export function maskedKey(field: string): Problem {
  const detail = `${field} is masked, and there is no stored value that it could stand for: send the key itself`
  return { status: 400, code: 'masked_key', field, detail }
}
