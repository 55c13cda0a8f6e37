import { describe, expect, it } from 'vitest'
import { campaign, told } from './campaign'
import { chaos } from './chaos'
import { FOUND_SEEDS } from './found-seeds'
import { noPromiseIsBroken } from './half-a-campaign'
import { PRODUCT } from './product'

describe('a world in which everything goes wrong', () => {
  it('worlds that have shown a bug before show none now', async () => {
    const seeds = FOUND_SEEDS.map(({ seed }) => seed)
    expect((await campaign(PRODUCT, seeds)).failures.map(told)).toEqual([])
  })

  it.each([1, 3, 10])('world %i goes the same way twice, to the letter', async (seed) => {
    const first = await chaos({ product: PRODUCT, seed })
    const second = await chaos({ product: PRODUCT, seed })
    expect(second.traceHash).toBe(first.traceHash)
    expect((await chaos({ product: PRODUCT, seed: seed + 1 })).traceHash).not.toBe(first.traceHash)
  })

  noPromiseIsBroken(1)
})
