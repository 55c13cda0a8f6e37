// The text of the loc or lastmod being read. It stays where it lies in the input while it is one piece; a second piece or
// the end of the chunk moves it to an area of its own, capped.
import { Count, INPUT, LOC, MAX_VALUE, MOD, SLACK, add } from './layout'
import { dropBlanks, isBlank, skipBlanks } from './find'

export const enum Field {
  none,
  loc,
  lastmod,
}

export let field: Field = Field.none
export let valueAt: usize = 0
export let valueLength: i32 = 0
/** Longer than any value may be. */
export let valueTooLong: bool = false
/** Uses an entity that only a DOCTYPE could explain. */
export let valueHasEntity: bool = false
let area: usize = 0
let reference: i32 = 0

export function openValue(which: Field): void {
  field = which
  area = which == Field.loc ? LOC : MOD
  valueAt = area
  valueLength = 0
  valueTooLong = false
  valueHasEntity = false
}

/** Cuts blanks off its end and judges its length. */
export function closeValue(): void {
  field = Field.none
  valueLength = <i32>(dropBlanks(valueAt, valueAt + valueLength) - valueAt)
  if (valueLength > MAX_VALUE) valueTooLong = true
}

export function forgetValue(): void {
  field = Field.none
}

/** A piece of text of the value, from the input. */
@inline
export function take(from: usize, end: usize): void {
  if (valueLength == 0) {
    const start = skipBlanks(from, end)
    valueAt = start
    valueLength = <i32>(end - start)
    if (valueLength == 0) valueAt = area
  } else {
    append(from, end)
  }
}

function append(from: usize, end: usize): void {
  keepValue()
  const room = MAX_VALUE - valueLength
  const length = <i32>(end - from)
  const taken = max(0, min(room, length))
  memory.copy(area + valueLength, from, taken)
  valueLength += taken
  if (taken < length && skipBlanks(from + taken, end) < end) valueTooLong = true
}

export function takeByte(c: u32): void {
  keepValue()
  if (valueLength == 0 && isBlank(c)) return
  if (valueLength < MAX_VALUE) store<u8>(area + valueLength++, c)
  else if (!isBlank(c)) valueTooLong = true
}

/** Out of the input, which is about to change. */
export function keepValue(): void {
  if (valueAt < INPUT) return
  const length = min(valueLength, MAX_VALUE)
  if (length < valueLength && skipBlanks(valueAt + length, valueAt + valueLength) < valueAt + valueLength) {
    valueTooLong = true
  }
  memory.copy(area, valueAt, length)
  valueAt = area
  valueLength = length
}

/** An ampersand: what follows is kept as written until it proves to be a reference. */
export function openReference(): void {
  keepValue()
  reference = valueLength
  store<u8>(area + valueLength++, 0x26)
}

/** False when this byte cannot belong to a reference. */
export function continuesReference(c: u32): bool {
  const nth = valueLength - reference
  if (c == 0x23) {
    if (nth != 1) return false
  } else if (nth > 1 && load<u8>(area + reference, 1) == 0x23) {
    const isHex = nth > 2 && (load<u8>(area + reference, 2) | 0x20) == 0x78
    if (nth == 2 && c == 0x78) {
      // The x of a hexadecimal one.
    } else if (!(c - 0x30 < 10 || (isHex && (c | 0x20) - 0x61 < 6))) {
      return false
    }
  } else if (!isNameByte(c) || (nth == 1 && !isNameStart(c))) {
    return false
  }
  if (valueLength < MAX_VALUE + SLACK) store<u8>(area + valueLength++, c)
  else valueTooLong = true
  return true
}

/** It was no reference: the ampersand stands for itself, as so many writers mean it. */
export function refuseReference(): void {
  add(Count.bareAmpersands)
  capValue()
}

/** The semicolon came. */
export function closeReference(): void {
  const at = area + reference + 1
  const length = valueLength - reference - 1
  const point = load<u8>(at) == 0x23 ? codePoint(at + 1, area + valueLength) : namedCharacter(at, length)
  if (point == 0) {
    valueHasEntity = true
    capValue()
    return
  }
  valueLength = reference
  takePoint(point)
}

/** Whether anything that could name a character stands between ampersand and semicolon. */
export function isReferenceWhole(): bool {
  const length = valueLength - reference
  if (length < 2) return false
  if (load<u8>(area + reference, 1) != 0x23) return true
  return length > 3 || (length == 3 && load<u8>(area + reference, 2) != 0x78)
}

function capValue(): void {
  if (valueLength <= MAX_VALUE) return
  valueLength = MAX_VALUE
  valueTooLong = true
}

export function isNameStart(c: u32): bool {
  return (c | 0x20) - 0x61 < 26 || c == 0x5f || c == 0x3a || c >= 0x80
}

function isNameByte(c: u32): bool {
  return isNameStart(c) || c - 0x30 < 10 || c == 0x2d || c == 0x2e
}

function namedCharacter(at: usize, length: i32): u32 {
  if (length == 3 && load<u8>(at) == 0x61 && load<u16>(at, 1) == 0x706d) return 0x26
  if (length == 2 && load<u16>(at) == 0x746c) return 0x3c
  if (length == 2 && load<u16>(at) == 0x7467) return 0x3e
  if (length == 4 && load<u32>(at) == 0x746f7571) return 0x22
  if (length == 4 && load<u32>(at) == 0x736f7061) return 0x27
  return 0
}

/** The number of a numeric reference, or 0 when XML has no such character. */
function codePoint(from: usize, end: usize): u32 {
  let value: u32 = 0
  const isHex = load<u8>(from) == 0x78
  for (let at = isHex ? from + 1 : from; at < end; at++) {
    const c: u32 = load<u8>(at)
    const digit = c < 0x3a ? c - 0x30 : (c | 0x20) - 0x57
    value = isHex ? value * 16 + digit : value * 10 + digit
    if (value > 0x10ffff) return 0
  }
  if (value < 0x20) return value == 9 || value == 10 || value == 13 ? value : 0
  return value - 0xd800 < 0x800 || value - 0xfffe < 2 ? 0 : value
}

function takePoint(point: u32): void {
  if (point < 0x80) {
    takeByte(point)
    return
  }
  if (point < 0x800) {
    takeByte(0xc0 | (point >> 6))
  } else {
    if (point < 0x10000) {
      takeByte(0xe0 | (point >> 12))
    } else {
      takeByte(0xf0 | (point >> 18))
      takeByte(0x80 | ((point >> 12) & 63))
    }
    takeByte(0x80 | ((point >> 6) & 63))
  }
  takeByte(0x80 | (point & 63))
}
