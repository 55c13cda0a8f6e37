import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addRun,
  type DailySums,
  dailyFigures,
  dailySumsSchema,
  type FinishedRun,
  MAX_DAYS,
  NO_SUMS,
} from '../../src/records/daily-sums'

const DAY_MS = 86_400_000
const CHANNELS = ['indexnow', 'bing']

type RunRecord = FinishedRun['record']
const figures = { total: 0, accepted: 0, failed: 0, rejected: 0, deferred: 0, averageMs: 0 }

function run(
  timestamp: string,
  change: Partial<RunRecord> = {},
  outcomes: FinishedRun['outcomes'] = {},
): FinishedRun {
  return {
    record: { timestamp, durationMs: 1_500, engines: {}, batches: [], kvWrites: 3, ...change },
    outcomes,
  }
}

const batch = (engine: string, status: number | null) =>
  ({
    channel: 'indexnow',
    engine,
    number: 1,
    statusCode: status,
    ms: 7,
  }) as unknown as RunRecord['batches'][number]

describe('sums of runs', () => {
  it('add up per day and channel, a run belonging to the UTC day it started on', () => {
    let sums = NO_SUMS
    sums = addRun(sums, run('2026-11-17T23:59:59.000Z', {}, { indexnow: { accepted: 9, failed: 1 } }))
    sums = addRun(
      sums,
      run(
        '2026-11-18T00:00:00.000Z',
        {},
        { indexnow: { accepted: 5, failed: 0 }, bing: { accepted: 2, failed: 1 } },
      ),
    )
    sums = addRun(sums, run('2026-11-18T12:00:00.000Z', {}, { indexnow: { accepted: 1, failed: 1 } }))
    expect(sums.days).toEqual({
      '2026-11-17': { channels: { indexnow: { total: 10, successful: 9 } }, kvWrites: 3 },
      '2026-11-18': {
        channels: { indexnow: { total: 7, successful: 6 }, bing: { total: 3, successful: 2 } },
        kvWrites: 6,
      },
    })
  })

  it('remember of each engine what it accepted and its last answer, and of each channel its last submission', () => {
    const engines = { a: { ...figures, accepted: 4 } }
    let sums = addRun(
      NO_SUMS,
      run(
        '2026-11-18T00:00:00.000Z',
        { engines, batches: [batch('a', 202), batch('a', 200)] },
        { indexnow: { accepted: 4, failed: 0 } },
      ),
    )
    expect(sums.engines).toEqual({ a: { accepted: 4, at: '2026-11-18T00:00:01.500Z', status: 200, ms: 7 } })
    expect(sums.lastSubmission).toEqual({ indexnow: '2026-11-18T00:00:01.500Z' })
    // A run that had nothing to send asks nobody.
    sums = addRun(
      sums,
      run(
        '2026-11-19T00:00:00.000Z',
        { engines: { a: figures, b: figures } },
        { indexnow: { accepted: 0, failed: 0 } },
      ),
    )
    expect(sums.engines).toEqual({ a: { accepted: 4, at: '2026-11-18T00:00:01.500Z', status: 200, ms: 7 } })
    expect(sums.lastSubmission).toEqual({ indexnow: '2026-11-18T00:00:01.500Z' })
    sums = addRun(
      sums,
      run(
        '2026-11-20T00:00:00.000Z',
        { engines: { a: figures }, batches: [batch('a', null)] },
        { indexnow: { accepted: 0, failed: 3 } },
      ),
    )
    expect(sums.engines.a).toEqual({ accepted: 4, at: '2026-11-20T00:00:01.500Z', status: null, ms: 7 })
  })

  it('stay bounded: 90 days and 32 engines, however long a site lives', () => {
    let sums = NO_SUMS
    for (let day = 0; day < 400; day++) {
      const timestamp = new Date(Date.UTC(2026, 0, 1) + day * DAY_MS).toISOString()
      const name = `engine-${day}`
      const change = { engines: { [name]: { ...figures, accepted: 1 } }, batches: [batch(name, 200)] }
      sums = addRun(sums, run(timestamp, change, { indexnow: { accepted: 1, failed: 0 } }))
    }
    expect(Object.keys(sums.days)).toHaveLength(MAX_DAYS)
    expect(Object.keys(sums.engines)).toHaveLength(32)
    expect(sums.engines['engine-399']).toBeDefined()
    expect(JSON.stringify(sums).length).toBeLessThan(16_384)
  })

  it('B22 are shown as so many days in a row, none missing, whatever was stored', () => {
    const dated = fc
      .integer({ min: 0, max: 200 })
      .map((ago) => new Date(Date.UTC(2026, 10, 18) - ago * DAY_MS).toISOString())
    const outcome = fc.record({ accepted: fc.nat(1_000), failed: fc.nat(1_000) })
    const runs = fc.array(fc.tuple(dated, outcome), { maxLength: 30 })
    fc.assert(
      fc.property(runs, fc.integer({ min: 1, max: 90 }), (all, days) => {
        const ordered = [...all].sort(([a], [b]) => a.localeCompare(b))
        const sums = ordered.reduce<DailySums>(
          (before, [timestamp, indexnow]) => addRun(before, run(timestamp, {}, { indexnow })),
          NO_SUMS,
        )
        expect(dailySumsSchema.parse(JSON.parse(JSON.stringify(sums)))).toEqual(sums)
        const shown = dailyFigures([sums, NO_SUMS], { today: '2026-11-18', days, channels: CHANNELS })
        expect(shown).toHaveLength(days)
        expect(shown.at(-1)?.date).toBe('2026-11-18')
        for (const [index, { date, ...channels }] of shown.entries()) {
          expect(Date.parse(date)).toBe(Date.UTC(2026, 10, 18) - (days - 1 - index) * DAY_MS)
          expect(Object.keys(channels)).toEqual(CHANNELS)
          const that = ordered.filter(([timestamp]) => timestamp.startsWith(date)).map(([, one]) => one)
          const accepted = that.reduce((sum, one) => sum + one.accepted, 0)
          const failed = that.reduce((sum, one) => sum + one.failed, 0)
          expect(channels.indexnow).toEqual({ total: accepted + failed, successful: accepted })
        }
      }),
    )
  })
})
