import { describe, expect, it } from 'vitest'
import type { SubmissionOutcome } from '../../src/domain/outcome'
import { bisect, refusedAlone } from '../../src/pipeline/bisect'
import { createSeededRandom } from '../support/memory-application'

interface Row {
  readonly url: string
}

const ACCEPTED: SubmissionOutcome = { kind: 'accepted' }
const REFUSED: SubmissionOutcome = { kind: 'rejected', scope: 'url', reason: 'invalid_url' }

const rows = (count: number): Row[] =>
  Array.from({ length: count }, (_, n) => ({ url: `https://shop.example/${n}` }))

/** Takes a list apart against an engine and sorts what came out by how it ended. */
async function takeApart(
  all: readonly Row[],
  engine: (urls: readonly string[], call: number) => SubmissionOutcome | null,
  maxCalls?: number,
) {
  const endings = new Map<string, string[]>()
  const sizes: number[] = []
  const send = async (some: readonly Row[]) => {
    const urls = some.map(({ url }) => url)
    const outcome = engine(urls, sizes.length)
    if (outcome === null) return null
    sizes.push(some.length)
    return { kind: 'done' as const, value: { outcome, elapsedMs: 1 } }
  }
  for await (const { rows: part, attempted } of bisect(all, send, maxCalls)) {
    const ending = attempted === null ? 'unsent' : attempted.value.outcome.kind
    endings.set(ending, [...(endings.get(ending) ?? []), ...part.map(({ url }) => url)])
  }
  return {
    calls: sizes.length,
    sizes,
    accepted: endings.get('accepted') ?? [],
    rejected: endings.get('rejected') ?? [],
    deferred: endings.get('deferred') ?? [],
    unsent: endings.get('unsent') ?? [],
  }
}

const refusing = (bad: ReadonlySet<string>) => (urls: readonly string[]) =>
  urls.some((url) => bad.has(url)) ? REFUSED : ACCEPTED

describe('taking a refused batch apart', () => {
  it('what is accepted at once takes one call', async () => {
    expect(await takeApart(rows(100), () => ACCEPTED)).toMatchObject({ calls: 1, sizes: [100] })
  })

  it.each([
    [100, 15],
    [10_000, 29],
  ])('one bad URL anywhere among %d is found within %d calls', async (count, most) => {
    const all = rows(count)
    const places = count === 100 ? all.keys() : [0, 1, 4_999, 5_000, 7_777, 9_999]
    for (const at of places) {
      const bad = `https://shop.example/${at}`
      const result = await takeApart(all, refusing(new Set([bad])))
      expect(result.calls).toBeLessThanOrEqual(most)
      expect(result.rejected).toEqual([bad])
      expect(result.accepted).toHaveLength(count - 1)
    }
  })

  it('for any subset of bad URLs: within the cap exactly the good ones are accepted, beyond it nothing wrong is', async () => {
    const random = createSeededRandom(20_250_115)
    let whole = 0
    let capped = 0
    for (let round = 0; round < 3_000; round++) {
      const all = rows(1 + Math.floor(random.next() * 100))
      const share = random.next() ** 3
      const bad = new Set(all.map(({ url }) => url).filter(() => random.next() < share))
      const good = all.map(({ url }) => url).filter((url) => !bad.has(url))
      const { calls, accepted, rejected, unsent, sizes } = await takeApart(all, refusing(bad))

      expect(calls).toBeLessThanOrEqual(40)
      expect([...accepted, ...rejected, ...unsent].toSorted()).toEqual(all.map(({ url }) => url).toSorted())
      expect(rejected.every((url) => bad.has(url))).toBe(true)
      expect(accepted.every((url) => !bad.has(url))).toBe(true)
      // Nobody is refused for good in company.
      expect(sizes.filter((size) => size === 1).length).toBeGreaterThanOrEqual(rejected.length)
      if (unsent.length === 0) {
        whole++
        expect(accepted.toSorted()).toEqual(good.toSorted())
        expect(new Set(rejected)).toEqual(bad)
      } else {
        capped++
        expect(calls).toBe(40)
        expect(accepted.length + rejected.length).toBeGreaterThan(0)
      }
    }
    // Both kinds were met, often.
    expect(whole).toBeGreaterThan(500)
    expect(capped).toBeGreaterThan(500)
  })

  it('without a cap every subset comes out exactly', async () => {
    for (let bits = 0; bits < 2 ** 9; bits++) {
      const all = rows(9)
      const bad = new Set(all.map(({ url }) => url).filter((_, n) => (bits >> n) & 1))
      const { accepted, rejected, unsent } = await takeApart(all, refusing(bad), Infinity)
      expect(accepted.toSorted()).toEqual(all.map(({ url }) => url).filter((url) => !bad.has(url)))
      expect(rejected.toSorted()).toEqual([...bad].toSorted())
      expect(unsent).toEqual([])
    }
  })

  it('all of 10,000 bad: 40 calls, some settled, the rest left for later', async () => {
    const { calls, rejected, unsent } = await takeApart(rows(10_000), () => REFUSED)
    expect(calls).toBe(40)
    expect(rejected.length).toBeGreaterThan(5)
    expect(unsent).toHaveLength(10_000 - rejected.length)
  })

  it('those the answer names are dropped and the others sent once more', async () => {
    const all = rows(1_000)
    const named = ['https://shop.example/3', 'https://shop.example/700']
    const bad = new Set(named)
    const { calls, accepted, rejected } = await takeApart(all, (urls) =>
      urls.some((url) => bad.has(url))
        ? {
            kind: 'rejected',
            scope: 'url',
            reason: 'invalid_url',
            named: [...named, 'https://other.example/'],
          }
        : ACCEPTED,
    )
    expect({ calls, rejected, accepted: accepted.length }).toEqual({
      calls: 2,
      rejected: named,
      accepted: 998,
    })
  })

  it('names that were not sent help nobody: it is halved', async () => {
    const bad = new Set(['https://shop.example/3'])
    const { rejected, accepted } = await takeApart(rows(8), (urls) =>
      urls.some((url) => bad.has(url))
        ? { kind: 'rejected', scope: 'url', reason: 'invalid_url', named: ['https://elsewhere.example/'] }
        : ACCEPTED,
    )
    expect({ rejected, accepted: accepted.length }).toEqual({ rejected: [...bad], accepted: 7 })
  })

  it.each([
    { kind: 'rejected', scope: 'channel', reason: 'key_refused' },
    { kind: 'rejected', scope: 'batch', reason: 'request_refused' },
    { kind: 'deferred', reason: 'quota' },
    { kind: 'deferred', reason: 'quota', fits: 0 },
    { kind: 'deferred', reason: 'quota', fits: 100 },
    { kind: 'retryable', cause: 'transient', reason: 'server_error' },
  ] satisfies SubmissionOutcome[])('%j is never taken apart', async (outcome) => {
    expect(await takeApart(rows(100), () => outcome)).toMatchObject({ calls: 1, sizes: [100] })
  })

  it('D14 when N fit, the first N are sent and the rest waits', async () => {
    const { sizes, accepted, deferred } = await takeApart(rows(100), (urls) =>
      urls.length > 37 ? { kind: 'deferred', reason: 'quota', fits: 37 } : ACCEPTED,
    )
    expect(sizes).toEqual([100, 37])
    expect(accepted).toEqual(
      rows(100)
        .slice(0, 37)
        .map(({ url }) => url),
    )
    expect(deferred).toHaveLength(63)
  })

  it('an engine that keeps changing its mind about what fits is heard 40 times', async () => {
    const { calls, deferred, unsent } = await takeApart(rows(100), (urls) => ({
      kind: 'deferred',
      reason: 'quota',
      fits: urls.length - 1,
    }))
    expect({ calls, unsent: unsent.length, deferred: deferred.length }).toEqual({
      calls: 40,
      unsent: 60,
      deferred: 40,
    })
  })

  it('too many at a time are sent in halves, each asked as a whole', async () => {
    const { sizes, accepted } = await takeApart(rows(100), (urls) =>
      urls.length > 30
        ? { kind: 'rejected', scope: 'batch', reason: 'too_many_urls', divisible: 'size' }
        : ACCEPTED,
    )
    expect(sizes).toEqual([100, 50, 25, 25, 50, 25, 25])
    expect(accepted).toHaveLength(100)
  })

  it.each([
    ['urls', 1],
    ['size', 0],
  ] as const)('refused alone for its %s beside others that were taken: %d at fault', (divisible, atFault) => {
    const part = (row: Row, outcome: SubmissionOutcome) => ({
      rows: [row],
      attempted: { kind: 'done' as const, value: { outcome, elapsedMs: 1 } },
    })
    const [good, odd] = rows(2) as [Row, Row]
    const refused = { kind: 'rejected', scope: 'batch', reason: 'refused', divisible } as const
    expect(refusedAlone([part(good, ACCEPTED), part(odd, refused)])).toHaveLength(atFault)
  })

  it('a key refused on the way ends it there', async () => {
    const bad = new Set(['https://shop.example/90'])
    let open = true
    const { calls, accepted, rejected, unsent } = await takeApart(rows(100), (urls, call) => {
      if (!open) return null
      if (call === 2) {
        open = false
        return { kind: 'rejected', scope: 'channel', reason: 'key_refused' }
      }
      return refusing(bad)(urls)
    })
    expect({ calls, accepted: accepted.length, rejected: rejected.length, unsent: unsent.length }).toEqual({
      calls: 3,
      accepted: 50,
      rejected: 25,
      unsent: 25,
    })
  })
})
