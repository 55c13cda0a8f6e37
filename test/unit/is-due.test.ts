import { describe, expect, it } from 'vitest'
import type { RunStatus } from '../../src/domain/execution-record'
import { isDue } from '../../src/pipeline/scheduler'
import { EMPTY_STATE, type SiteState } from '../../src/records/site-state'
import { siteWith } from '../support/memory-application'

const NOON = Date.UTC(2026, 3, 1, 12)
const MIDNIGHT = Date.UTC(2026, 3, 2)
const HOUR = 3_600_000
const site = siteWith({ CRON_SCHEDULE: '0 0 * * *' })

const lease = (startedAt = NOON, runId = 'run-1', until = startedAt + 60_000) => ({ runId, startedAt, until })
const NEVER: SiteState = EMPTY_STATE
const ended = (status: RunStatus, change: Partial<SiteState> = {}): SiteState => ({
  ...NEVER,
  finishedRunId: 'run-1',
  lastExecution: { status } as NonNullable<SiteState['lastExecution']>,
  ...change,
})

describe('a site is due', () => {
  it('when it never ran', () => {
    expect(isDue(site, NEVER, null, NOON)).toBe(true)
  })

  it('never while it is switched off', () => {
    expect(isDue({ ...site, enabled: false }, NEVER, null, NOON)).toBe(false)
  })

  it('by its schedule, from the minute it names, counted from the last start', () => {
    expect(isDue(site, ended('success'), lease(), MIDNIGHT - 1)).toBe(false)
    expect(isDue(site, ended('success'), lease(), MIDNIGHT)).toBe(true)
    expect(isDue(site, ended('success'), lease(), MIDNIGHT + 14 * 60_000)).toBe(true)
    expect(isDue(site, ended('success'), lease(MIDNIGHT + 60_000), MIDNIGHT + 15 * 60_000)).toBe(false)
  })

  it('by a schedule of its own', () => {
    const hourly = { ...site, schedule: '30 * * * *' }
    expect(isDue(hourly, ended('success'), lease(), NOON + HOUR / 2 - 1)).toBe(false)
    expect(isDue(hourly, ended('success'), lease(), NOON + HOUR / 2)).toBe(true)
  })

  it.each<RunStatus>(['success', 'partial', 'failed'])('after %s no earlier than scheduled', (status) => {
    expect(isDue(site, ended(status), lease(), NOON + HOUR)).toBe(false)
  })

  it('not while another run holds it, but as soon as that one is known to have ended', () => {
    expect(isDue(site, ended('success'), lease(MIDNIGHT, 'run-2'), MIDNIGHT + 59_999)).toBe(false)
    expect(isDue(site, NEVER, lease(NOON), NOON + 1)).toBe(false)
    const checkpointed = ended('checkpointed', { finishedRunId: 'run-2', unfinished: { indexnow: 0 } })
    expect(isDue(site, checkpointed, lease(NOON, 'run-2'), NOON + 1)).toBe(true)
  })

  it('when the last run died: its lease ran out and nobody finished it', () => {
    expect(isDue(site, ended('success'), lease(NOON, 'run-2'), NOON + 60_000)).toBe(true)
    expect(isDue(site, NEVER, lease(NOON, 'run-1'), NOON + 60_000)).toBe(true)
  })

  it('when the lease is lost', () => {
    expect(isDue(site, ended('success'), null, NOON)).toBe(true)
  })

  it('N10 after a checkpoint at once, or when the first wait is over', () => {
    const cutShort = ended('checkpointed', { unfinished: { indexnow: 0 } })
    expect(isDue(site, cutShort, lease(), NOON + 900_000)).toBe(true)
    const waiting = ended('checkpointed', { unfinished: { indexnow: NOON + HOUR, bing: NOON + 2 * HOUR } })
    expect(isDue(site, waiting, lease(), NOON + HOUR - 1)).toBe(false)
    expect(isDue(site, waiting, lease(), NOON + HOUR)).toBe(true)
  })

  it('a manual run of one channel does not stand in for the scheduled run of all', () => {
    const ofBing = { ...lease(MIDNIGHT + 60_000), channel: 'bing', wholeStartedAt: NOON }
    expect(isDue(site, ended('success'), ofBing, MIDNIGHT + 15 * 60_000)).toBe(true)
    const after = { ...ofBing, wholeStartedAt: MIDNIGHT + 30_000 }
    expect(isDue(site, ended('success'), after, MIDNIGHT + 15 * 60_000)).toBe(false)
    const never = { ...lease(NOON), channel: 'bing' }
    expect(isDue(site, ended('success'), never, NOON + HOUR)).toBe(true)
  })

  it('as long as one channel is unfinished, even when a later run of another one succeeded', () => {
    const waiting = ended('success', { unfinished: { indexnow: 0 } })
    expect(isDue(site, waiting, lease(), NOON + 900_000)).toBe(true)
  })
})
