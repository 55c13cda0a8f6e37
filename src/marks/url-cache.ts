import type { Clock, KeyValueStore, Logger, Sleep } from '../ports'
import { endpointId } from './fingerprint'
import { MarkTable } from './mark-table'

const MS_PER_DAY = 86_400_000
const SECONDS_PER_DAY = 86_400
/** KV takes one write per key and second. */
const MIN_FLUSH_GAP_MS = 1_000

export interface UrlCacheOptions {
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly sleep: Sleep
  readonly logger: Logger
  readonly key: string
  readonly ttlDays: number
  /** Addresses of the channel's endpoints. Their order decides the bits of every mask here, never those stored. */
  readonly endpoints: readonly string[]
}

interface Markable {
  readonly fingerprint: bigint
  readonly lastmod: number | null
}

/** What each endpoint of one channel has settled for one site. */
export class UrlCache {
  readonly #options: UrlCacheOptions
  readonly #endpointIds: readonly bigint[]
  #table: MarkTable
  #bits: readonly number[]
  #unsaved = 0
  #oldestUnsaved = 0
  #lastFlush = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> = Promise.resolve()

  private constructor(options: UrlCacheOptions, table: MarkTable) {
    this.#options = options
    this.#endpointIds = options.endpoints.map(endpointId)
    this.#table = table
    this.#bits = this.#endpointIds.map((id) => table.bitOf(id, this.#endpointIds))
  }

  static async open(options: UrlCacheOptions): Promise<UrlCache> {
    return new UrlCache(options, await readTable(options))
  }

  get unsaved(): number {
    return this.#unsaved
  }

  /** One bit per endpoint, in the order given, that still has to hear of this URL. */
  missing({ fingerprint, lastmod }: Markable): number {
    const wanted = this.#bits.reduce((all, bit) => all | bit, 0)
    const missing = this.#table.missing(fingerprint, lastmod, wanted, this.#today(), this.#options.ttlDays)
    if (missing === 0) return 0
    let mask = 0
    for (const [index, bit] of this.#bits.entries()) if ((missing & bit) !== 0) mask |= 1 << index
    return mask
  }

  accept({ fingerprint, lastmod }: Markable, endpoint: number): void {
    this.#table.accept(fingerprint, lastmod, this.#bits[endpoint] ?? 0, this.#today(), this.#options.ttlDays)
    this.#changed()
  }

  reject({ fingerprint, lastmod }: Markable, endpoint: number): void {
    this.#table.reject(fingerprint, lastmod, this.#bits[endpoint] ?? 0, this.#today(), this.#options.ttlDays)
    this.#changed()
  }

  /** Saves when the oldest unsaved mark is older than `ms`, so that a kill never costs more than that. */
  async flushOlderThan(ms: number): Promise<void> {
    if (this.#unsaved > 0 && this.#options.clock.now() - this.#oldestUnsaved >= ms) await this.flush()
  }

  /** Saves what is new, one write at a time and never two within a second. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#save())
    return this.#flushing
  }

  async #save(): Promise<void> {
    if (this.#unsaved === 0) return
    const { clock, sleep, store, key, ttlDays, logger } = this.#options
    const wait = this.#lastFlush + MIN_FLUSH_GAP_MS - clock.now()
    if (wait > 0) await sleep(wait)
    let saving = 0
    try {
      const stored = await readTable(this.#options)
      this.#adopt(this.#table.mergedWith(stored, this.#endpointIds, this.#today(), ttlDays))
      saving = this.#unsaved
      this.#unsaved = 0
      this.#lastFlush = clock.now()
      await store.put(key, this.#table.bytes.slice(), { ttlSeconds: ttlDays * SECONDS_PER_DAY })
    } catch {
      // Accepted but not remembered: the next flush tries again, at worst the URLs are sent once more.
      this.#unsaved += saving
      logger.error('marks could not be saved', { key, marks: this.#unsaved })
    }
  }

  #adopt(table: MarkTable): void {
    this.#table = table
    this.#bits = this.#endpointIds.map((id) => table.bitOf(id, this.#endpointIds))
  }

  #changed(): void {
    if (this.#unsaved++ === 0) this.#oldestUnsaved = this.#options.clock.now()
  }

  #today(): number {
    return Math.floor(this.#options.clock.now() / MS_PER_DAY)
  }
}

async function readTable({ store, key, logger }: UrlCacheOptions): Promise<MarkTable> {
  const bytes = await store.getBytes(key)
  if (bytes === null) return MarkTable.empty()
  const table = MarkTable.parse(bytes)
  if (table === null) logger.error('stored marks are unreadable: their URLs are submitted again', { key })
  return table ?? MarkTable.empty()
}
