import { chaos } from './chaos'
import type { Product } from './isolate'

export interface CampaignResult {
  readonly siteDays: number
  readonly counts: Map<string, number>
  /** With the seed that shows it. */
  readonly failures: { readonly seed: number; readonly violations: readonly string[] }[]
  readonly hashes: Map<number, string>
}

/** One world after another, until one breaks a promise. */
export async function campaign(product: Product, seeds: Iterable<number>): Promise<CampaignResult> {
  const result: CampaignResult = { siteDays: 0, counts: new Map(), failures: [], hashes: new Map() }
  let siteDays = 0
  for (const seed of seeds) {
    const story = await chaos({ product, seed })
    siteDays += story.siteDays
    result.hashes.set(seed, story.traceHash)
    for (const [name, count] of story.counts) result.counts.set(name, (result.counts.get(name) ?? 0) + count)
    if (story.violations.length > 0) result.failures.push({ seed, violations: story.violations })
  }
  return { ...result, siteDays }
}

/** How to see it again. */
export function replay(seed: number): string {
  return `npm run simulate -- --seed ${seed} --site-days 1 --trace .`
}
