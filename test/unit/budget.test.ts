import { describe, expect, it } from 'vitest'
import { bing } from '../../src/channels/bing/bing'
import { indexnow } from '../../src/channels/indexnow/indexnow'
import { createBudget, leavingTime, reserveFor } from '../../src/pipeline/budget'
import { siteWith } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1)

describe('the budget of an invocation', () => {
  it('gives out so many requests and no more', () => {
    const budget = createBudget(createVirtualClock(START), { timeMs: 1_000, requests: 3 })
    expect([1, 2, 3, 4, 5].map(() => budget.takeRequest())).toEqual([true, true, true, false, false])
    expect(budget.requestsMade()).toBe(3)
    expect(budget.requestsLeft()).toBe(0)
  })

  it('keeps a reserve for others', () => {
    const budget = createBudget(createVirtualClock(START), { timeMs: 1_000, requests: 5 })
    expect([1, 2, 3].map(() => budget.takeRequest(3))).toEqual([true, true, false])
    expect([1, 2].map(() => budget.takeRequest(1))).toEqual([true, true])
    expect(budget.takeRequest(1)).toBe(false)
    expect(budget.takeRequest()).toBe(true)
  })

  it('N09 ends with the time, too', async () => {
    const clock = createVirtualClock(START)
    const budget = createBudget(clock, { timeMs: 300_000, requests: 45 })
    await clock.advance(299_999)
    expect(budget.msLeft()).toBe(1)
    expect(budget.takeRequest()).toBe(true)
    await clock.advance(1)
    expect(budget.takeRequest()).toBe(false)
    await clock.advance(1_000)
    expect(budget.msLeft()).toBe(0)
    expect(budget.requestsLeft()).toBe(44)
  })

  it('the crawl leaves two requests per endpoint', () => {
    const site = siteWith({ INDEXNOW_SEARCH_ENGINES: 'bing,yandex,naver' })
    expect(reserveFor([], site)).toBe(0)
    expect(reserveFor([{ channel: bing }], site)).toBe(2)
    expect(reserveFor([{ channel: indexnow }, { channel: bing }], site)).toBe(8)
  })

  it('a channel leaves time to those after it, a tenth of all but at most 30 s each', async () => {
    const clock = createVirtualClock(START)
    const budget = createBudget(clock, { timeMs: 300_000, requests: 45 })
    expect(leavingTime(budget, 300_000, 0).msLeft()).toBe(300_000)
    expect(leavingTime(budget, 300_000, 1).msLeft()).toBe(270_000)
    expect(leavingTime(budget, 100_000, 2).msLeft()).toBe(280_000)
    await clock.advance(295_000)
    expect(leavingTime(budget, 300_000, 1).msLeft()).toBe(0)
  })

  it('the last request is there for the alert even when the time is over', async () => {
    const clock = createVirtualClock(START)
    const budget = createBudget(clock, { timeMs: 1_000, requests: 1 })
    await clock.advance(1_000)
    expect([budget.takeRequest(), budget.takeLast(), budget.takeLast()]).toEqual([false, true, false])
  })

  it('auto: one URL per request while that fits the budget, else all in one', () => {
    const site = siteWith({ INDEXNOW_SEARCH_ENGINES: 'bing,yandex' })
    const clock = createVirtualClock(START)
    const size = (urls: number, requests: number, timeMs = 300_000) =>
      indexnow.requestSize(
        site,
        { urls, submissions: urls * 2 },
        createBudget(clock, { timeMs, requests }),
        3,
      )
    expect(size(20, 43)).toBe(1)
    expect(size(20, 42)).toBe(10_000)
    expect(size(20, 1_000, 2_000)).toBe(1)
    expect(size(20, 1_000, 1_999)).toBe(10_000)
    expect(size(10_000, 100_000, 10_000_000)).toBe(10_000)
  })
})
