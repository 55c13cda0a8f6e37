import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { createVirtualClock } from '../support/virtual-clock'
import { keyValueStoreContract } from './key-value-store'

const START = Date.UTC(2026, 3, 1)

keyValueStoreContract('memory', () => createMemoryStore(createVirtualClock(START)))

describe('time to live in memory', () => {
  it.each([
    [1, 60_000],
    [60, 60_000],
    [172_800, 172_800_000],
  ])('%d seconds end after %d ms', async (ttlSeconds, ms) => {
    const clock = createVirtualClock(START)
    const store = createMemoryStore(clock)
    await store.put('key', 'value', { ttlSeconds })
    await clock.advance(ms - 1)
    expect(await store.getText('key')).toBe('value')
    expect((await store.list('')).keys).toEqual(['key'])
    await clock.advance(1)
    expect(await store.getText('key')).toBeNull()
    expect((await store.list('')).keys).toEqual([])
    expect((await store.getTexts(['key'])).get('key')).toBeNull()
  })

  it('a later write without one lives on', async () => {
    const clock = createVirtualClock(START)
    const store = createMemoryStore(clock)
    await store.put('key', 'mortal', { ttlSeconds: 60 })
    await store.put('key', 'immortal')
    await clock.advance(3_650 * 86_400_000)
    expect(await store.getText('key')).toBe('immortal')
  })
})
