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

const NAMES = ['minute', 'hour', 'day of month', 'month', 'day of week']
const MUST_BE = 'must be a cron line of five fields, such as "0 0 * * *" (UTC)'

/** Why it is no schedule, as the end of a sentence ("schedule …"), or null when it is one. */
export function scheduleRefusal(expression: string): string | null {
  if (parse(expression) !== null) return null
  const fields = expression.trim().split(/\s+/)
  if (expression.length > MAX_LENGTH) return `${MUST_BE}, at most ${MAX_LENGTH} characters long`
  if (fields.length !== FIELDS) return `${MUST_BE}: this has ${fields.length}`
  // Each field by itself, the others open.
  const wrong = fields.findIndex(
    (field, at) => read(NAMES.map((_, other) => (other === at ? field : '*')).join(' ')) === null,
  )
  return wrong === -1 ? `${MUST_BE}: this one never comes round` : `${MUST_BE}: its ${NAMES[wrong]} is wrong`
}

/** The first moment after `afterMs` that the schedule names, or null when there is none. */
export function nextRunAfter(expression: string, afterMs: number): number | null {
  return parse(expression)?.nextRun(new Date(afterMs))?.getTime() ?? null
}
