import type { Sleep } from '../../src/ports'

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

/** Digests run on a thread of their own: time must not pass meanwhile, or the same seed would give two stories. */
let realWork = 0
const { subtle } = globalThis.crypto
for (const name of ['digest', 'importKey', 'sign'] as const) {
  const original = subtle[name].bind(subtle) as (...args: unknown[]) => Promise<unknown>
  Object.defineProperty(subtle, name, {
    value: async (...args: unknown[]) => {
      realWork++
      try {
        return await original(...args)
      } finally {
        realWork--
      }
    },
  })
}

const nextRound = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Time that passes only when nothing else can happen: years in seconds. */
export class SimulatedTime {
  readonly #sleepers: Sleeper[] = []

  constructor(private moment: number) {}

  get now(): number {
    return this.moment
  }

  readonly sleep: Sleep = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const sleeper: Sleeper = {
        at: this.moment + Math.max(0, ms),
        wake: () => {
          const index = this.#sleepers.indexOf(sleeper)
          if (index >= 0) this.#sleepers.splice(index, 1)
          signal?.removeEventListener('abort', sleeper.wake)
          resolve()
        },
      }
      this.#insert(sleeper)
      signal?.addEventListener('abort', sleeper.wake)
    })

  /** Lets everything happen that needs no time. */
  async settle(): Promise<void> {
    await nextRound()
    while (realWork > 0) await nextRound()
  }

  /** Goes on to that moment, waking whoever wakes on the way. */
  async until(moment: number): Promise<void> {
    await this.settle()
    for (let next = this.#sleepers[0]; next !== undefined && next.at <= moment; next = this.#sleepers[0]) {
      this.moment = Math.max(this.moment, next.at)
      next.wake()
      await this.settle()
    }
    this.moment = Math.max(this.moment, moment)
  }

  /** Lets time pass until the promise settles; false when nobody is asleep and it still has not. */
  async run(promise: Promise<unknown>): Promise<boolean> {
    let settled = false
    const settle = () => {
      settled = true
    }
    promise.then(settle, settle)
    await this.settle()
    while (!settled) {
      const next = this.#sleepers[0]
      if (next === undefined) return false
      this.moment = Math.max(this.moment, next.at)
      next.wake()
      await this.settle()
    }
    return true
  }

  /** In order of time; of several at one moment the one that lay down first comes first. */
  #insert(sleeper: Sleeper): void {
    let at = this.#sleepers.length
    while (at > 0 && (this.#sleepers[at - 1] as Sleeper).at > sleeper.at) at--
    this.#sleepers.splice(at, 0, sleeper)
  }
}
