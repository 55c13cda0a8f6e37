import type { ExecutionRecord } from '../../src/domain/execution-record'

const COLUMNS = ['Engine', 'Total', 'Accepted', 'Failed', 'Waiting', 'Average ms'] as const

/** The run in a few lines: what each engine took, what went wrong, and what to do about it. */
export function summary(record: ExecutionRecord): string {
  const rows = Object.entries(record.engines).map(([name, figures]) => [
    name,
    String(figures.total),
    String(figures.accepted),
    String(figures.failed + figures.rejected),
    String(figures.deferred),
    String(figures.averageMs),
  ])
  const widths = COLUMNS.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
      )
      .join('  ')
  const { totalUrls, newUrls, cachedUrls } = record
  const found = `${totalUrls} URLs in the sitemap: ${newUrls} to submit, ${cachedUrls} already known.`
  const rule = widths.map((width) => '─'.repeat(width)).join('──')
  const troubles = record.errors.flatMap(({ message, advice }) => [
    `! ${message}`,
    ...(advice === undefined ? [] : [`  → ${advice}`]),
  ])
  return [found, '', line(COLUMNS), rule, ...rows.map(line), ...troubles].join('\n')
}

/** True when nothing is left to say to anybody. */
export function everythingAccepted({ status, engines }: ExecutionRecord): boolean {
  return (
    status === 'success' &&
    Object.values(engines).every(({ failed, rejected, deferred }) => failed + rejected + deferred === 0)
  )
}
