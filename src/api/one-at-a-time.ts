import { fail } from '../domain/problem'
import type { Scheduler } from '../pipeline/scheduler'
import type { Clock } from '../ports'

/** As long as a lease: a run that the runtime ended never says so, and must not lock its site for longer than that. */
const HOLD_MS = 60_000

/**
 * Starts a site once however many ask in the same moment. The store cannot tell them apart before the first lease is
 * written and seen; requests to one isolate can.
 */
export function oneAtATime(start: Scheduler['start'], clock: Clock): Scheduler['start'] {
  const startedAt = new Map<string, number>()
  return async (order) => {
    const { id } = order.site
    const wait = (startedAt.get(id) ?? Number.NEGATIVE_INFINITY) + HOLD_MS - clock.now()
    if (wait > 0) {
      const detail = `${id} is running: try again later`
      const retryAfterSeconds = Math.ceil(wait / 1000)
      return fail({ status: 409, code: 'already_running', detail, retryAfterSeconds })
    }
    startedAt.set(id, clock.now())
    const release = () => startedAt.delete(id)
    try {
      const started = await start(order)
      if (started.ok) started.value.record.then(release, release)
      else release()
      return started
    } catch (error) {
      release()
      throw error
    }
  }
}
