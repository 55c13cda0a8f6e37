import { describe, expect, it } from 'vitest'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { keys } from '../../src/records/keys'
import { createQuotaManager, quotaDate } from '../../src/records/quota-manager'
import { createLogCapture } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const SITE = 'shop.example'
const DAY = '2025-01-15'

function open(startMs = Date.UTC(2025, 0, 15, 12)) {
  const clock = createVirtualClock(startMs)
  const log = createLogCapture(clock)
  const store = createMemoryStore(clock)
  const waits: number[] = []
  const sleep = async (ms: number) => void waits.push(ms)
  const quotas = createQuotaManager({ store, clock, sleep, logger: log.logger, channelId: 'bing' })
  const stored = async (date = DAY) =>
    JSON.parse((await store.getText(keys.quota('bing', SITE, date))) ?? 'null')
  const remaining = async (date = DAY, perDay = 100) => (await quotas.read(SITE, date, perDay)).remaining
  const used = async (date = DAY) => (await quotas.read(SITE, date, 100)).used
  return { clock, log, store, quotas, stored, remaining, used, waits }
}

describe('the daily quota', () => {
  it('B04 85 of 100 used leaves 15', async () => {
    const { quotas, remaining } = open()
    await quotas.add(SITE, DAY, 85, 100)
    expect(await remaining()).toBe(15)
  })

  it('B05 nothing is left when it is used up, or more than that', async () => {
    const { quotas, remaining } = open()
    await quotas.add(SITE, DAY, 100, 100)
    expect(await remaining()).toBe(0)
    expect(await remaining(DAY, 50)).toBe(0)
  })

  it('B06 a new UTC day begins at 0 used, with 100 more', async () => {
    const { quotas, remaining, used } = open()
    await quotas.add(SITE, DAY, 100, 100)
    const next = quotaDate(Date.UTC(2025, 0, 16))
    expect(next).toBe('2025-01-16')
    expect(await used(next)).toBe(0)
    expect(await remaining(next)).toBe(100)
  })

  it('B07 50 used and 30 accepted are 80, with the time', async () => {
    const { clock, quotas, stored, used } = open()
    await quotas.add(SITE, DAY, 50, 100)
    await clock.advance(61_000)
    await quotas.add(SITE, DAY, 30, 100)
    expect(await stored()).toEqual({ used: 80, lastUpdate: '2025-01-15T12:01:01.000Z' })
    expect(await used()).toBe(80)
  })

  it('B08 a run that crosses midnight counts on the day it started', async () => {
    const startedAt = Date.UTC(2025, 0, 15, 23, 58)
    const { clock, quotas, stored } = open(startedAt)
    await quotas.add(SITE, quotaDate(startedAt), 90, 100)
    await clock.advance(5 * 60_000)
    await quotas.add(SITE, quotaDate(startedAt), 10, 100)
    expect(await stored('2025-01-15')).toEqual({ used: 100, lastUpdate: '2025-01-16T00:03:00.000Z' })
    expect(await stored('2025-01-16')).toBeNull()
  })

  it('B09 two runs that both saw 5 left add up to 105, and the log says so for the audit', async () => {
    const { log, quotas, remaining, used } = open()
    await quotas.add(SITE, DAY, 95, 100)
    const seen = [await remaining(), await remaining()]
    expect(seen).toEqual([5, 5])
    for (const accepted of seen) await quotas.add(SITE, DAY, accepted, 100)
    expect(await used()).toBe(105)
    expect(await remaining()).toBe(0)
    expect(log.entries('warn')).toMatchObject([
      { message: expect.stringContaining('audit'), site: SITE, date: DAY, used: 105, perDay: 100 },
    ])
  })

  it('D13 the record lies under its key and lives 48 hours', async () => {
    const { clock, store, quotas, used } = open()
    await quotas.add(SITE, DAY, 1, 100)
    expect((await store.list('')).keys).toEqual(['bing:quota:shop.example:2025-01-15'])
    await clock.advance(48 * 3_600_000 - 1)
    expect(await used()).toBe(1)
    await clock.advance(1)
    expect(await used()).toBe(0)
  })

  it('D14 a day the engine calls full stays full, whatever was counted', async () => {
    const { quotas, stored, remaining } = open()
    await quotas.add(SITE, DAY, 20, 100)
    await quotas.markExhausted(SITE, DAY)
    await quotas.add(SITE, DAY, 5, 100)
    expect(await remaining()).toBe(0)
    expect(await stored()).toMatchObject({ used: 25, exhausted: true })
  })

  it.each([
    '',
    'x',
    '{}',
    '{"used":-1,"lastUpdate":""}',
    '{"used":"5","lastUpdate":""}',
    'null',
  ])('an unreadable record (%s) sends nothing, and the log says so', async (text) => {
    const { log, store, quotas } = open()
    await store.put(keys.quota('bing', SITE, DAY), text)
    expect(await quotas.read(SITE, DAY, 100)).toEqual({ used: 0, remaining: 0, unreadable: true })
    expect(log.entries('error')).toMatchObject([
      { key: keys.quota('bing', SITE, DAY), message: expect.stringContaining('unreadable') },
    ])
  })

  it('sites do not share', async () => {
    const { quotas } = open()
    await quotas.add(SITE, DAY, 60, 100)
    expect(await quotas.read('blog.example', DAY, 100)).toEqual({
      used: 0,
      remaining: 100,
      unreadable: false,
    })
  })

  it('a run writes its day at most once a second, which is what the store takes', async () => {
    const { quotas, waits, clock } = open()
    await quotas.add(SITE, DAY, 10, 100)
    expect(waits).toEqual([])
    await clock.advance(400)
    await quotas.add(SITE, DAY, 10, 100)
    expect(waits).toEqual([600])
    await clock.advance(1_000)
    await quotas.markExhausted(SITE, DAY)
    expect(waits).toEqual([600])
  })
})
