import type { Clock, Sleep } from '../../src/ports'

/** Rounds of the event loop after which everything that could run without time passing has run. */
const ROUNDS_TO_REST = 5
/** Without a sleeper only real work (a digest, an inflate) can go on; even on a busy machine it takes less than this. */
const REAL_MS_TO_GIVE_UP = 2_000

interface Sleeper {
  readonly at: number
  readonly wake: () => void
}

export interface VirtualClock extends Clock {
  readonly sleep: Sleep
  /** How many are asleep. */
  sleepers(): number
  /** Moves on by `ms`, waking on the way, in order of time, everyone whose time has come. */
  advance(ms: number): Promise<void>
  /** Lets time pass, from one sleeper to the next, until the promise settles. */
  run<T>(promise: Promise<T>): Promise<T>
}

/**
 * Time that passes only when nothing else can happen. Whatever it drives must do its work in memory: an inflate runs on a
 * thread of its own, in real time, and would look like doing nothing.
 */
export function createVirtualClock(startMs: number): VirtualClock {
  let now = startMs
  const sleepers = new Set<Sleeper>()

  const sleep: Sleep = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const sleeper: Sleeper = {
        at: now + Math.max(0, ms),
        wake: () => {
          sleepers.delete(sleeper)
          signal?.removeEventListener('abort', sleeper.wake)
          resolve()
        },
      }
      sleepers.add(sleeper)
      signal?.addEventListener('abort', sleeper.wake)
    })

  /** The first to wake; of several at one time the one that lay down first. */
  function earliest(): Sleeper | undefined {
    let first: Sleeper | undefined
    for (const sleeper of sleepers) if (first === undefined || sleeper.at < first.at) first = sleeper
    return first
  }

  async function rest(): Promise<void> {
    for (let round = 0; round < ROUNDS_TO_REST; round++) await nextRound()
  }

  function wake(sleeper: Sleeper): void {
    now = Math.max(now, sleeper.at)
    sleeper.wake()
  }

  return {
    now: () => now,
    sleep,
    sleepers: () => sleepers.size,

    async advance(ms) {
      const until = now + ms
      await rest()
      for (let next = earliest(); next !== undefined && next.at <= until; next = earliest()) {
        wake(next)
        await rest()
      }
      now = until
    },

    async run(promise) {
      let settled = false
      const settle = () => {
        settled = true
      }
      promise.then(settle, settle)
      let idleSince = performance.now()
      while (!settled) {
        await rest()
        const next = earliest()
        if (settled) break
        if (next !== undefined) {
          wake(next)
          idleSince = performance.now()
        } else if (performance.now() - idleSince > REAL_MS_TO_GIVE_UP) {
          throw new Error('nothing is asleep and nothing happens: the promise will never settle')
        }
      }
      return promise
    },
  }
}

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
