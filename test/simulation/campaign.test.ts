import { describe, expect, it } from 'vitest'
import { type Campaign, campaign, seedsFrom, together, told } from './campaign'
import { chaos, SITE_DAYS_PER_SEED } from './chaos'
import { FOUND_SEEDS } from './found-seeds'
import { PRODUCT } from './product'
import { missing } from './rare-states'

const SITE_DAYS = 50_000
const IN_A_PART = 12
const PARTS = Math.ceil(SITE_DAYS / SITE_DAYS_PER_SEED / IN_A_PART)

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

  const parts: Campaign[] = []

  it.each(
    seedsFrom(1, PARTS, IN_A_PART),
  )(`no promise is broken in the ${IN_A_PART} worlds from %i on`, async (first) => {
    const part = await campaign(PRODUCT, seedsFrom(first, IN_A_PART))
    parts.push(part)
    expect(part.failures.map(told)).toEqual([])
  })

  it('was hostile enough: every kind of fault and every rare state came up', () => {
    const { siteDays, counts } = together(parts)
    expect(siteDays).toBeGreaterThanOrEqual(SITE_DAYS)
    expect(missing(counts, siteDays)).toEqual([])
  })
})
