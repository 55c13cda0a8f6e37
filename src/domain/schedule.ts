import { Cron } from 'croner'

/** When the Worker wakes: `triggers` in wrangler.jsonc. */
export const TICKS = '*/15 * * * *'

const FIELDS = 5
/** Every minute of the hour by name, and every hour of the day, fit into this. */
const MAX_LENGTH = 500

/** Most sites share a few schedules, and reading one costs more than all the rest of asking whether a site is due. */
const known = new Map<string, Cron | null>()
const MAX_KNOWN = 1_000

/** A five-field cron line (UTC) that will ever come round; anything else is null. */
function parse(expression: string): Cron | null {
  const before = known.get(expression)
  if (before !== undefined) return before
  if (known.size >= MAX_KNOWN) known.clear()
  const schedule = read(expression)
  known.set(expression, schedule)
  return schedule
}

function read(expression: string): Cron | null {
  // The library also reads dates and a seconds field; a tick every 15 minutes could keep neither promise.
  if (expression.length > MAX_LENGTH || expression.trim().split(/\s+/).length !== FIELDS) return null
  try {
    const schedule = new Cron(expression, { timezone: 'UTC' })
    return schedule.nextRun(new Date(0)) === null ? null : schedule
  } catch {
    return null
  }
}

export function isSchedule(expression: string): boolean {
  return parse(expression) !== null
}

/** The first moment after `afterMs` that the schedule names, or null when there is none. */
export function nextRunAfter(expression: string, afterMs: number): number | null {
  return parse(expression)?.nextRun(new Date(afterMs))?.getTime() ?? null
}
