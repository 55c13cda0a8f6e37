import { z } from 'zod'
import { fail, ok, type Result } from '../domain/problem'
import { invalidParameter } from './route'

/** Enough of any name to recognise it. */
const MAX_NAME_LENGTH = 100

type Kind = 'integer' | 'boolean' | 'string'

/** A reader for one route's query: digits and true/false become what the schema says they are, everything else is text. */
export function queryReader(schema: z.ZodType | undefined): (url: string) => Result<unknown> {
  const known = schema ?? z.strictObject({})
  const kinds = kindsOf(known)
  return (url) => {
    const given: [string, unknown][] = []
    for (const [name, text] of new URL(url).searchParams) {
      const kind = kinds.get(name)
      const shown = name.slice(0, MAX_NAME_LENGTH)
      if (kind === undefined) {
        // What follows an & in an address that was not encoded comes as a parameter of its own.
        const hint = kinds.has('url') ? '; percent-encode the value of url' : ''
        const detail = `${shown} is not a parameter of this path: it takes ${[...kinds.keys()].join(', ') || 'none'}${hint}`
        return fail({ status: 400, code: 'unknown_parameter', field: shown, detail })
      }
      if (given.some(([other]) => other === name))
        return fail(invalidParameter(name, 'is given more than once'))
      given.push([name, parsedText(text, kind)])
    }
    const parsed = known.safeParse(Object.fromEntries(given))
    if (parsed.success) return ok(parsed.data)
    const [issue] = parsed.error.issues
    return fail(invalidParameter(String(issue?.path[0]), issue?.message ?? 'is wrong'))
  }
}

function kindsOf(schema: z.ZodType): ReadonlyMap<string, Kind> {
  const { properties = {} } = z.toJSONSchema(schema, { io: 'input' })
  const kind = (property: unknown) => (property as { type?: Kind }).type ?? 'string'
  return new Map(Object.entries(properties).map(([name, property]) => [name, kind(property)]))
}

function parsedText(text: string, kind: Kind): unknown {
  if (kind === 'integer' && /^-?\d{1,9}$/.test(text)) return Number(text)
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true'
  return text
}
