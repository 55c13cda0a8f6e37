import { describe, expect, it } from 'vitest'
import { chaos } from './chaos'
import { CRASH_SCENARIOS, crashRun, NO_FAULT, plansFor } from './crash-scenarios'
import type { Product } from './isolate'
import { plant } from './plant'
import { PLANTED_BUGS } from './planted-bugs'

/** A bug that shows in none of these would slip through a change's own campaign as well. */
const WORLDS = 6

describe('a bug in the product is seen', () => {
  it.each(PLANTED_BUGS)('$name', async (bug) => {
    const { breaks, story } = bug
    const product = await plant(bug)
    const seen: string[] = []
    if (story !== undefined) seen.push(...(await inStory(product, story)))
    else {
      for (let seed = 1; seed <= WORLDS && seen.length === 0; seed++) {
        seen.push(...(await chaos({ product, seed })).violations)
      }
    }
    expect(seen.map((violation) => violation.split(':')[0])).toEqual(
      expect.arrayContaining([expect.toSatisfy((invariant) => breaks.includes(invariant))]),
    )
  })
})

async function inStory(product: Product, story: string): Promise<readonly string[]> {
  const scenario = CRASH_SCENARIOS.find(({ name }) => name === story)
  if (scenario === undefined) throw new Error(`there is no story ${story}`)
  const undisturbed = await crashRun(product, scenario, NO_FAULT)
  if (undisturbed.violations.length > 0) return undisturbed.violations
  for (const plan of await plansFor(product, scenario)) {
    const { violations } = await crashRun(product, scenario, plan)
    if (violations.length > 0) return violations
  }
  return []
}
