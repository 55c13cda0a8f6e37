import type { ExecutionRecord } from '../../src/domain/execution-record'
import { meaningOf } from '../../src/domain/reasons'
import { ENVIRONMENT_SITE_FIELDS } from '../../src/settings'

const COLUMNS = ['Engine', 'Total', 'Accepted', 'Failed', 'Waiting', 'Average ms'] as const

/** What is over by itself, or only needs time. */
const PASSING =
  /^(?:throttled|server_error|network|timeout|budget|not_before|engine_set_aside|key_check_pending|unreadable_answer|egress_throttled)/

/** The run in a few lines: what each engine took, what was left out, what went wrong, and what to do about it. */
export function summary(record: ExecutionRecord, { ofEnvironment = false } = {}): string {
  const { totalUrls, newUrls, cachedUrls, status } = record
  const found = `${totalUrls} URLs in the sitemap: ${newUrls} to submit, ${cachedUrls} already known.`
  const nothing = totalUrls === 0 && status === 'failed'
  const troubles = record.errors.flatMap(({ code, message, advice }) => {
    const next = advice ?? (PASSING.test(code) ? 'tried again by the next run' : null)
    return [`! ${message}`, ...(next === null ? [] : [`  → ${next}`])]
  })
  const lines = [
    nothing ? 'No sitemap was read, nothing was submitted.' : found,
    ...leftOut(record),
    ...(nothing ? [] : table(record)),
    ...(ofEnvironment ? troubles.map(inSettingNames) : troubles),
  ]
  return lines.join('\n')
}

function table({ engines }: ExecutionRecord): string[] {
  const rows = Object.entries(engines).map(([name, figures]) => [
    name,
    String(figures.total),
    String(figures.accepted),
    String(figures.failed + figures.rejected),
    String(figures.deferred),
    String(figures.averageMs),
  ])
  if (rows.length === 0) return []
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  return ['', line(COLUMNS), widths.map((width) => '─'.repeat(width)).join('──'), ...rows.map(line)]
}

function leftOut({ leftOut: reasons }: ExecutionRecord): string[] {
  return Object.entries(reasons).map(([code, count]) => {
    const why = (meaningOf(code) ?? '').replace(/^Left out: /, '')
    return `${count} left out, ${code}: ${why}`
  })
}

/** Whoever set up a site by the environment knows its settings, not the fields of the API. */
function inSettingNames(text: string): string {
  const named = text.replaceAll('`host`', ENVIRONMENT_SITE_FIELDS.host)
  return Object.entries(ENVIRONMENT_SITE_FIELDS).reduce(
    // Only names that cannot be mistaken for ordinary words.
    (words, [field, setting]) =>
      field === 'host' ? words : words.replaceAll(new RegExp(`\\b${field}\\b`, 'g'), setting),
    named,
  )
}

/** True when nothing is left to say to anybody. */
export function everythingAccepted({ status, engines }: ExecutionRecord): boolean {
  return (
    status === 'success' &&
    Object.values(engines).every(({ failed, rejected, deferred }) => failed + rejected + deferred === 0)
  )
}
