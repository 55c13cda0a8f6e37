import { z } from 'zod'
import type { ExecutionRecord } from '../domain/execution-record'

export const MAX_DAYS = 90
const MS_PER_DAY = 86_400_000
/** Sites have at most eight engines at a time; this many are remembered after they were replaced. */
const MAX_ENGINES = 32

const count = z.int().min(0)
const figures = z.object({ total: count, successful: count })

/** Sums of all runs of a site: per day for the statistics, per engine and channel since the beginning. */
export const dailySumsSchema = z.object({
  days: z.record(z.string(), z.object({ channels: z.record(z.string(), figures), kvWrites: count })),
  engines: z.record(
    z.string(),
    z.object({ accepted: count, at: z.string(), status: z.int().nullable(), ms: z.number() }),
  ),
  /** Per channel: the end of the last run that sent something. */
  lastSubmission: z.record(z.string(), z.string()),
})

export type DailySums = z.infer<typeof dailySumsSchema>
export type ChannelFigures = z.infer<typeof figures>

export const NO_SUMS: DailySums = { days: {}, engines: {}, lastSubmission: {} }

/** How the URLs of one channel ended in a run; failed ones are those that some engine did not take. */
export interface ChannelOutcome {
  readonly accepted: number
  readonly failed: number
}

export interface FinishedRun {
  readonly record: Pick<ExecutionRecord, 'timestamp' | 'durationMs' | 'engines' | 'batches' | 'kvWrites'>
  /** By channel id, those that took part. */
  readonly outcomes: Readonly<Record<string, ChannelOutcome>>
}

/** The sums with one more run in them. A run belongs to the UTC day it started on. Pure. */
export function addRun(sums: DailySums, { record, outcomes }: FinishedRun): DailySums {
  const date = record.timestamp.slice(0, 10)
  const ended = new Date(Date.parse(record.timestamp) + record.durationMs).toISOString()
  const today = sums.days[date] ?? { channels: {}, kvWrites: 0 }
  const channels = { ...today.channels }
  const lastSubmission = { ...sums.lastSubmission }
  for (const [channel, { accepted, failed }] of Object.entries(outcomes)) {
    const before = channels[channel] ?? { total: 0, successful: 0 }
    channels[channel] = { total: before.total + accepted + failed, successful: before.successful + accepted }
    if (accepted + failed > 0) lastSubmission[channel] = ended
  }
  const days = { ...sums.days, [date]: { channels, kvWrites: today.kvWrites + record.kvWrites } }
  return { days: lastDays(days, date), engines: addEngines(sums.engines, record, ended), lastSubmission }
}

function addEngines(
  known: DailySums['engines'],
  record: FinishedRun['record'],
  at: string,
): DailySums['engines'] {
  const engines = { ...known }
  for (const [name, { accepted }] of Object.entries(record.engines)) {
    const batch = record.batches.findLast(({ engine }) => engine === name)
    const before = engines[name]
    if (batch === undefined && before === undefined) continue
    const last = batch === undefined ? before : { at, status: batch.statusCode, ms: batch.ms }
    // Taken out and put back, so that engines no longer asked come first and are the first to be forgotten.
    delete engines[name]
    if (last !== undefined) engines[name] = { ...last, accepted: (before?.accepted ?? 0) + accepted }
  }
  return Object.fromEntries(Object.entries(engines).slice(-MAX_ENGINES))
}

function lastDays(days: DailySums['days'], newest: string): DailySums['days'] {
  const oldest = dateBefore(newest, MAX_DAYS - 1)
  return Object.fromEntries(Object.entries(days).filter(([date]) => date >= oldest))
}

function dateBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * MS_PER_DAY).toISOString().slice(0, 10)
}

export type DailyFigures = { readonly date: string } & Readonly<Record<string, ChannelFigures | string>>

/** One entry per day, the oldest first and today last, days without runs filled with zeros, over all the sums given. */
export function dailyFigures(
  all: readonly DailySums[],
  span: { readonly today: string; readonly days: number; readonly channels: readonly string[] },
): DailyFigures[] {
  return Array.from({ length: span.days }, (_, index) => {
    const date = dateBefore(span.today, span.days - 1 - index)
    const perChannel = span.channels.map((channel) => {
      const parts = all.map(({ days }) => days[date]?.channels[channel])
      const sum = (of: keyof ChannelFigures) => parts.reduce((total, part) => total + (part?.[of] ?? 0), 0)
      return [channel, { total: sum('total'), successful: sum('successful') }] as const
    })
    return { date, ...Object.fromEntries(perChannel) }
  })
}
