import { plainText } from '../../src/domain/plain-text'
import { hint } from '../../src/domain/secret'
import { SETTING_NAMES } from '../../src/settings'

/** What a name looks like; anything else may be a key that was pasted without one. */
const NAME = /^[A-Za-z][A-Za-z_]*(?:_?\d{1,2})?$/

/** A name this far from a setting's is a slip of the finger. */
const MAX_SLIPS = 2

/** One warning for each name that is neither a setting nor named as a secret by one. A mistyped setting is silent otherwise. */
export function unknownVars(vars: Readonly<Record<string, string>>): string[] {
  const secrets = Object.values(vars).map((value) => value.trim().replace(/^env:/, ''))
  const unknown = Object.keys(vars).filter((name) => !SETTING_NAMES.includes(name) && !secrets.includes(name))
  return unknown.map((name) => {
    if (!NAME.test(name)) return `${hint(plainText(name))} is no name of a setting: write NAME=value`
    const meant = nearest(name)
    const advice =
      meant === null ? `that is fine if a site names it as env:${name}` : `did you mean ${meant}?`
    return `${name} is no setting of Beckon; ${advice}`
  })
}

function nearest(name: string): string | null {
  const slips = SETTING_NAMES.map((known) => ({ known, slips: distance(squeezed(name), squeezed(known)) }))
  const [closest] = slips.sort((a, b) => a.slips - b.slips)
  if (closest !== undefined && closest.slips <= MAX_SLIPS) return closest.known
  // A word left out or added. Of several the plainest one, and of those the one that is listed first.
  const words = wordsOf(name)
  const related = SETTING_NAMES.filter((known) => {
    const others = wordsOf(known)
    return words.every((word) => others.includes(word)) || others.every((word) => words.includes(word))
  })
  const [plainest] = related.sort((a, b) => wordsOf(a).length - wordsOf(b).length)
  return plainest ?? null
}

const wordsOf = (name: string): string[] => name.toUpperCase().split(/[^A-Z0-9]+/)
const squeezed = (name: string): string => wordsOf(name).join('')

/** How many letters must be added, taken away or replaced to make one of the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (const [line, letter] of [...a].entries()) {
    const next = [line + 1]
    for (const [column, other] of [...b].entries()) {
      const replaced = (row[column] ?? 0) + (letter === other ? 0 : 1)
      next.push(Math.min(replaced, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1))
    }
    row = next
  }
  return row[b.length] ?? 0
}
