import { describe, expect, it } from 'vitest'
import { Deadline } from '../../src/net/deadline'
import { createVirtualClock } from '../support/virtual-clock'

describe('the time of a request', () => {
  it('ends after its milliseconds', async () => {
    const clock = createVirtualClock(0)
    const deadline = new Deadline(clock, clock.sleep, 1_000)
    await clock.run(deadline.passed(new AbortController().signal))
    expect(clock.now()).toBe(1_000)
  })

  it('stands still while other work is done in the middle', async () => {
    const clock = createVirtualClock(0)
    const deadline = new Deadline(clock, clock.sleep, 1_000)
    const passed = deadline.passed(new AbortController().signal)
    const work = async () => {
      await clock.sleep(400)
      expect(await deadline.hold(() => clock.sleep(5_000).then(() => 'done'))).toBe('done')
      await clock.sleep(300)
      await deadline.hold(() => clock.sleep(100))
    }
    await clock.run(Promise.all([passed, work()]))
    expect(clock.now()).toBe(1_000 + 5_000 + 100)
  })

  it('work that fails gives the time back all the same', async () => {
    const clock = createVirtualClock(0)
    const deadline = new Deadline(clock, clock.sleep, 1_000)
    const passed = deadline.passed(new AbortController().signal)
    const failing = deadline.hold(async () => {
      await clock.sleep(200)
      throw new Error('no')
    })
    await clock.run(Promise.all([passed, failing.catch(() => {})]))
    expect(clock.now()).toBe(1_200)
  })

  it('ends at once when nobody cares any more', async () => {
    const clock = createVirtualClock(0)
    const settled = new AbortController()
    const passed = new Deadline(clock, clock.sleep, 1_000).passed(settled.signal)
    settled.abort()
    await passed
    expect(clock.now()).toBe(0)
  })
})
