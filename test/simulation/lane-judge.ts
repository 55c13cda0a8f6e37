import type { SimulatedTime } from './simulated-time'

const RATE_LIMIT_WAIT_MS = 60_000
const RETRY_BASE_MS = 1_000
const MAX_ATTEMPTS = 4
const MAX_IN_FLIGHT = 6
const MAX_IN_FLIGHT_PER_ENGINE = 3
const MIN_START_GAP_MS = 100

/** Watches how one run asks one endpoint: I8 for the pace, I9 for what is asked again and when. */
export class LaneJudge {
  #inFlight = 0
  #lastStart = Number.NEGATIVE_INFINITY
  #throttledAt = Number.NEGATIVE_INFINITY
  /** When requests failed in a way that is worth another try. */
  readonly #failedAt: number[] = []
  readonly #attempts = new Map<string, { count: number; status: number; startedAt: number }>()

  constructor(
    private readonly time: SimulatedTime,
    private readonly where: string,
    private readonly isBing: boolean,
    private readonly broken: (invariant: string, detail: string) => void,
  ) {}

  starts(urls: readonly string[], inFlightInAll: number): void {
    const { now } = this.time
    const { where } = this
    this.#inFlight++
    if (inFlightInAll > MAX_IN_FLIGHT) this.broken('I8', `${inFlightInAll} requests in flight`)
    if (this.#inFlight > MAX_IN_FLIGHT_PER_ENGINE)
      this.broken('I8', `${this.#inFlight} in flight for ${where}`)
    if (now - this.#lastStart < MIN_START_GAP_MS) this.broken('I8', `two starts within 100 ms for ${where}`)
    const sinceThrottled = now - this.#throttledAt
    if (sinceThrottled > 0 && sinceThrottled < RATE_LIMIT_WAIT_MS) {
      this.broken('I9', `asked again ${sinceThrottled} ms after a 429: ${where}`)
    }
    this.#lastStart = now
    const key = urls.join(' ')
    const before = this.#attempts.get(key)
    const count = (before?.count ?? 0) + 1
    this.#attempts.set(key, { count, status: 0, startedAt: now })
    if (count > MAX_ATTEMPTS) this.broken('I9', `attempt ${count} of one request: ${where}`)
    if (before !== undefined) this.#askedAgain(before, count - 1)
  }

  #askedAgain({ startedAt, status }: { readonly startedAt: number; readonly status: number }, nth: number) {
    const { now } = this.time
    // Requests of a batch that fail together wait together: the wait counts from the first of them.
    const since = this.#failedAt.find((at) => at >= startedAt) ?? now
    const isTransient = status === 0 || status >= 500
    // Waits after a 429 and after other trouble are counted each by itself.
    const doublings = this.#throttledAt === Number.NEGATIVE_INFINITY ? nth - 1 : 0
    if (isTransient && now - since < RETRY_BASE_MS * 2 ** doublings) {
      this.broken('I9', `retry ${nth} came ${now - since} ms after the failure: ${this.where}`)
    }
    const final = status >= 400 && status < 429 && !this.isBing
    if (final) this.broken('I9', `HTTP ${status} was asked again: ${this.where}`)
  }

  /** With status 0 for a request that got no answer. */
  ends(urls: readonly string[], status: number): void {
    this.#inFlight--
    const attempt = this.#attempts.get(urls.join(' '))
    if (attempt === undefined) return
    attempt.status = status
    if (status === 0 || status >= 429) this.#failedAt.push(this.time.now)
    if (status === 429 && attempt.startedAt > this.#throttledAt) this.#throttledAt = this.time.now
  }
}
