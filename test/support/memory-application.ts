import { type Application, compose, configure } from '../../src/compose'
import type { LogLevel } from '../../src/domain/settings'
import type { Site } from '../../src/domain/site'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { createLogger } from '../../src/logger'
import type { Clock, Fetch, KeyValueStore, Logger, Random } from '../../src/ports'
import { readScannerModule } from './scanner-module'
import { createVirtualClock, type VirtualClock } from './virtual-clock'

export const TOKEN = 'a-token-of-32-characters-exactly'

const ENVIRONMENT = {
  ADMIN_TOKEN: TOKEN,
  SITEMAP_URL: 'https://shop.example/sitemap.xml',
  INDEXNOW_API_KEY: 'key-of-the-shop-0001',
}

export interface LogEntry {
  readonly level: LogLevel
  readonly message: string
  readonly [field: string]: unknown
}

/** The real logger, its lines kept. */
export function createLogCapture(clock: Clock, level: LogLevel = 'debug') {
  const lines: string[] = []
  const logger: Logger = createLogger({ clock, level, write: (line) => lines.push(line) })
  const entries = (wanted?: LogLevel): LogEntry[] =>
    lines
      .map((line) => JSON.parse(line) as LogEntry)
      .filter((entry) => wanted === undefined || entry.level === wanted)
  return { logger, lines, entries }
}

/** The same numbers for the same seed (mulberry32), and ids that count. */
export function createSeededRandom(seed: number): Random {
  let state = seed
  let ids = 0
  return {
    next() {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
    },
    id: () => `id-${seed}-${++ids}`,
  }
}

/** The environment's site under these settings. */
export function siteWith(env: Readonly<Record<string, unknown>> = {}): Site {
  const { environmentSite, problems } = configure({ ...ENVIRONMENT, ...env })
  if (environmentSite === null) throw new Error(problems.map(({ sentence }) => sentence).join(' '))
  return environmentSite
}

export interface MemoryApplication {
  readonly app: Application
  readonly clock: VirtualClock
  readonly store: KeyValueStore
  readonly log: ReturnType<typeof createLogCapture>
  /** Asks the application as its owner would, letting virtual time pass until it has answered. */
  call(path: string, init?: RequestInit): Promise<Response>
  tick(): Promise<void>
}

/** The whole application on a virtual clock, with its store in memory and a made-up internet. */
export function composeInMemory(options: {
  readonly env?: Readonly<Record<string, unknown>>
  readonly fetch: Fetch
  readonly startMs: number
  readonly seed?: number
  /** Puts something between the application and its store. */
  readonly wrapStore?: (store: KeyValueStore) => KeyValueStore
  /** Shared with another application, or standing between this one and its store. */
  readonly clock?: VirtualClock
  readonly store?: KeyValueStore
}): MemoryApplication {
  const clock = options.clock ?? createVirtualClock(options.startMs)
  const configuration = configure({ ...ENVIRONMENT, ...options.env })
  const log = createLogCapture(clock, configuration.settings.logLevel)
  const store = options.store ?? createMemoryStore(clock)
  const random = createSeededRandom(options.seed ?? 1)
  const ports = {
    clock,
    sleep: clock.sleep,
    fetch: options.fetch,
    random,
    logger: log.logger,
    store: options.wrapStore?.(store) ?? store,
    scanner: readScannerModule(),
  }
  const app = compose(ports, configuration)
  return {
    app,
    clock,
    store,
    log,
    async call(path, init = {}) {
      const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) }
      const request = new Request(`https://beckon.test${path}`, { ...init, headers })
      const kept: Promise<unknown>[] = []
      const response = await clock.run(app.fetch(request, { waitUntil: (work) => kept.push(work) }))
      await clock.run(Promise.allSettled(kept))
      return response
    },
    tick: () => clock.run(app.tick()),
  }
}
