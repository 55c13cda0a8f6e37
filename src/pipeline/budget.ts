import type { Channel } from '../channels/channel'
import type { Site } from '../domain/site'
import type { Budget, Clock } from '../ports'

/** Requests the crawl leaves for what comes after it. */
export const RESERVE = {
  PER_ENDPOINT: 2,
  ALERT: 1,
  /** Of the run's time, per endpoint of the channels that come later. */
  TIME_SHARE_PER_ENDPOINT: 0.1,
} as const

/** However many channels come later, the first one keeps most of the time. */
const MAX_TIME_SHARE = 0.4

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
    requestsLeft: () => limits.requests - made,
    requestsMade: () => made,
    msLeft,
  }
}

/** What must stay in the budget for these channels to say anything at all. */
export function reserveFor(channels: readonly { readonly channel: Channel }[], site: Site): number {
  return channels.reduce((sum, { channel }) => sum + channel.endpoints(site).length * RESERVE.PER_ENDPOINT, 0)
}

/** Milliseconds that the channels before these must leave them. */
export function timeReserveFor(
  channels: readonly { readonly channel: Channel }[],
  site: Site,
  runTimeMs: number,
): number {
  const endpoints = channels.reduce((sum, { channel }) => sum + channel.endpoints(site).length, 0)
  return Math.floor(runTimeMs * Math.min(endpoints * RESERVE.TIME_SHARE_PER_ENDPOINT, MAX_TIME_SHARE))
}

/** The same budget, its time ending earlier. */
export function leavingTime(budget: Budget, reserveMs: number): Budget {
  const msLeft = () => Math.max(0, budget.msLeft() - reserveMs)
  return {
    ...budget,
    takeRequest: (reserve) => msLeft() > 0 && budget.takeRequest(reserve),
    msLeft,
  }
}
