import { Cron } from 'croner'

const FIELDS = 5
/** Every minute of the hour by name, and every hour of the day, fit into this. */
const MAX_LENGTH = 500

function parse(expression: string): Cron | null {
  // The library also reads dates and a seconds field; a tick every 15 minutes could keep neither promise.
  if (expression.length > MAX_LENGTH || expression.trim().split(/\s+/).length !== FIELDS) return null
  try {
    return new Cron(expression, { timezone: 'UTC' })
  } catch {
    return null
  }
}

/** True when the expression is a five-field cron line (UTC) that will ever come round. */
export function isSchedule(expression: string): boolean {
  return parse(expression)?.nextRun(new Date(0)) != null
}

/** The first moment after `afterMs` that the schedule names, or null when there is none. */
export function nextRunAfter(expression: string, afterMs: number): number | null {
  return parse(expression)?.nextRun(new Date(afterMs))?.getTime() ?? null
}
