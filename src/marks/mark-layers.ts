import type { KeyValueStore, Logger } from '../ports'
import type { Lifetime } from './mark'
import { MarkTable } from './mark-table'

/** Where recent marks lie, and all marks of a site that is not very large. */
const RECENT = '0'
/** More recent marks than this move into buckets: with them a value stays under 2 MiB, half of what is allowed. */
const MAX_RECENT = 80_000
/** Two bits at least, so that no bucket has the name of the recent table. */
const MIN_BUCKET_BITS = 2

export interface MarkLayersOptions {
  readonly store: KeyValueStore
  readonly logger: Logger
  /** A bucket's name is the leading bits of its fingerprints, or `0` for recent marks. */
  readonly keyOf: (bucket: string) => string
  readonly ttlSeconds: number
  /** Those asked now. */
  readonly endpoints: readonly bigint[]
}

/**
 * A site's marks as they are stored: one table of recent marks, written again and again, and for very large sites older
 * ones in buckets, written only when the recent table is full. A mark among the recent ones stands in for an older one.
 */
export class MarkLayers {
  recent = MarkTable.empty()
  buckets: readonly MarkTable[] = []
  /** The bit of each endpoint, the same in all tables. */
  bits: readonly number[] = []
  /** False when nothing readable was stored: nobody may conclude from it that something was ever accepted. */
  found = false
  /** The recent table as last seen in the store. */
  #stored: Uint8Array | null = null

  private constructor(private readonly options: MarkLayersOptions) {}

  static async open(options: MarkLayersOptions, life: Lifetime): Promise<MarkLayers> {
    const layers = new MarkLayers(options)
    const table = await layers.#readRecent()
    layers.found = table !== null
    await layers.#adopt(table ?? MarkTable.empty(), life)
    return layers
  }

  /** The table that knows this URL, if any does. */
  tableOf(fingerprint: bigint): MarkTable {
    if (this.buckets.length === 0 || this.recent.has(fingerprint)) return this.recent
    return this.buckets[Number(fingerprint >> BigInt(64 - this.recent.bucketBits))] ?? this.recent
  }

  /** The recent table, knowing of this URL what an older one knew. */
  recentFor(fingerprint: bigint, life: Lifetime): MarkTable {
    const table = this.tableOf(fingerprint)
    const mark = table === this.recent ? null : table.get(fingerprint)
    if (mark !== null) this.recent.absorb(mark, life)
    return this.recent
  }

  /** Writes what is new, merged with what another run may have written meanwhile. */
  async save(life: Lifetime): Promise<void> {
    const before = this.#stored
    const stored = await this.#readRecent()
    // Nearly always nobody else wrote, and comparing is far cheaper than merging.
    if (stored !== null && (before === null || !isSame(before, stored.bytes))) {
      await this.#adopt(this.recent.mergedWith(stored, this.options.endpoints, life), life)
    }
    if (this.recent.size > MAX_RECENT) await this.#moveIntoBuckets(life)
    this.#stored = await this.#write(RECENT, this.recent)
  }

  async #readRecent(): Promise<MarkTable | null> {
    const table = await this.#read(RECENT)
    this.#stored = table?.bytes.slice() ?? null
    return table
  }

  async #adopt(recent: MarkTable, life: Lifetime): Promise<void> {
    const { endpoints } = this.options
    const bits = recent.bucketBits
    if (bits !== this.recent.bucketBits) {
      const names = Array.from({ length: bits === 0 ? 0 : 2 ** bits }, (_, index) => nameOf(index, bits))
      this.buckets = await Promise.all(
        names.map(async (name) => (await this.#read(name)) ?? MarkTable.empty()),
      )
    }
    this.recent = recent
    this.bits = endpoints.map((endpoint) => recent.bitOf(endpoint, endpoints))
    this.buckets = this.buckets.map((bucket) =>
      bucket.agreesWith(recent) ? bucket : recent.emptyCopy(0).mergedWith(bucket, endpoints, life),
    )
  }

  /** Buckets first, the table that names them last: a kill in between leaves marks in two places, and loses none. */
  async #moveIntoBuckets(life: Lifetime): Promise<void> {
    const layers = [...this.buckets, this.recent]
    const total = layers.reduce((sum, { size }) => sum + size, 0)
    const bits = Math.max(MIN_BUCKET_BITS, this.recent.bucketBits, Math.ceil(Math.log2(total / MAX_RECENT)))
    const buckets = Array.from({ length: 2 ** bits }, () => this.recent.emptyCopy(0))
    for (const layer of layers) {
      for (const mark of layer.marks()) buckets[mark.high >>> (32 - bits)]?.absorb(mark, life)
    }
    for (const [index, bucket] of buckets.entries()) await this.#write(nameOf(index, bits), bucket)
    this.buckets = buckets
    this.recent = this.recent.emptyCopy(bits)
  }

  async #write(bucket: string, table: MarkTable): Promise<Uint8Array> {
    const { store, keyOf, ttlSeconds } = this.options
    // A copy: marks go on being made while it is on its way.
    const bytes = table.bytes.slice()
    await store.put(keyOf(bucket), bytes, { ttlSeconds })
    return bytes
  }

  async #read(bucket: string): Promise<MarkTable | null> {
    const { store, keyOf, logger } = this.options
    const key = keyOf(bucket)
    const bytes = await store.getBytes(key)
    if (bytes === null) return null
    const table = MarkTable.parse(bytes)
    if (table === null) {
      logger.error('stored marks are unreadable: their URLs are submitted again', {
        key,
        bytes: bytes.length,
      })
    }
    return table
  }
}

function nameOf(index: number, bits: number): string {
  return index.toString(2).padStart(bits, '0')
}

function isSame(one: Uint8Array, other: Uint8Array): boolean {
  if (one.length !== other.length) return false
  const words = (bytes: Uint8Array) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)
  const [a, b] = [words(one), words(other)]
  for (let at = 0; at < a.length; at++) if (a[at] !== b[at]) return false
  return true
}
