import type { z } from 'zod'
import type { Problem } from '../domain/problem'

/** Enough of any name to recognise it. */
const MAX_NAME_LENGTH = 100
/** More sentences than this at once nobody reads. */
const MAX_PROBLEMS = 10

export function unknownField(field: string, known: readonly string[] = []): Problem {
  const meant = known.find((name) => plain(name) === plain(field))
  const hint = meant === undefined ? '' : `: did you mean ${meant}?`
  return { status: 400, code: 'unknown_field', field, detail: `${field} is not a field of a site${hint}` }
}

const plain = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

/** What is wrong with a site as it was written, one clear sentence per field that begins with its name. */
export function problemsIn(error: z.ZodError, known: readonly string[]): Problem[] {
  const problems = error.issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? issue.keys.slice(0, MAX_PROBLEMS).map((key) => unknownField(key.slice(0, MAX_NAME_LENGTH), known))
      : [problemOf(issue)],
  )
  const first = problems.filter((one, at) => problems.findIndex(({ field }) => field === one.field) === at)
  return first.slice(0, MAX_PROBLEMS)
}

function problemOf(issue: z.core.$ZodIssue): Problem {
  const field = String(issue.path[0] ?? '')
  const at = typeof issue.path[1] === 'number' ? ` (number ${issue.path[1] + 1})` : ''
  if (field === '') return { status: 400, code: 'invalid_body', detail: 'The body must be a JSON object' }
  const missing = issue.code === 'invalid_type' && /received undefined/.test(issue.message)
  const says = missing ? 'is required' : issue.message.replace(/^Invalid \w+: /, 'is invalid: ')
  return {
    status: 400,
    code: missing ? 'missing_field' : 'invalid_field',
    field,
    detail: `${field}${at} ${says}`,
  }
}
