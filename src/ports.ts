/** Everything the product needs from the world outside. Entries and drivers implement these; nothing else touches it. */

export interface Clock {
  /** Milliseconds since 1970, UTC. */
  now(): number
}

/** Resolves after `ms`, or at once when `signal` aborts. Never rejects. */
export type Sleep = (ms: number, signal?: AbortSignal) => Promise<void>

export type Fetch = (url: string, init: RequestInit) => Promise<Response>

export interface Random {
  /** A number in [0, 1). */
  next(): number
  /** An id nobody else has. */
  id(): string
}

export type LogFields = Readonly<Record<string, unknown>>

export interface Logger {
  /** One line per URL: only wanted when someone is looking. */
  debug(message: string, fields?: LogFields): void
  /** Normal course of events. */
  info(message: string, fields?: LogFields): void
  /** Something went wrong and was recovered from. */
  warn(message: string, fields?: LogFields): void
  /** Something went wrong and stays wrong until somebody acts. */
  error(message: string, fields?: LogFields): void
  /** From now on this value leaves the log masked, wherever it turns up. */
  protect(secret: string): void
}

export interface PutOptions {
  /** Rounded up to the store's minimum of 60 seconds. */
  readonly ttlSeconds?: number
}

export interface KeyPage {
  readonly keys: readonly string[]
  /** Present while there is more. */
  readonly cursor?: string
}

/** A small, eventually consistent store: no compare-and-set, the last write wins, reads may be a minute old. */
export interface KeyValueStore {
  getText(key: string): Promise<string | null>
  getBytes(key: string): Promise<Uint8Array | null>
  /** Any number of keys; drivers split as their platform demands. The result holds every key asked for. */
  getTexts(keys: readonly string[]): Promise<ReadonlyMap<string, string | null>>
  put(key: string, value: string | Uint8Array, options?: PutOptions): Promise<void>
  delete(key: string): Promise<void>
  list(prefix: string, cursor?: string): Promise<KeyPage>
}

/** What one invocation may still do. Every outgoing request asks first. */
export interface Budget {
  /** Takes one request if more than `reserve` are left and there is time; false means: save what you know and stop. */
  takeRequest(reserve?: number): boolean
  /** Takes one of the last requests even when the time is over: what tells people about a run must not depend on that. */
  takeLast(): boolean
  requestsLeft(): number
  requestsMade(): number
  msLeft(): number
}

/** The scanner's core, compiled: a `WebAssembly.Module`. Where one may be compiled differs, so the entries bring it. */
export type ScannerModule = object

export interface Ports {
  readonly clock: Clock
  readonly sleep: Sleep
  readonly fetch: Fetch
  readonly random: Random
  readonly logger: Logger
  readonly store: KeyValueStore
  readonly scanner: ScannerModule
}
