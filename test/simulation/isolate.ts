import type { Application } from '../../src/compose'
import type { Fetch, KeyValueStore, Ports } from '../../src/ports'
import type { Chance } from './chance'
import type { RunTrack } from './judge'
import type { SimulatedTime } from './simulated-time'

/** What happens to one step of a run: a call of the store or the network. */
export type StepFault =
  | 'killed_before'
  | 'killed_after'
  | 'kv_failed'
  | 'kv_stale'
  | 'fetch_failed'
  | 'fetch_hung'

/** The part of the product that is put together; a planted bug is another build of it. */
export interface Product {
  compose(ports: Ports, configuration: never): Application
  configure(env: Readonly<Record<string, unknown>>): unknown
  createLogger(options: {
    clock: { now(): number }
    level: 'debug' | 'info' | 'warn' | 'error'
    write: (line: string) => void
  }): Ports['logger']
}

/** One call from outside: a tick or a request. */
export interface Invocation {
  readonly startedAt: number
  requests: number
  inFlight: number
  /** The run of each site in it. */
  readonly runs: Map<string, RunTrack>
  readonly lastWrites: Map<string, number>
}

export const never = <T>(): Promise<T> => new Promise<T>(() => {})

export interface IsolateOptions {
  readonly product: Product
  readonly env: Readonly<Record<string, unknown>>
  readonly time: SimulatedTime
  readonly chance: Chance
  readonly skewMs: number
  readonly logLevel: 'debug' | 'info' | 'warn'
  readonly scanner: object
  readonly fetch: (isolate: Isolate, url: string, init: RequestInit) => Promise<Response>
  readonly store: (isolate: Isolate) => KeyValueStore & { operations: number }
  readonly line: (line: string) => void
  /** Asked at every step; null lets it pass. */
  readonly faultAt: (isolate: Isolate, kind: 'kv_read' | 'kv_write' | 'fetch') => StepFault | null
  readonly staleRead: (keys: readonly string[]) => void
  readonly died: (isolate: Isolate) => void
}

/** A place where the product runs, one invocation at a time, until somebody kills it. */
export class Isolate {
  readonly app: Application
  readonly store: KeyValueStore & { operations: number }
  invocation: Invocation | null = null
  dead = false
  #die: () => void = () => {}

  constructor(private readonly options: IsolateOptions) {
    const { product, env, time, chance, skewMs, line, logLevel, scanner } = options
    const clock = { now: () => time.now + skewMs }
    this.store = options.store(this)
    const ports: Ports = {
      clock,
      sleep: async (ms, signal) => {
        if (this.dead) return never()
        await time.sleep(ms, signal)
        if (this.dead) return never()
      },
      fetch: this.#fetch,
      random: { next: () => chance.next(), id: () => chance.id() },
      logger: product.createLogger({ clock, level: logLevel, write: line }),
      store: this.#watched(),
      scanner,
    }
    this.app = product.compose(ports, product.configure(env) as never)
  }

  get idle(): boolean {
    return this.invocation === null && !this.dead
  }

  /** Does the work, until it is done or the isolate dies. */
  async invoke(work: (app: Application) => Promise<unknown>): Promise<void> {
    this.invocation = {
      startedAt: this.options.time.now,
      requests: 0,
      inFlight: 0,
      runs: new Map(),
      lastWrites: new Map(),
    }
    this.store.operations = 0
    const died = new Promise<void>((resolve) => {
      this.#die = resolve
    })
    await Promise.race([work(this.app).catch(() => {}), died])
  }

  kill(): void {
    if (this.dead) return
    this.dead = true
    this.options.died(this)
    this.#die()
  }

  readonly #fetch: Fetch = (url, init) =>
    this.#step('fetch', (fault) => {
      if (fault === 'fetch_failed') return Promise.reject(new TypeError('fetch failed'))
      if (fault === 'fetch_hung') return hanging(init.signal)
      return this.options.fetch(this, url, init)
    })

  #watched(): KeyValueStore {
    const { store } = this
    const read = <T>(keys: readonly string[], work: () => Promise<T>, stale: () => T) =>
      this.#step('kv_read', (fault) => {
        if (fault === 'kv_failed') {
          this.options.staleRead(keys)
          return Promise.reject(new Error('KV GET failed: 503'))
        }
        if (fault !== 'kv_stale') return work()
        this.options.staleRead(keys)
        return Promise.resolve(stale())
      })
    const write = (key: string, work: () => Promise<void>) =>
      this.#step('kv_write', (fault) => {
        if (fault !== 'kv_failed') return work()
        this.options.staleRead([key])
        return Promise.reject(new Error('KV PUT failed: 503'))
      })
    return {
      // Stale as stale can be: as if nothing had been written yet.
      getText: (key) =>
        read(
          [key],
          () => store.getText(key),
          () => null,
        ),
      getBytes: (key) =>
        read(
          [key],
          () => store.getBytes(key),
          () => null,
        ),
      getTexts: (keys) =>
        read(
          keys,
          () => store.getTexts(keys),
          () => new Map(keys.map((key) => [key, null])),
        ),
      put: (key, value, options) => write(key, () => store.put(key, value, options)),
      delete: (key) => write(key, () => store.delete(key)),
      list: (prefix, cursor) =>
        read(
          [],
          () => store.list(prefix, cursor),
          () => ({ keys: [] }),
        ),
    }
  }

  async #step<T>(
    kind: 'kv_read' | 'kv_write' | 'fetch',
    work: (fault: StepFault | null) => Promise<T>,
  ): Promise<T> {
    if (this.dead) return never()
    const fault = this.options.faultAt(this, kind)
    if (fault === 'killed_before') {
      this.kill()
      return never()
    }
    try {
      const result = await work(fault)
      if (fault === 'killed_after') this.kill()
      return this.dead ? never() : result
    } catch (error) {
      if (this.dead) return never()
      throw error
    }
  }
}

/** An answer that never comes, until somebody gives up waiting. */
export function hanging(signal: AbortSignal | null | undefined): Promise<never> {
  return new Promise((_, reject) => {
    signal?.addEventListener('abort', () => reject(new TypeError('aborted')))
  })
}
