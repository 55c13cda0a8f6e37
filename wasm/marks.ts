// The tables of all channels and the set of URLs this crawl has met.
import {
  BUCKET_BYTES,
  CHANNELS,
  CHANNEL_BYTES,
  Count,
  HEAP,
  MAX_CHANNELS,
  MISSING,
  NO_LASTMOD,
  add,
} from './layout'

// A channel: u32 buckets, u32 log2 of their number, i32 today, i32 days a mark lasts, u32 missing in this document,
// u32 oldest day in this document, u32 recent table, u32 mask of its slots. A bucket: u32 table, u32 mask of its slots,
// u32 wanted bits, u32 map of the slots met in this crawl, then for every set of the table's bits the same set in the
// caller's order.
const TABLE_HEADER: usize = 80
const RECORD_BYTES: usize = 16
const PAGE: usize = 65536
const FIRST_SLOTS: u32 = 4096
/** 32 MiB: past about three million new URLs a crawl no longer tells duplicates. */
const MAX_SLOTS: u32 = 1 << 22

export const enum Answer {
  known,
  duplicate,
  pending,
}

let top: usize = HEAP + 64
let channels: i32 = 0
let seen: usize = 0
let seenMask: u32 = 0
let seenCount: u32 = 0

export function allocate(bytes: usize): usize {
  const at = (top + 15) & ~15
  top = at + bytes
  reserve(top)
  return at
}

function reserve(end: usize): bool {
  const pages = <i32>((end + PAGE - 1) / PAGE) - memory.size()
  return pages <= 0 || memory.grow(pages) >= 0
}

/** Returns where the images of its buckets are to be described. */
export function addChannel(log2: i32, today: i32, ttlDays: i32): usize {
  if (channels == MAX_CHANNELS) unreachable()
  const at = CHANNELS + <usize>channels * CHANNEL_BYTES
  const buckets = allocate(BUCKET_BYTES << log2)
  store<u32>(at, <u32>buckets)
  store<u32>(at, log2, 4)
  store<i32>(at, today, 8)
  store<i32>(at, ttlDays, 12)
  channels++
  return buckets
}

export function beginMarks(): void {
  for (let c = 0; c < channels; c++) {
    const at = CHANNELS + <usize>c * CHANNEL_BYTES
    store<u32>(at, 0, 16)
    store<u32>(at, u32.MAX_VALUE, 20)
  }
}

/** Asks all tables about a URL met for the first time; what is missing lies in MISSING. */
export function consult(fingerprint: u64, lastmod: i64): Answer {
  const first = channels == 0 ? 0 : recordOf(CHANNELS, bucketOf(CHANNELS, fingerprint), fingerprint)
  if (!(first == 0 ? remember(fingerprint) : meet(first, fingerprint))) {
    add(Count.duplicates)
    return Answer.duplicate
  }
  // Zero means none, so the first second of 1970 moves by one.
  const stored: u32 = lastmod == NO_LASTMOD ? 0 : <u32>min<i64>(max<i64>(lastmod, 1), 0xffffffff)
  store<u64>(MISSING, 0)
  let all: u32 = 0
  let changed = false
  for (let c = 0; c < channels; c++) {
    const channel = CHANNELS + <usize>c * CHANNEL_BYTES
    const bucket = bucketOf(channel, fingerprint)
    const record = c == 0 ? first : recordOf(channel, bucket, fingerprint)
    let missing = load<u32>(bucket, 8)
    const day: u32 = load<u16>(record, 12)
    if (day != 0 && isAlive(<i32>day, load<i32>(channel, 8), load<i32>(channel, 12))) {
      if (isNewer(stored, load<u32>(record, 8), day)) {
        changed = true
      } else {
        missing &= ~(<u32>load<u8>(record, 14) | <u32>load<u8>(record, 15))
        if (day < load<u32>(channel, 20)) store<u32>(channel, day, 20)
      }
    }
    if (missing == 0) continue
    const translated: u32 = load<u8>(bucket + missing, 16)
    store<u8>(MISSING + c, translated)
    store<u32>(channel, load<u32>(channel, 16) | translated, 16)
    all |= translated
  }
  if (changed) add(Count.changed)
  if (all != 0) return Answer.pending
  add(Count.known)
  return Answer.known
}

@inline
function bucketOf(channel: usize, fingerprint: u64): usize {
  const log2 = load<u32>(channel, 4)
  const index: usize = log2 == 0 ? 0 : <usize>(fingerprint >> (64 - log2))
  return <usize>load<u32>(channel) + index * BUCKET_BYTES
}

/** A recent mark stands in for an older one. */
@inline
function recordOf(channel: usize, bucket: usize, fingerprint: u64): usize {
  const recent = locate(load<u32>(channel, 24), load<u32>(channel, 28), fingerprint)
  if (load<u16>(recent, 12) != 0) return recent
  return locate(load<u32>(bucket), load<u32>(bucket, 4), fingerprint)
}

/**
 * False when this crawl has met the URL before. One whose record lies in a bucket of the first channel is met by its slot,
 * which takes one bit; any other by its fingerprint. The tables stay as they are, so a URL is always met the same way.
 */
@inline
function meet(record: usize, fingerprint: u64): bool {
  const bucket = bucketOf(CHANNELS, fingerprint)
  const slot = (record - <usize>load<u32>(bucket) - TABLE_HEADER) / RECORD_BYTES
  // A record before the table gives a number past its end as well.
  if (load<u16>(record, 12) == 0 || slot > <usize>load<u32>(bucket, 4)) return remember(fingerprint)
  const at = <usize>load<u32>(bucket, 12) + (slot >> 3)
  const bit: u32 = 1 << (<u32>slot & 7)
  const met: u32 = load<u8>(at)
  store<u8>(at, met | bit)
  return (met & bit) == 0
}

@inline
function locate(table: usize, mask: u32, fingerprint: u64): usize {
  const records = table + TABLE_HEADER
  let slot = <u32>fingerprint & mask
  let at = records + <usize>slot * RECORD_BYTES
  while (load<u16>(at, 12) != 0 && load<u64>(at) != fingerprint) {
    slot = (slot + 1) & mask
    at = records + <usize>slot * RECORD_BYTES
  }
  return at
}

@inline
function isAlive(day: i32, today: i32, ttlDays: i32): bool {
  return today - day < ttlDays && day <= today + 1
}

@inline
function isNewer(lastmod: u32, known: u32, day: u32): bool {
  if (lastmod == 0 || lastmod == known) return false
  if (known == 0 || (lastmod < known && known / 86400 > day + 1)) return lastmod / 86400 > day
  return lastmod > known
}

/** False when this crawl has met it before. */
function remember(fingerprint: u64): bool {
  // Zero is a free slot.
  const key: u64 = fingerprint == 0 ? 1 : fingerprint
  if (seenCount * 10 >= (seenMask + 1) * 7) growSeen()
  let slot = <u32>key & seenMask
  let there = load<u64>(seen + (<usize>slot << 3))
  while (there != 0) {
    if (there == key) return false
    slot = (slot + 1) & seenMask
    there = load<u64>(seen + (<usize>slot << 3))
  }
  if (seenCount * 10 < (seenMask + 1) * 7) {
    store<u64>(seen + (<usize>slot << 3), key)
    seenCount++
  }
  return true
}

/** The set is the last thing in memory: it doubles in place, its old half set aside behind it for a moment. */
function growSeen(): void {
  const slots = seenMask + 1
  if (slots >= MAX_SLOTS) return
  const bytes = <usize>slots << 3
  const aside = seen + 2 * bytes
  if (!reserve(aside + bytes)) return
  memory.copy(aside, seen, bytes)
  memory.fill(seen, 0, 2 * bytes)
  seenMask = 2 * slots - 1
  for (let at = aside; at < aside + bytes; at += 8) {
    const key = load<u64>(at)
    if (key != 0) insert(key)
  }
}

function insert(key: u64): void {
  let slot = <u32>key & seenMask
  while (load<u64>(seen + (<usize>slot << 3)) != 0) slot = (slot + 1) & seenMask
  store<u64>(seen + (<usize>slot << 3), key)
}

/** After this nothing more is allocated. */
export function openSeen(): void {
  seen = allocate(FIRST_SLOTS << 3)
  seenMask = FIRST_SLOTS - 1
}
