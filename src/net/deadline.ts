import type { Clock, Sleep } from '../ports'

/** A request's time. It stands still while its reader does something else, such as submitting what it has read so far. */
export class Deadline {
  readonly #startedAt: number
  #heldMs = 0
  #held: Promise<unknown> | null = null

  constructor(
    private readonly clock: Clock,
    private readonly sleep: Sleep,
    private readonly timeoutMs: number,
  ) {
    this.#startedAt = clock.now()
  }

  readonly hold = async <T>(work: () => Promise<T>): Promise<T> => {
    const from = this.clock.now()
    const held = work()
    this.#held = held
    try {
      return await held
    } finally {
      this.#held = null
      this.#heldMs += this.clock.now() - from
    }
  }

  /** Resolves when the time is over, or at once when the signal says that nobody cares any more. */
  async passed(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const left = this.#startedAt + this.#heldMs + this.timeoutMs - this.clock.now()
      if (this.#held !== null) await this.#held.catch(() => {})
      else if (left <= 0) return
      else await this.sleep(left, signal)
    }
  }
}
