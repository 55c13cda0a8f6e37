import { chaos } from './chaos'
import type { Product } from './isolate'

export interface Failure {
  readonly seed: number
  readonly violations: readonly string[]
}

export interface Campaign {
  readonly siteDays: number
  readonly counts: ReadonlyMap<string, number>
  readonly failures: readonly Failure[]
}

/** Whole numbers from `first`, `step` apart. */
export const seedsFrom = (first: number, count: number, step = 1): number[] =>
  Array.from({ length: count }, (_, nth) => first + nth * step)

/** One world after another; whatever broke a promise is told with its seed. */
export async function campaign(
  product: Product,
  seeds: readonly number[],
  afterEach: (done: Campaign) => void = () => {},
): Promise<Campaign> {
  let done: Campaign = { siteDays: 0, counts: new Map(), failures: [] }
  for (const seed of seeds) {
    const { siteDays, counts, violations } = await chaos({ product, seed })
    const failures = violations.length === 0 ? [] : [{ seed, violations }]
    done = together([done, { siteDays, counts, failures }])
    afterEach(done)
  }
  return done
}

export function together(parts: readonly Campaign[]): Campaign {
  const counts = new Map<string, number>()
  for (const part of parts) {
    for (const [name, count] of part.counts) counts.set(name, (counts.get(name) ?? 0) + count)
  }
  return {
    siteDays: parts.reduce((sum, { siteDays }) => sum + siteDays, 0),
    counts,
    failures: parts.flatMap(({ failures }) => failures),
  }
}

/** What was broken, and how to see it again. */
export function told({ seed, violations }: Failure): string {
  return `${violations.join('; ')}\n  to see it: npm run simulate -- --seed ${seed} --site-days 1 --trace .`
}
