import type { Clock, Fetch, Random, Sleep } from '../ports'

/** The real world, as every runtime with web standards offers it. */

export const systemClock: Clock = { now: () => Date.now() }

export const systemSleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal?.addEventListener('abort', done)
  })

export const systemFetch: Fetch = (url, init) => fetch(url, init)

export const systemRandom: Random = { next: () => Math.random(), id: () => crypto.randomUUID() }
