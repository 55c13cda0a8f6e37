import { html, text } from './http-kit'
import { refusal } from './indexnow-rules'
import { DEFAULTS } from './limits'
import type { PretendBing } from './pretend-bing'
import type { FaultKind, FaultRequest, Target } from './shapes'
import type { Verdict } from './verdict'
import { acceptsNothing } from './verdict'

export interface Faults {
  add(fault: FaultRequest): void
  /** Uses up one turn of the first fault in the target's queue that fits the request. */
  take(target: Target, marks: readonly string[]): FaultKind | null
  reset(): void
}

interface Queued {
  fault: FaultRequest
  turnsLeft: number
}

export function createFaults(): Faults {
  let queue: Queued[] = []

  return {
    add(fault) {
      const turnsLeft = fault.times === null ? Number.POSITIVE_INFINITY : (fault.times ?? 1)
      queue.push({ fault, turnsLeft })
    },
    take(target, marks) {
      const found = queue.find(({ fault }) => fault.target === target && fits(fault.match, marks))
      if (!found) return null
      found.turnsLeft -= 1
      queue = queue.filter(({ turnsLeft }) => turnsLeft > 0)
      return found.fault
    },
    reset() {
      queue = []
    },
  }
}

function fits(match: string | undefined, marks: readonly string[]): boolean {
  return match === undefined || marks.some((mark) => mark.includes(match))
}

/** The answer a fault puts in place of the target's own; null: the target answers itself. */
export function faultVerdict(target: Target, fault: FaultKind, bing: PretendBing): Verdict | null {
  if (fault.kind === '5xx')
    return acceptsNothing(html(fault.status ?? DEFAULTS.SERVER_ERROR_STATUS, 'Server error'))
  if (fault.kind === 'answer') return acceptsNothing(text(fault.status, fault.body ?? ''))
  if (fault.kind === '429') return throttled(target, fault.retryAfter, bing)
  if (fault.kind !== 'refuse') return null
  if (target === 'bing') return bing.refuse({ name: 'InvalidApiKey' })
  if (target === 'site') return acceptsNothing(text(403, 'Forbidden'))
  return acceptsNothing(refusal(403, 'UserForbiddedToAccessSite', 'This user may not submit for the site'))
}

function throttled(target: Target, retryAfter: number | string | undefined, bing: PretendBing): Verdict {
  const { answer } =
    target === 'bing'
      ? bing.refuse({ name: 'ThrottleUser' })
      : acceptsNothing(refusal(429, 'TooManyRequests', 'Too many requests'))
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }
  return acceptsNothing({ ...answer, status: 429, headers: { ...answer.headers, ...headers } })
}
