import { expect, it } from 'vitest'
import { type Campaign, campaign, seedsFrom, together, told } from './campaign'
import { SITE_DAYS_PER_SEED } from './chaos'
import { PRODUCT } from './product'
import { missing } from './rare-states'

/** Of 50,000: a file each, so that two processors share them. */
const SITE_DAYS = 25_000
const IN_A_PART = 12
const PARTS = Math.ceil(SITE_DAYS / SITE_DAYS_PER_SEED / IN_A_PART)
export const HALF_OF_THE_WORLDS = PARTS * IN_A_PART

export function noPromiseIsBroken(firstSeed: number): void {
  const parts: Campaign[] = []

  it.each(
    seedsFrom(firstSeed, PARTS, IN_A_PART),
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
}
