import type { Channel } from '../channels/channel'
import type { Site } from '../domain/site'
import type { Budget, Clock } from '../ports'

/** Requests the crawl leaves for what comes after it. */
export const RESERVE = {
  PER_ENDPOINT: 2,
  ALERT: 1,
  /** Of the time, for each channel that comes after another: a tenth of all there is, at most this long. */
  TIME_SHARE: 0.1,
  TIME_MS: 30_000,
} as const

/** What one invocation may do, in time and requests. All sites of a tick share it: the platform counts that way too. */
export function createBudget(clock: Clock, limits: { timeMs: number; requests: number }): Budget {
  const startedAt = clock.now()
  let made = 0
  const msLeft = () => Math.max(0, startedAt + limits.timeMs - clock.now())
  return {
    takeRequest(reserve = 0) {
      if (limits.requests - made <= reserve || msLeft() === 0) return false
      made++
      return true
    },
    takeLast() {
      if (made >= limits.requests) return false
      made++
      return true
    },
    requestsLeft: () => limits.requests - made,
    requestsMade: () => made,
    msLeft,
  }
}

/** What must stay in the budget for these channels to say anything at all. */
export function reserveFor(channels: readonly { readonly channel: Channel }[], site: Site): number {
  return channels.reduce((sum, { channel }) => sum + channel.endpoints(site).length * RESERVE.PER_ENDPOINT, 0)
}

/** Below this there is no time to get anything done. */
export const leastTime = (timeMs: number): number => Math.min(timeMs * RESERVE.TIME_SHARE, RESERVE.TIME_MS)

/** The same budget for a channel that must leave some of the time to those after it. */
export function leavingTime(budget: Budget, timeMs: number, channelsAfter: number): Budget {
  const kept = channelsAfter * leastTime(timeMs)
  return { ...budget, msLeft: () => Math.max(0, budget.msLeft() - kept) }
}

/** Requests a site needs to get anywhere: with less it would only lose its turn. The root and one child, then its reserve. */
export function leastFor(channels: readonly Channel[], site: Site): number {
  return (
    2 +
    RESERVE.ALERT +
    reserveFor(
      channels.map((channel) => ({ channel })),
      site,
    )
  )
}
