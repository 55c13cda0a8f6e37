import { describe, expect, it } from 'vitest'
import { chaos } from './chaos'
import { plant } from './plant'
import { PLANTED_BUGS } from './planted-bugs'

/** A bug that shows in none of these would slip through a change's own campaign as well. */
const WORLDS = 6

describe('a bug in the product is seen', () => {
  it.each(PLANTED_BUGS)('$name', async (bug) => {
    const { seed: first = 1, breaks } = bug
    const product = await plant(bug)
    const seen: string[] = []
    for (let seed = first; seed < first + WORLDS && seen.length === 0; seed++) {
      seen.push(...(await chaos({ product, seed })).violations)
    }
    expect(seen.map((violation) => violation.split(':')[0])).toEqual(
      expect.arrayContaining([expect.toSatisfy((invariant) => breaks.includes(invariant))]),
    )
  })
})
