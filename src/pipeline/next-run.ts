import { nextRunAfter, TICKS } from '../domain/schedule'
import type { Site } from '../domain/site'
import { isLive, type Lease, wholeStartOf } from '../records/run-lease'
import type { SiteState } from '../records/site-state'
import { isDue } from './scheduler'

/** The tick at which the schedule will run this site next, in milliseconds; null when it never will. */
export function nextRun(site: Site, state: SiteState, lease: Lease | null, now: number): number | null {
  if (!site.enabled) return null
  const moment = isDue(site, state, lease, now) ? now : nextMoment(site, state, lease, now)
  // A tick at that very moment is in time.
  return moment === null ? null : nextRunAfter(TICKS, Math.max(moment, now) - 1)
}

function nextMoment(site: Site, state: SiteState, lease: Lease | null, now: number): number | null {
  const running = isLive(lease, state.finishedRunId, now)
  const scheduled = nextRunAfter(site.schedule, lease === null ? now : wholeStartOf(lease))
  const moments = [
    ...(running ? [] : Object.values(state.unfinished)),
    ...(scheduled === null ? [] : [scheduled]),
  ]
  return moments.length === 0 ? null : Math.min(...moments)
}
