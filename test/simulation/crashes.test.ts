import { afterAll, describe, expect, it } from 'vitest'
import { CRASH_SCENARIOS, crashRun, plansFor } from './crash-scenarios'
import { PRODUCT } from './product'

const LEAST_RUNS = 4_000

describe('a fault at every step, then recovery', () => {
  let runs = 0

  it.each(CRASH_SCENARIOS)('$name', async (scenario) => {
    const broken: string[] = []
    for (const plan of await plansFor(PRODUCT, scenario)) {
      const { violations } = await crashRun(PRODUCT, scenario, plan)
      runs++
      if (violations.length > 0) broken.push(`${JSON.stringify(plan)}: ${violations.join('; ')}`)
    }
    expect(broken).toEqual([])
  })

  afterAll(() => expect(runs).toBeGreaterThanOrEqual(LEAST_RUNS))
})
