import { describe, expect, it } from 'vitest'
import { type Again, Retries, retry, retryAfterMs } from '../../src/net/retry'
import { createBudget } from '../../src/pipeline/budget'
import { createLogCapture } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1)
const POLICY = {
  maxRetries: 3,
  waitMs: (cause: Again['cause'], nth: number) => (cause === 'throttled' ? 60_000 : 1_000 * 2 ** nth),
}
const throttled: Again = { cause: 'throttled', reason: 'throttled' }
const transient: Again = { cause: 'transient', reason: 'server_error_500' }

/** Attempts that are judged one after the other as `verdicts` say, and then well. */
async function attempt(
  verdicts: readonly (Again | null)[],
  options: { timeMs?: number; maxRetries?: number } = {},
) {
  const clock = createVirtualClock(START)
  const log = createLogCapture(clock)
  const budget = createBudget(clock, { timeMs: options.timeMs ?? 900_000, requests: 100 })
  const context = { clock, sleep: clock.sleep, budget, logger: log.logger, subject: 'engine a' }
  const at: number[] = []
  const policy = { ...POLICY, maxRetries: options.maxRetries ?? 3 }
  const result = await clock.run(
    retry(
      policy,
      context,
      async () => at.push(clock.now() - START),
      (nth) => verdicts[nth - 1] ?? null,
    ),
  )
  const warnings = log.entries('warn')
  return { result, at, warnings, messages: warnings.map(({ message }) => message) }
}

describe('retry', () => {
  it('N12 a throttling engine is asked again after 60 s, three times, and then given up', async () => {
    const { result, at } = await attempt(Array<Again>(9).fill(throttled))
    expect(at).toEqual([0, 60_000, 120_000, 180_000])
    expect(result).toEqual({ kind: 'exhausted', value: 4, again: throttled })
  })

  it('N13 a failing engine is asked again after 1, 2 and 4 s', async () => {
    const { result, at } = await attempt(Array<Again>(9).fill(transient))
    expect(at).toEqual([0, 1_000, 3_000, 7_000])
    expect(result.kind).toBe('exhausted')
  })

  it('N16 the log counts the retries, and says how long each waits', async () => {
    const { messages, warnings } = await attempt([throttled, throttled, throttled])
    expect(messages).toEqual([1, 2, 3].map((n) => `engine a: throttled, retry ${n}/3`))
    expect(warnings).toMatchObject(Array(3).fill({ waitMs: 60_000 }))
  })

  it('stops with the first good answer', async () => {
    const { result, at } = await attempt([transient, null, transient])
    expect(at).toEqual([0, 1_000])
    expect(result).toEqual({ kind: 'done', value: 2 })
  })

  it('counts each cause for itself', async () => {
    const { at } = await attempt([transient, throttled, transient])
    expect(at).toEqual([0, 1_000, 61_000, 63_000])
  })

  it('waits longer when the engine says so, never shorter', async () => {
    expect((await attempt([{ ...throttled, waitMs: 90_000 }])).at).toEqual([0, 90_000])
    expect((await attempt([{ ...throttled, waitMs: 5_000 }])).at).toEqual([0, 60_000])
  })

  it('never asks again without retries', async () => {
    expect((await attempt([transient], { maxRetries: 0 })).result.kind).toBe('exhausted')
  })

  it('postpones a wait that does not fit the time left', async () => {
    const { result, at } = await attempt([throttled, throttled], { timeMs: 100_000 })
    expect(at).toEqual([0, 60_000])
    expect(result).toEqual({ kind: 'postponed', value: 2, again: throttled, notBefore: START + 120_000 })
  })

  it('a wait of exactly the time left does not fit, one of a millisecond less does', async () => {
    expect((await attempt([throttled], { timeMs: 60_000 })).result.kind).toBe('postponed')
    expect((await attempt([throttled], { timeMs: 60_001 })).result.kind).toBe('done')
  })
})

describe('the retries of a batch', () => {
  /** Three requests that start at once, take 500 ms, and fail as told. */
  async function three(judge: (attempt: { request: number; nth: number }) => Again | null) {
    const clock = createVirtualClock(START)
    const log = createLogCapture(clock)
    const budget = createBudget(clock, { timeMs: 900_000, requests: 100 })
    const waits: [string, number][] = []
    const retries = new Retries(POLICY, {
      clock,
      sleep: clock.sleep,
      budget,
      logger: log.logger,
      subject: 'engine a',
      onWait: ({ cause }, ms) => waits.push([cause, ms]),
    })
    const at: number[][] = [[], [], []]
    const results = await clock.run(
      Promise.all(
        at.map((starts, request) =>
          retries.run(
            async () => {
              const nth = starts.push(clock.now() - START)
              await clock.sleep(500)
              return { request, nth }
            },
            (attempt) => judge(attempt),
          ),
        ),
      ),
    )
    return {
      at,
      kinds: results.map(({ kind }) => kind),
      waits,
      messages: log.entries('warn').map(({ message }) => message),
    }
  }

  it('N12 requests that fail together wait together and count once', async () => {
    const { at, kinds, waits, messages } = await three(() => throttled)
    expect(at).toEqual(Array(3).fill([0, 60_500, 121_000, 181_500]))
    expect(kinds).toEqual(['exhausted', 'exhausted', 'exhausted'])
    expect(waits).toEqual(Array(3).fill(['throttled', 60_000]))
    expect(messages).toEqual([1, 2, 3].map((n) => `engine a: throttled, retry ${n}/3`))
  })

  it('a 429 is not content with the short wait of a 5xx', async () => {
    const { at } = await three(({ request, nth }) => (nth > 1 ? null : request === 2 ? throttled : transient))
    expect(at).toEqual([
      [0, 1_500],
      [0, 1_500],
      [0, 60_500],
    ])
  })

  it('what one used up the others do not have', async () => {
    const { kinds } = await three(({ request, nth }) =>
      request === 0 ? transient : nth < 2 ? transient : null,
    )
    expect(kinds).toEqual(['exhausted', 'done', 'done'])
  })
})

describe('a request that waits for its turn', () => {
  it('a failure from before it started is not its own: it begins a wait, and a retry, of its own', async () => {
    const clock = createVirtualClock(START)
    const { logger } = createLogCapture(clock)
    const budget = createBudget(clock, { timeMs: 900_000, requests: 100 })
    const retries = new Retries(POLICY, { clock, sleep: clock.sleep, budget, logger, subject: 'engine a' })
    const at: number[][] = [[], []]
    const failingOnce = (request: number, turnMs: number) =>
      retries.run(
        async (started) => {
          if (at[request]?.length === 0) await clock.sleep(turnMs)
          started()
          const nth = at[request]?.push(clock.now() - START)
          await clock.sleep(500)
          return nth
        },
        (nth) => (nth === 1 ? transient : null),
      )
    await clock.run(Promise.all([failingOnce(0, 0), failingOnce(1, 2_000)]))
    expect(at).toEqual([
      [0, 1_500],
      [2_000, 4_500],
    ])
  })
})

describe('Retry-After', () => {
  it.each([
    ['120', 120_000],
    [' 7 ', 7_000],
    ['601', 600_000],
    ['99999999999999999999', 600_000],
    [new Date(START + 45_000).toUTCString(), 45_000],
    [new Date(START + 86_400_000).toUTCString(), 600_000],
    [null, undefined],
    ['', undefined],
    ['0', undefined],
    ['-5', undefined],
    ['1.5', undefined],
    ['soon', undefined],
    [new Date(START - 1_000).toUTCString(), undefined],
    [new Date(START).toUTCString(), undefined],
  ])('%s means %s ms', (header, ms) => {
    expect(retryAfterMs(header, START)).toBe(ms)
  })
})
