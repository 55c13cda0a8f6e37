import type { Clock, KeyValueStore, Logger, Sleep } from '../ports'
import { endpointId } from './fingerprint'
import { isExpired, type Lifetime } from './mark'
import { MarkLayers } from './mark-layers'
import type { MarkTable } from './mark-table'

const MS_PER_DAY = 86_400_000
const SECONDS_PER_DAY = 86_400
/** KV takes one write per key and second. */
const MIN_FLUSH_GAP_MS = 1_000

export interface UrlCacheOptions {
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly sleep: Sleep
  readonly logger: Logger
  readonly keyOf: (bucket: string) => string
  readonly ttlDays: number
  /** Addresses of the channel's endpoints. Their order decides the bits of every mask here, never those stored. */
  readonly endpoints: readonly string[]
}

interface Markable {
  readonly fingerprint: bigint
  readonly lastmod: number | null
}

export interface UrlMark {
  /** Of the last acceptance, counted from 1970. */
  readonly day: number
  readonly lastmod: number | null
  readonly accepted: number
  readonly rejected: number
  readonly expired: boolean
}

/** The marks as a scan asks them, in place. */
export interface MarkImage extends Lifetime {
  readonly recent: Uint8Array
  readonly buckets: readonly Uint8Array[]
  /** The bit of each endpoint, in the order given. */
  readonly bits: readonly number[]
}

/** What each endpoint of one channel has settled for one site. */
export class UrlCache {
  #unsaved = 0
  #oldestUnsaved = 0
  #lastFlush = Number.NEGATIVE_INFINITY
  #flushing: Promise<void> = Promise.resolve()
  /** What saving has come to so far. */
  readonly saved = { marks: 0, writes: 0 }
  #failures = 0

  private constructor(
    private readonly options: UrlCacheOptions,
    private readonly layers: MarkLayers,
  ) {}

  static async open(options: UrlCacheOptions): Promise<UrlCache> {
    const { ttlDays, endpoints } = options
    const layerOptions = {
      ...options,
      ttlSeconds: ttlDays * SECONDS_PER_DAY,
      endpoints: endpoints.map(endpointId),
    }
    return new UrlCache(options, await MarkLayers.open(layerOptions, lifetime(options)))
  }

  /** How often in a row saving has failed. */
  get failures(): number {
    return this.#failures
  }

  get unsaved(): number {
    return this.#unsaved
  }

  /** Whether anything readable was stored; without it nothing that relied on marks holds any more. */
  get found(): boolean {
    return this.layers.found
  }

  get image(): MarkImage {
    const { recent, buckets, bits } = this.layers
    return {
      recent: recent.bytes,
      buckets: buckets.map(({ bytes }) => bytes),
      bits,
      ...lifetime(this.options),
    }
  }

  /** One bit per endpoint, in the order given, that still has to hear of this URL. */
  missing({ fingerprint, lastmod }: Markable): number {
    const wanted = this.layers.bits.reduce((all, bit) => all | bit, 0)
    const table = this.layers.tableOf(fingerprint)
    return this.inOrder(table.missing(fingerprint, lastmod, wanted, lifetime(this.options)))
  }

  /** What is remembered of a URL, its masks in the order of the endpoints given; null when nothing is. */
  markOf(fingerprint: bigint): UrlMark | null {
    const mark = this.layers.tableOf(fingerprint).get(fingerprint)
    if (mark === null) return null
    return {
      day: mark.day,
      lastmod: mark.lastmod === 0 ? null : mark.lastmod,
      accepted: this.inOrder(mark.accepted),
      rejected: this.inOrder(mark.rejected),
      expired: isExpired(mark, lifetime(this.options)),
    }
  }

  /** A table's bits as a mask in the order of the endpoints given. */
  inOrder(tableBits: number): number {
    let mask = 0
    if (tableBits === 0) return mask
    for (const [index, bit] of this.layers.bits.entries()) if ((tableBits & bit) !== 0) mask |= 1 << index
    return mask
  }

  accept(url: Markable, endpoint: number): void {
    const life = lifetime(this.options)
    this.#tableFor(url, life).accept(url.fingerprint, url.lastmod, this.layers.bits[endpoint] ?? 0, life)
  }

  reject(url: Markable, endpoint: number): void {
    const life = lifetime(this.options)
    this.#tableFor(url, life).reject(url.fingerprint, url.lastmod, this.layers.bits[endpoint] ?? 0, life)
  }

  /** Saves when the oldest unsaved mark is older than `ms`, so that a kill never costs more than that. */
  async flushOlderThan(ms: number): Promise<void> {
    if (this.#unsaved > 0 && this.options.clock.now() - this.#oldestUnsaved >= ms) await this.flush()
  }

  /** Saves what is new, one write at a time and never two within a second. */
  flush(): Promise<void> {
    this.#flushing = this.#flushing.then(() => this.#save())
    return this.#flushing
  }

  async #save(): Promise<void> {
    if (this.#unsaved === 0) return
    const { clock, sleep, keyOf, logger } = this.options
    const wait = this.#lastFlush + MIN_FLUSH_GAP_MS - clock.now()
    if (wait > 0) await sleep(wait)
    const saving = this.#unsaved
    try {
      this.#unsaved = 0
      await this.layers.save(lifetime(this.options))
      this.saved.marks += saving
      this.saved.writes++
      this.#failures = 0
    } catch {
      // Accepted but not remembered: the next flush tries again, at worst the URLs are sent once more.
      this.#unsaved += saving
      this.#failures++
      logger.error('marks could not be saved', { key: keyOf('0'), marks: this.#unsaved })
    }
    this.#lastFlush = clock.now()
  }

  #tableFor({ fingerprint }: Markable, life: Lifetime): MarkTable {
    if (this.#unsaved++ === 0) this.#oldestUnsaved = this.options.clock.now()
    return this.layers.recentFor(fingerprint, life)
  }
}

function lifetime({ clock, ttlDays }: UrlCacheOptions): Lifetime {
  return { today: Math.floor(clock.now() / MS_PER_DAY), ttlDays }
}
