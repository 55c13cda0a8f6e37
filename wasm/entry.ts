// One entry of the sitemap, from its opening tag to its closing one, and the rows that come of it.
import {
  Count,
  INPUT,
  LOC as LOC_AREA,
  MAX_CHANNELS,
  MAX_ROWS,
  MAX_URL,
  MAX_VALUE,
  MISSING,
  NO_LASTMOD,
  ROWS,
  ROW_BYTES,
  TEXT,
  TEXT_BYTES,
  add,
} from './layout'
import { parseLastmod, period } from './lastmod'
import { Answer, consult } from './marks'
import { IMAGE, LASTMOD, LINK, LOC, NEWS, VIDEO, XHTML, isLocal, prefix, prefixHash } from './name'
import { isPlain } from './plain-url'
import {
  Field,
  closeValue,
  field,
  forgetValue,
  keepValue,
  openValue,
  valueAt,
  valueHasEntity,
  valueLength,
  valueTooLong,
} from './value'
import { xxh64 } from './xxh64'

export const enum Kind {
  pending,
  raw,
  child,
}

let seed: u64 = 0
let rows: i32 = 0
let textEnd: usize = TEXT
let isWaiting: bool = false

let itemPrefix: u32 = 0
let hasLoc: bool = false
let hasLastmod: bool = false
let locAt: usize = 0
let locLength: i32 = 0
let locTooLong: bool = false
let locHasEntity: bool = false
let locIsPlain: bool = false
let fingerprint: u64 = 0
let lastmod: i64 = NO_LASTMOD
let lastmodPeriod: i32 = 0

export function setSeed(value: u64): void {
  seed = value
}

@inline
export function openEntry(): void {
  itemPrefix = prefixHash
  hasLoc = false
  hasLastmod = false
  lastmod = NO_LASTMOD
  forgetValue()
}

/** An element directly in the entry. Only its own loc and lastmod count, the first of each. */
export function openChild(): void {
  if (prefixHash == itemPrefix) {
    if (isLocal(LOC)) {
      if (!hasLoc) openValue(Field.loc)
      return
    }
    if (isLocal(LASTMOD)) {
      if (!hasLastmod) openValue(Field.lastmod)
      return
    }
  }
  if (isLocal(IMAGE)) add(Count.image)
  else if (isLocal(VIDEO)) add(Count.video)
  else if (isLocal(NEWS)) add(Count.news)
  else if (isLocal(LINK)) add(Count.alternate)
  else if (isLocal(LOC)) addForeign()
}

/** The address of something else, right beside the entry's own. */
function addForeign(): void {
  if (prefix == IMAGE) add(Count.image)
  else if (prefix == VIDEO) add(Count.video)
  else if (prefix == NEWS) add(Count.news)
  else if (prefix == XHTML) add(Count.alternate)
  else add(Count.foreign)
}

export function closeChild(): void {
  const which = field
  closeValue()
  if (which == Field.loc) {
    hasLoc = true
    locAt = valueAt
    locLength = valueLength
    locTooLong = valueTooLong
    locHasEntity = valueHasEntity
    locIsPlain = !locTooLong && isPlain(locAt, locLength)
    // Already here, so that the processor can do it beside reading the rest of the entry.
    if (locIsPlain) fingerprint = xxh64(locAt, locLength, seed)
  } else {
    hasLastmod = true
    const isUsable = !valueTooLong && !valueHasEntity
    lastmod = isUsable ? parseLastmod(valueAt, valueLength) : NO_LASTMOD
    lastmodPeriod = period
  }
}

export function closeEntry(isIndex: bool): void {
  add(Count.entries)
  if (!hasLoc || locLength == 0) {
    add(Count.noLoc)
  } else if (locHasEntity) {
    add(Count.entity)
  } else if (locTooLong) {
    add(Count.tooLong)
  } else if (isIndex) {
    addRow(Kind.child)
    // An index child is skipped by the end of the period its lastmod names.
    store<u32>(ROWS + <usize>(rows - 1) * ROW_BYTES, lastmodPeriod, 28)
  } else if (!locIsPlain) {
    addRow(Kind.raw)
    // The caller asks about it before anything after it is read: of two spellings of a URL the first counts.
    isWaiting = true
  } else if (locLength > MAX_URL) {
    add(Count.tooLong)
  } else if (consult(fingerprint, lastmod) == Answer.pending) {
    addRow(Kind.pending)
  }
}

function addRow(kind: Kind): void {
  const row = ROWS + <usize>rows * ROW_BYTES
  writeAnswer(row, fingerprint)
  store<f64>(row, lastmod == NO_LASTMOD ? NaN : <f64>lastmod, 8)
  store<u32>(row, <u32>(textEnd - TEXT), 16)
  store<u32>(row, locLength, 20)
  store<u32>(row, kind, 24)
  memory.copy(textEnd, locAt, locLength)
  textEnd += locLength
  rows++
}

@inline
export function writeAnswer(row: usize, fingerprint: u64): void {
  store<u64>(row, fingerprint)
  store<u64>(row, load<u64>(MISSING), 32)
}

export function fingerprintOf(at: usize, length: usize): u64 {
  return xxh64(at, length, seed)
}

/** There is always room for one more row, so a full output can wait until the entry is over. */
@inline
export function isOutputFull(): bool {
  return isWaiting || rows >= MAX_ROWS || textEnd + MAX_VALUE > TEXT + TEXT_BYTES
}

export function takeRows(): i32 {
  const count = rows
  rows = 0
  textEnd = TEXT
  isWaiting = false
  return count
}

/** The input is about to change: whatever of this entry still lies in it moves out. */
export function keepEntry(): void {
  if (field != Field.none) keepValue()
  if (hasLoc && locAt >= INPUT && !locTooLong) {
    memory.copy(LOC_AREA, locAt, locLength)
    locAt = LOC_AREA
  }
}
