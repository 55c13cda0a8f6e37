import type { Clock, Sleep } from '../ports'

/** Lets at most `limit` holders in at a time, in the order they came. */
export class Gate {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(limit: number) {
    this.#free = limit
  }

  async enter(): Promise<void> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  leave(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free++
    else next()
  }
}

export interface LaneOptions {
  readonly concurrency: number
  readonly intervalMs: number
  /** Shared by all lanes of an invocation. */
  readonly gate: Gate
  readonly clock: Clock
  readonly sleep: Sleep
}

/** The way to one engine: a few requests at a time, their starts kept apart. */
export class Lane {
  readonly #options: LaneOptions
  #intervalMs: number
  #pausedUntil = Number.NEGATIVE_INFINITY
  #lastStart: Promise<number> = Promise.resolve(Number.NEGATIVE_INFINITY)

  constructor(options: LaneOptions) {
    this.#options = options
    this.#intervalMs = options.intervalMs
  }

  /** Nothing starts here before that moment; what is in flight goes on. */
  pauseUntil(moment: number): void {
    this.#pausedUntil = Math.max(this.#pausedUntil, moment)
  }

  /** From now on starts keep twice the distance. */
  slowDown(): void {
    this.#intervalMs *= 2
  }

  /** Works through the items, never rejecting for one of them: `work` turns trouble into a value itself. */
  async each<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
    let next = 0
    const worker = async (): Promise<void> => {
      for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
    }
    await Promise.all(Array.from({ length: Math.min(this.#options.concurrency, items.length) }, worker))
  }

  /** Runs one request when it is its turn. Retries pass here too, so that they keep the distance as well. */
  async request<T>(send: () => Promise<T>): Promise<T> {
    await this.#turn()
    try {
      return await send()
    } finally {
      this.#options.gate.leave()
    }
  }

  // Chained on the start that really happened, not on the planned one: a late timer must not bring two starts together.
  // The gate comes last: a lane that waits out a pause must not keep the others from it.
  async #turn(): Promise<void> {
    const { clock, sleep, gate } = this.#options
    const start = this.#lastStart.then(async (last) => {
      const wait = () => Math.max(last + this.#intervalMs, this.#pausedUntil) - clock.now()
      for (;;) {
        for (let ms = wait(); ms > 0; ms = wait()) await sleep(ms)
        await gate.enter()
        // Somebody may have been told to pause while this one stood at the gate.
        if (wait() <= 0) return clock.now()
        gate.leave()
      }
    })
    this.#lastStart = start
    await start
  }
}
