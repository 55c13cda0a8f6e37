/**
 * Packed marks: an open-addressing table of 16-byte records, whose bytes are stored as they are (docs/storage.md).
 *
 *   header   'BKM1', u8 log2 of the slots, u8 log2 of the buckets beside this table (0: none), 2 bytes zero,
 *            u32 records, u32 zero, 8 × u64 the endpoint that owns each bit
 *   record   u64 fingerprint, u32 lastmod accepted (0: none), u16 day of acceptance (0: free slot),
 *            u8 accepted bits, u8 rejected bits
 *
 * Read and written as 32-bit words, little-endian like every machine this runs on: ten times cheaper than a DataView
 * with its BigInts, and growing a table of 50,000 marks is part of a run that has 10 ms.
 */
import {
  HEADER_WORDS,
  isExpired,
  isNewer,
  isTaken,
  type Lifetime,
  type Mark,
  marksOf,
  RECORD_WORDS,
  readMark,
  toStored,
  word,
  writeMark,
} from './mark'

const MAGIC = 0x314d4b42
const COUNT_WORD = 2
const ENDPOINTS_WORD = 4
/** Where the day of the first record is, in halves of a word, and from there to the next. */
const DAY_AT = HEADER_WORDS * 2 + 6
const DAY_STEP = RECORD_WORDS * 2
const MIN_LOG2 = 6
const MAX_LOG2 = 20
const MAX_BUCKET_BITS = 8
const MAX_LOAD = 0.7

export const MAX_ENDPOINTS = 8

export class MarkTable {
  #words: Uint32Array
  #mask: number

  private constructor(words: Uint32Array) {
    this.#words = words
    this.#mask = 2 ** log2Of(words) - 1
  }

  static empty(log2 = MIN_LOG2): MarkTable {
    const words = new Uint32Array(HEADER_WORDS + 2 ** log2 * RECORD_WORDS)
    words[0] = MAGIC
    words[1] = log2
    return new MarkTable(words)
  }

  /** The table in these bytes, or null when they are not one. */
  static parse(bytes: Uint8Array): MarkTable | null {
    if (bytes.byteLength < HEADER_WORDS * 4 || bytes.byteLength % 4 !== 0) return null
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4)
    const log2 = log2Of(words)
    const sized = words.length === HEADER_WORDS + 2 ** log2 * RECORD_WORDS
    if (words[0] !== MAGIC || log2 < MIN_LOG2 || log2 > MAX_LOG2 || !sized) return null
    // Each bucket is a read: more than there can be would keep a run busy with nothing else.
    if (word(words, 1) >>> 8 > MAX_BUCKET_BITS) return null
    // Written out: this loop runs before anything has been compiled, and calls would cost more than the whole scan.
    const days = new Uint16Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 2)
    let records = 0
    for (let at = DAY_AT; at < days.length; at += DAY_STEP) if (days[at] !== 0) records++
    // A full table would make a search for an unknown URL go round for ever.
    return records === words[COUNT_WORD] && records < 2 ** log2 ? new MarkTable(words) : null
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#words.buffer, this.#words.byteOffset, this.#words.byteLength)
  }

  get size(): number {
    return word(this.#words, COUNT_WORD)
  }

  /** Into how many buckets, as a power of two, older marks have been moved; 0 when there are none. */
  get bucketBits(): number {
    return (word(this.#words, 1) >>> 8) & 0xff
  }

  /** An empty table whose endpoints have the bits they have here. */
  emptyCopy(bucketBits = this.bucketBits): MarkTable {
    const copy = MarkTable.empty()
    copy.#words.set(this.#words.subarray(ENDPOINTS_WORD, HEADER_WORDS), ENDPOINTS_WORD)
    copy.#words[1] = MIN_LOG2 | (bucketBits << 8)
    return copy
  }

  /** The bit of an endpoint. A new one takes a free bit, or that of an endpoint no longer `configured`, wiped first. */
  bitOf(endpoint: bigint, configured: readonly bigint[]): number {
    const owners = this.owners()
    const own = owners.indexOf(endpoint)
    if (own >= 0) return 1 << own
    const free = owners.indexOf(0n)
    const index = free >= 0 ? free : owners.findIndex((owner) => !configured.includes(owner))
    if (index < 0) throw new RangeError(`at most ${MAX_ENDPOINTS} endpoints per channel`)
    if (free < 0) this.#wipe(1 << index)
    this.#words[ENDPOINTS_WORD + index * 2] = low(endpoint)
    this.#words[ENDPOINTS_WORD + index * 2 + 1] = high(endpoint)
    return 1 << index
  }

  owners(): bigint[] {
    return Array.from({ length: MAX_ENDPOINTS }, (_, i) => {
      const at = ENDPOINTS_WORD + i * 2
      return (BigInt(word(this.#words, at + 1)) << 32n) | BigInt(word(this.#words, at))
    })
  }

  /** Whether every bit that means something here means the same in the other table. */
  agreesWith(other: MarkTable): boolean {
    const owners = other.owners()
    return this.owners().every((owner, index) => owner === 0n || owner === owners[index])
  }

  has(fingerprint: bigint): boolean {
    return isTaken(this.#words, this.#find(low(fingerprint), high(fingerprint)))
  }

  /** The mark of this URL, or null. */
  get(fingerprint: bigint): Mark | null {
    const at = this.#find(low(fingerprint), high(fingerprint))
    return isTaken(this.#words, at) ? readMark(this.#words, at) : null
  }

  /** Which of the `wanted` bits still have to hear of this URL. */
  missing(fingerprint: bigint, lastmod: number | null, wanted: number, life: Lifetime): number {
    const mark = this.get(fingerprint)
    if (mark === null || isExpired(mark, life)) return wanted
    if (isNewer(toStored(lastmod), mark)) return wanted
    return wanted & ~(mark.accepted | mark.rejected)
  }

  accept(fingerprint: bigint, lastmod: number | null, bit: number, life: Lifetime): void {
    const at = this.#touch(low(fingerprint), high(fingerprint), toStored(lastmod), life)
    this.#words[at + 3] = (word(this.#words, at + 3) | (bit << 16)) & ~(bit << 24)
  }

  reject(fingerprint: bigint, lastmod: number | null, bit: number, life: Lifetime): void {
    const at = this.#touch(low(fingerprint), high(fingerprint), toStored(lastmod), life)
    this.#words[at + 3] = word(this.#words, at + 3) | (bit << 24)
  }

  /** This table and another together, without what has expired. Nothing either of them settled is forgotten. */
  mergedWith(other: MarkTable, configured: readonly bigint[], life: Lifetime): MarkTable {
    const merged = MarkTable.empty()
    for (const source of [this, other]) {
      const bits = source.owners().map((owner) => (owner === 0n ? 0 : merged.#bitForMerge(owner, configured)))
      for (const mark of marksOf(source.#words)) {
        const accepted = translate(mark.accepted, bits)
        const rejected = translate(mark.rejected, bits)
        merged.absorb({ ...mark, accepted, rejected }, life)
      }
    }
    // Buckets only ever become more: the smaller figure is a stale reading.
    merged.#words[1] = log2Of(merged.#words) | (Math.max(this.bucketBits, other.bucketBits) << 8)
    return merged
  }

  /** Takes in a mark whose bits mean what they mean here. */
  absorb(mark: Mark, life: Lifetime): void {
    if (isExpired(mark, life)) return
    const at = this.#touch(mark.low, mark.high, mark.lastmod, { ...life, today: mark.day })
    const present = readMark(this.#words, at)
    // Older than what is here: its endpoints have not heard of the newer change.
    if (isNewer(present.lastmod, mark)) return
    const accepted = present.accepted | mark.accepted
    const rejected = (present.rejected | mark.rejected) & ~accepted
    writeMark(this.#words, at, { ...present, accepted, rejected })
  }

  marks(): Generator<Mark> {
    return marksOf(this.#words)
  }

  #bitForMerge(owner: bigint, configured: readonly bigint[]): number {
    const owners = this.owners()
    // A ninth endpoint that nobody asks any more loses its marks: at worst a duplicate, should it come back.
    if (!owners.includes(owner) && !owners.includes(0n) && !configured.includes(owner)) return 0
    return this.bitOf(owner, configured)
  }

  /** The record for this URL at this lastmod; a newer lastmod or an expired record starts afresh. */
  #touch(lo: number, hi: number, lastmod: number, life: Lifetime): number {
    let at = this.#find(lo, hi)
    if (!isTaken(this.#words, at)) {
      if (this.size + 1 > (this.#mask + 1) * MAX_LOAD) {
        this.#growTo(log2Of(this.#words) + 1)
        at = this.#find(lo, hi)
      }
      this.#words[COUNT_WORD] = this.size + 1
    } else {
      const mark = readMark(this.#words, at)
      if (!isExpired(mark, life) && !isNewer(lastmod, mark)) return at
    }
    writeMark(this.#words, at, { low: lo, high: hi, lastmod, day: life.today, accepted: 0, rejected: 0 })
    return at
  }

  /** Where this URL's record is, or the free slot where it would be. */
  #find(lo: number, hi: number): number {
    let slot = lo & this.#mask
    for (;;) {
      const at = HEADER_WORDS + slot * RECORD_WORDS
      if (!isTaken(this.#words, at) || (this.#words[at] === lo && this.#words[at + 1] === hi)) return at
      slot = (slot + 1) & this.#mask
    }
  }

  #growTo(log2: number): void {
    const old = this.#words
    const grown = MarkTable.empty(log2).#words
    grown.set(old.subarray(COUNT_WORD, HEADER_WORDS), COUNT_WORD)
    grown[1] = log2 | (this.bucketBits << 8)
    this.#words = grown
    this.#mask = 2 ** log2 - 1
    for (let at = HEADER_WORDS; at < old.length; at += RECORD_WORDS) {
      if (!isTaken(old, at)) continue
      const to = this.#find(word(old, at), word(old, at + 1))
      for (let i = 0; i < RECORD_WORDS; i++) grown[to + i] = word(old, at + i)
    }
  }

  #wipe(bit: number): void {
    const keep = ~((bit << 16) | (bit << 24))
    for (let at = HEADER_WORDS + 3; at < this.#words.length; at += RECORD_WORDS) {
      this.#words[at] = word(this.#words, at) & keep
    }
  }
}

const log2Of = (words: Uint32Array): number => word(words, 1) & 0xff
const low = (fingerprint: bigint): number => Number(fingerprint & 0xffffffffn)
const high = (fingerprint: bigint): number => Number(fingerprint >> 32n)

function translate(bits: number, meaning: readonly number[]): number {
  let translated = 0
  for (let index = 0; index < MAX_ENDPOINTS; index++) {
    if ((bits & (1 << index)) !== 0) translated |= meaning[index] ?? 0
  }
  return translated
}
