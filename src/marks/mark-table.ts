/**
 * The packed memory of one site and channel: an open-addressing table of 16-byte records, whose bytes are stored as they are.
 *
 *   header   'BKM1', u8 log2 of the slots, 3 bytes zero, u32 records, u32 zero, 8 × u64 the endpoint that owns each bit
 *   record   u64 fingerprint, u32 lastmod accepted (0: none), u16 day of acceptance (0: free slot),
 *            u8 accepted bits, u8 rejected bits
 */
const MAGIC = 0x314d4b42
const HEADER_BYTES = 80
const ENDPOINTS_AT = 16
const RECORD_BYTES = 16
const MIN_LOG2 = 6
const MAX_LOG2 = 20
const MAX_LOAD = 0.7
const SECONDS_PER_DAY = 86_400
const MAX_LASTMOD = 0xffffffff

export const MAX_ENDPOINTS = 8

/** A record as a merge sees it. */
interface Mark {
  readonly fingerprint: bigint
  readonly lastmod: number
  readonly day: number
  readonly accepted: number
  readonly rejected: number
}

export class MarkTable {
  #view: DataView
  #mask: number

  private constructor(view: DataView) {
    this.#view = view
    this.#mask = 2 ** view.getUint8(4) - 1
  }

  static empty(log2 = MIN_LOG2): MarkTable {
    const view = new DataView(new ArrayBuffer(HEADER_BYTES + 2 ** log2 * RECORD_BYTES))
    view.setUint32(0, MAGIC, true)
    view.setUint8(4, log2)
    return new MarkTable(view)
  }

  /** The table in these bytes, or null when they are not one. */
  static parse(bytes: Uint8Array): MarkTable | null {
    if (bytes.byteLength < HEADER_BYTES) return null
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const log2 = view.getUint8(4)
    const sized = bytes.byteLength === HEADER_BYTES + 2 ** log2 * RECORD_BYTES
    if (view.getUint32(0, true) !== MAGIC || log2 < MIN_LOG2 || log2 > MAX_LOG2 || !sized) return null
    const table = new MarkTable(view)
    let records = 0
    for (let at = HEADER_BYTES; at < view.byteLength; at += RECORD_BYTES) if (table.#day(at) !== 0) records++
    // A full table would make a search for an unknown URL go round for ever.
    return records === table.size && records < 2 ** log2 ? table : null
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.#view.buffer, this.#view.byteOffset, this.#view.byteLength)
  }

  get size(): number {
    return this.#view.getUint32(8, true)
  }

  /** The bit of an endpoint. A new one takes a free bit, or that of an endpoint no longer `configured`, wiped first. */
  bitOf(endpoint: bigint, configured: readonly bigint[]): number {
    const owners = this.#owners()
    const own = owners.indexOf(endpoint)
    if (own >= 0) return 1 << own
    const free = owners.indexOf(0n)
    const index = free >= 0 ? free : owners.findIndex((owner) => !configured.includes(owner))
    if (index < 0) throw new RangeError(`at most ${MAX_ENDPOINTS} endpoints per channel`)
    if (free < 0) this.#wipe(1 << index)
    this.#view.setBigUint64(ENDPOINTS_AT + index * 8, endpoint, true)
    return 1 << index
  }

  /** Which of the `wanted` bits still have to hear of this URL. */
  missing(
    fingerprint: bigint,
    lastmod: number | null,
    wanted: number,
    today: number,
    ttlDays: number,
  ): number {
    const at = this.#find(fingerprint)
    const day = this.#day(at)
    if (day === 0 || today - day >= ttlDays) return wanted
    if (isNewer(toStored(lastmod), { lastmod: this.#lastmod(at), day })) return wanted
    return wanted & ~(this.#view.getUint8(at + 14) | this.#view.getUint8(at + 15))
  }

  accept(fingerprint: bigint, lastmod: number | null, bit: number, today: number, ttlDays: number): void {
    const at = this.#touch(fingerprint, toStored(lastmod), today, ttlDays)
    this.#view.setUint8(at + 14, this.#view.getUint8(at + 14) | bit)
    this.#view.setUint8(at + 15, this.#view.getUint8(at + 15) & ~bit)
  }

  reject(fingerprint: bigint, lastmod: number | null, bit: number, today: number, ttlDays: number): void {
    const at = this.#touch(fingerprint, toStored(lastmod), today, ttlDays)
    this.#view.setUint8(at + 15, this.#view.getUint8(at + 15) | bit)
  }

  /** This table and another together, without what has expired. Nothing either of them settled is forgotten. */
  mergedWith(other: MarkTable, configured: readonly bigint[], today: number, ttlDays: number): MarkTable {
    const merged = MarkTable.empty()
    for (const source of [this, other]) {
      const bits = source
        .#owners()
        .map((owner) => (owner === 0n ? 0 : merged.#bitForMerge(owner, configured)))
      for (const mark of source.#marks()) {
        if (today - mark.day >= ttlDays) continue
        const translated = {
          ...mark,
          accepted: translate(mark.accepted, bits),
          rejected: translate(mark.rejected, bits),
        }
        merged.#absorb(translated, ttlDays)
      }
    }
    return merged
  }

  #bitForMerge(owner: bigint, configured: readonly bigint[]): number {
    const owners = this.#owners()
    // A ninth endpoint that nobody asks any more loses its marks: at worst a duplicate, should it come back.
    if (!owners.includes(owner) && !owners.includes(0n) && !configured.includes(owner)) return 0
    return this.bitOf(owner, configured)
  }

  #absorb(mark: Mark, ttlDays: number): void {
    const at = this.#touch(mark.fingerprint, mark.lastmod, mark.day, ttlDays)
    // Older than what is here: its endpoints have not heard of the newer change.
    if (isNewer(this.#lastmod(at), mark)) return
    this.#view.setUint8(at + 14, this.#view.getUint8(at + 14) | mark.accepted)
    this.#view.setUint8(
      at + 15,
      (this.#view.getUint8(at + 15) | mark.rejected) & ~this.#view.getUint8(at + 14),
    )
  }

  /** The record for this URL at this lastmod; a newer lastmod or an expired record starts afresh. */
  #touch(fingerprint: bigint, lastmod: number, today: number, ttlDays: number): number {
    let at = this.#find(fingerprint)
    const day = this.#day(at)
    if (day === 0) {
      if (this.size + 1 > (this.#mask + 1) * MAX_LOAD) {
        this.#grow()
        at = this.#find(fingerprint)
      }
      this.#view.setUint32(8, this.size + 1, true)
    } else if (today - day < ttlDays && !isNewer(lastmod, { lastmod: this.#lastmod(at), day })) {
      return at
    }
    this.#write(at, { fingerprint, lastmod, day: today, accepted: 0, rejected: 0 })
    return at
  }

  #find(fingerprint: bigint): number {
    let slot = Number(fingerprint & BigInt(this.#mask))
    for (;;) {
      const at = HEADER_BYTES + slot * RECORD_BYTES
      if (this.#day(at) === 0 || this.#view.getBigUint64(at, true) === fingerprint) return at
      slot = (slot + 1) & this.#mask
    }
  }

  #grow(): void {
    const marks = [...this.#marks()]
    const grown = MarkTable.empty(this.#view.getUint8(4) + 1)
    new Uint8Array(grown.#view.buffer).set(this.bytes.subarray(8, HEADER_BYTES), 8)
    for (const mark of marks) grown.#write(grown.#find(mark.fingerprint), mark)
    this.#view = grown.#view
    this.#mask = grown.#mask
  }

  *#marks(): Generator<Mark> {
    for (let at = HEADER_BYTES; at < this.#view.byteLength; at += RECORD_BYTES) {
      if (this.#day(at) === 0) continue
      yield {
        fingerprint: this.#view.getBigUint64(at, true),
        lastmod: this.#lastmod(at),
        day: this.#day(at),
        accepted: this.#view.getUint8(at + 14),
        rejected: this.#view.getUint8(at + 15),
      }
    }
  }

  #write(at: number, mark: Mark): void {
    this.#view.setBigUint64(at, mark.fingerprint, true)
    this.#view.setUint32(at + 8, mark.lastmod, true)
    this.#view.setUint16(at + 12, mark.day, true)
    this.#view.setUint8(at + 14, mark.accepted)
    this.#view.setUint8(at + 15, mark.rejected)
  }

  #wipe(bit: number): void {
    for (let at = HEADER_BYTES; at < this.#view.byteLength; at += RECORD_BYTES) {
      this.#view.setUint8(at + 14, this.#view.getUint8(at + 14) & ~bit)
      this.#view.setUint8(at + 15, this.#view.getUint8(at + 15) & ~bit)
    }
  }

  #owners(): bigint[] {
    return Array.from({ length: MAX_ENDPOINTS }, (_, i) =>
      this.#view.getBigUint64(ENDPOINTS_AT + i * 8, true),
    )
  }

  #day(at: number): number {
    return this.#view.getUint16(at + 12, true)
  }

  #lastmod(at: number): number {
    return this.#view.getUint32(at + 8, true)
  }
}

/** A change the mark does not know: a later lastmod, or, where it has none, one after the day of acceptance. */
function isNewer(lastmod: number, mark: Pick<Mark, 'lastmod' | 'day'>): boolean {
  if (lastmod === 0) return false
  return mark.lastmod === 0 ? Math.floor(lastmod / SECONDS_PER_DAY) > mark.day : lastmod > mark.lastmod
}

/** Zero means none, so the first second of 1970 moves by one. */
function toStored(lastmod: number | null): number {
  return lastmod === null ? 0 : Math.min(Math.max(Math.floor(lastmod), 1), MAX_LASTMOD)
}

function translate(bits: number, meaning: readonly number[]): number {
  let translated = 0
  for (let index = 0; index < MAX_ENDPOINTS; index++) {
    if ((bits & (1 << index)) !== 0) translated |= meaning[index] ?? 0
  }
  return translated
}
