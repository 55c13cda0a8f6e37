import { describe, expect, it } from 'vitest'
import { Gate, Lane } from '../../src/net/pool'
import type { Sleep } from '../../src/ports'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1)

/** Lanes of an engine each, all through one gate, with requests of a fixed length; who started when and how many at a time. */
async function drive(options: {
  lanes: number
  items: number
  requestMs: number
  intervalMs?: number
  concurrency?: number
  late?: (sleep: Sleep) => Sleep
}) {
  const { lanes, items, requestMs, intervalMs = 100, concurrency = 3 } = options
  const clock = createVirtualClock(START)
  const sleep = options.late?.(clock.sleep) ?? clock.sleep
  const gate = new Gate(6)
  const flying = Array<number>(lanes).fill(0)
  const starts: number[][] = Array.from({ length: lanes }, () => [])
  const most = { perLane: 0, inAll: 0 }
  const work = flying.map((_, index) => {
    const lane = new Lane({ concurrency, intervalMs, gate, clock, sleep })
    const send = async () => {
      starts[index]?.push(clock.now() - START)
      flying[index] = (flying[index] ?? 0) + 1
      most.perLane = Math.max(most.perLane, flying[index] ?? 0)
      most.inAll = Math.max(
        most.inAll,
        flying.reduce((sum, one) => sum + one, 0),
      )
      await clock.sleep(requestMs)
      flying[index] = (flying[index] ?? 0) - 1
    }
    return lane.each(
      Array.from({ length: items }, (_, item) => item),
      () => lane.request(send),
    )
  })
  await clock.run(Promise.all(work))
  return { starts, most, endedAt: clock.now() - START }
}

function oneLane(gate = new Gate(6)) {
  const clock = createVirtualClock(START)
  const lane = new Lane({ concurrency: 3, intervalMs: 100, gate, clock, sleep: clock.sleep })
  const starts: number[] = []
  const start = () => lane.request(async () => void starts.push(clock.now() - START))
  return { lane, start, clock, starts }
}

const gaps = (times: readonly number[]) => times.slice(1).map((time, index) => time - (times[index] ?? 0))

describe('the pool', () => {
  it('N07 at most 3 requests of one engine are in flight', async () => {
    const { most, starts } = await drive({ lanes: 1, items: 20, requestMs: 1_000 })
    expect(most.perLane).toBe(3)
    expect(starts[0]).toHaveLength(20)
    expect(starts[0]?.slice(0, 7)).toEqual([0, 100, 200, 1_000, 1_100, 1_200, 2_000])
  })

  it('N07 at most 6 over all engines, and every one gets through', async () => {
    const { most, starts } = await drive({ lanes: 5, items: 12, requestMs: 1_000 })
    expect(most.inAll).toBe(6)
    expect(most.perLane).toBeLessThanOrEqual(3)
    expect(starts.map(({ length }) => length)).toEqual([12, 12, 12, 12, 12])
  })

  it('N08 starts are at least 100 ms apart: exactly 100 when answers are quick', async () => {
    const { starts, endedAt } = await drive({ lanes: 1, items: 11, requestMs: 10 })
    expect(starts[0]).toEqual([0, 100, 200, 300, 400, 500, 600, 700, 800, 900, 1_000])
    expect(endedAt).toBe(1_010)
  })

  it('N08 each engine keeps its own distance', async () => {
    const { starts } = await drive({ lanes: 2, items: 3, requestMs: 10 })
    expect(starts).toEqual([
      [0, 100, 200],
      [0, 100, 200],
    ])
  })

  it('N08 a timer that fires late does not bring the next start nearer', async () => {
    let nth = 0
    const late =
      (sleep: Sleep): Sleep =>
      (ms) =>
        sleep(ms + (nth++ % 2 === 0 ? 70 : 0))
    const { starts } = await drive({ lanes: 1, items: 8, requestMs: 5, late })
    expect(gaps(starts[0] ?? [])).toEqual([170, 100, 170, 100, 170, 100, 170])
  })

  it('N08 a timer that fires early is waited for again', async () => {
    const late =
      (sleep: Sleep): Sleep =>
      (ms) =>
        sleep(Math.ceil(ms / 2))
    const { starts } = await drive({ lanes: 1, items: 5, requestMs: 5, late })
    expect(starts[0]).toEqual([0, 100, 200, 300, 400])
  })

  it('D09 a lane told to slow down keeps twice the distance from then on', async () => {
    const { lane, start, clock, starts } = oneLane()
    await clock.run(lane.each([1, 2, 3], start))
    lane.slowDown()
    await clock.run(lane.each([4, 5, 6], start))
    lane.slowDown()
    await clock.run(lane.each([7, 8], start))
    expect(starts).toEqual([0, 100, 200, 400, 600, 800, 1_200, 1_600])
  })

  it('D09 a paused lane starts nothing before the moment it was given, and holds no place at the gate', async () => {
    const gate = new Gate(1)
    const { lane, start, clock, starts } = oneLane(gate)
    lane.pauseUntil(START + 60_000)
    const paused = lane.each([1, 2], start)
    await clock.advance(30_000)
    expect(starts).toEqual([])
    await gate.enter()
    gate.leave()
    await clock.run(paused)
    expect(starts).toEqual([60_000, 60_100])
  })

  it('knows no distance where none is asked for', async () => {
    const { starts } = await drive({ lanes: 1, items: 6, requestMs: 50, intervalMs: 0 })
    expect(starts[0]).toEqual([0, 0, 0, 50, 50, 50])
  })

  it('a request that throws gives its place back', async () => {
    const clock = createVirtualClock(START)
    const lane = new Lane({ concurrency: 1, intervalMs: 0, gate: new Gate(1), clock, sleep: clock.sleep })
    await expect(lane.request(() => Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    expect(await clock.run(lane.request(async () => 'next'))).toBe('next')
  })

  it('the gate lets in by order of arrival', async () => {
    const gate = new Gate(1)
    const order: number[] = []
    await gate.enter()
    const waiting = [1, 2, 3].map((n) => gate.enter().then(() => order.push(n)))
    for (const one of waiting) {
      gate.leave()
      await one
    }
    expect(order).toEqual([1, 2, 3])
  })

  it('nothing to do is done at once', async () => {
    expect((await drive({ lanes: 1, items: 0, requestMs: 1 })).endedAt).toBe(0)
  })
})
