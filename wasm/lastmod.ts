// The six forms of W3C Datetime, by the rules of src/sitemap/lastmod.ts.
import { NO_LASTMOD } from './layout'
import { isBlank, wideBlank } from './find'

let at: usize = 0
let end: usize = 0

// How long the period lasts that a date names, rounded up, in seconds. Without a zone it may be any zone's.
const YEAR: i32 = 366 * 86400
const MONTH: i32 = 31 * 86400
const DAY: i32 = 86400
const ANY_ZONE: i32 = 12 * 3600

/** Of the date last parsed. */
export let period: i32 = 0

/** Unix seconds, or NO_LASTMOD for anything that is not a date. */
export function parseLastmod(from: usize, length: usize): i64 {
  const common = parseCommon(from, length)
  return common == NO_LASTMOD ? parseAny(from, length) : common
}

/** `2025-01-15`, `2025-01-15T10:00:00Z` and `2025-01-15T10:00:00+00:00`, which are nearly all; NO_LASTMOD for the rest. */
function parseCommon(from: usize, length: usize): i64 {
  const hasTime = length != 10
  if (hasTime && length != 20 && length != 25) return NO_LASTMOD
  const figures = i8x16.sub(v128.load(from), i8x16.splat(0x30))
  const digits = hasTime ? 0xdb6f : 0x036f
  if ((i8x16.bitmask(i8x16.lt_u(figures, i8x16.splat(10))) & digits) != digits) return NO_LASTMOD
  if (load<u8>(from, 4) != 0x2d || load<u8>(from, 7) != 0x2d) return NO_LASTMOD
  const year = pair(from) * 100 + pair(from + 2)
  const month = pair(from + 5)
  const day = pair(from + 8)
  if (month - 1 > 11 || day - 1 > 27) return NO_LASTMOD
  const midnight = dayNumber(year, month, day) * 86400
  period = hasTime ? 1 : DAY + ANY_ZONE
  if (!hasTime) return midnight
  // The last of these is a colon and two digits, compared as one.
  const seconds: u32 = load<u32>(from, 16)
  const ten = (seconds >> 8 & 0xff) - 0x30
  const one = (seconds >> 16 & 0xff) - 0x30
  const isUtc = length == 20 ? seconds >> 24 == 0x5a : load<u32>(from, 19) == 0x3a30302b && load<u16>(from, 23) == 0x3030
  if (load<u8>(from, 10) != 0x54 || load<u8>(from, 13) != 0x3a || (seconds & 0xff) != 0x3a) return NO_LASTMOD
  const hour = pair(from + 11)
  const minute = pair(from + 14)
  if (!isUtc || hour > 23 || minute > 59 || ten > 5 || one > 9) return NO_LASTMOD
  return midnight + <i64>(hour * 3600 + minute * 60 + ten * 10 + one)
}

/** Two digits that are known to be digits. */
@inline
function pair(from: usize): u32 {
  return <u32>load<u8>(from) * 10 + <u32>load<u8>(from, 1) - 0x30 * 11
}

function parseAny(from: usize, length: usize): i64 {
  at = from
  end = from + length
  trim()
  if (end - at < 4) return NO_LASTMOD
  const year = digits(4)
  let month = 1
  let day = 1
  let time: i64 = 0
  period = YEAR + ANY_ZONE
  if (at < end) {
    period = MONTH + ANY_ZONE
    month = part(0x2d)
    if (at < end) {
      period = DAY + ANY_ZONE
      day = part(0x2d)
    }
    if (at < end) time = timeOfDay()
  }
  if ((year | month | day) < 0 || time == NO_LASTMOD) return NO_LASTMOD
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return NO_LASTMOD
  return dayNumber(year, month, day) * 86400 + time
}

function timeOfDay(): i64 {
  const separator = load<u8>(at++)
  if (separator != 0x54 && separator != 0x74 && separator != 0x20) return NO_LASTMOD
  const hour = digits(2)
  const minute = part(0x3a)
  let second = 0
  period = 60
  if (at < end && load<u8>(at) == 0x3a) {
    period = 1
    second = part(0x3a)
    if (second >= 0 && at < end && load<u8>(at) == 0x2e) {
      at++
      if (at >= end || !isDigit(load<u8>(at))) return NO_LASTMOD
      while (at < end && isDigit(load<u8>(at))) at++
    }
  }
  if ((hour | minute | second) < 0 || hour > 23 || minute > 59 || second > 59) return NO_LASTMOD
  const offset = zone()
  if (offset == i32.MIN_VALUE || at != end) return NO_LASTMOD
  return <i64>(hour * 3600 + minute * 60 + second - offset)
}

/** Seconds east of Greenwich. */
function zone(): i32 {
  while (at < end && load<u8>(at) == 0x20) at++
  if (at == end) {
    period += ANY_ZONE
    return 0
  }
  const sign = load<u8>(at++)
  if (sign == 0x5a || sign == 0x7a) return 0
  if (sign != 0x2b && sign != 0x2d) return i32.MIN_VALUE
  const hours = digits(2)
  if (at < end && load<u8>(at) == 0x3a) at++
  const minutes = digits(2)
  if ((hours | minutes) < 0 || hours > 23 || minutes > 59) return i32.MIN_VALUE
  const seconds = hours * 3600 + minutes * 60
  return sign == 0x2d ? -seconds : seconds
}

/** Two digits after this character, or -1. */
function part(separator: u8): i32 {
  if (at >= end || load<u8>(at) != separator) {
    at = end
    return -1
  }
  at++
  return digits(2)
}

function digits(count: i32): i32 {
  if (at + count > end) {
    at = end
    return -1
  }
  let value = 0
  for (let left = count; left > 0; left--) {
    const c: u32 = load<u8>(at++)
    if (!isDigit(c)) {
      at = end
      return -1
    }
    value = value * 10 + (c - 0x30)
  }
  return value
}

@inline
function isDigit(c: u32): bool {
  return c - 0x30 < 10
}

function trim(): void {
  while (at < end) {
    const c: u32 = load<u8>(at)
    const blank: usize = isBlank(c) ? 1 : c < 0x80 ? 0 : wideBlank(at, end)
    if (blank == 0) break
    at += blank
  }
  while (at < end) {
    const c: u32 = load<u8>(end - 1)
    if (isBlank(c)) end--
    else if (c < 0x80) break
    else if (end - at >= 2 && wideBlank(end - 2, end) == 2) end -= 2
    else if (end - at >= 3 && wideBlank(end - 3, end) == 3) end -= 3
    else break
  }
}

@inline
function isLeap(year: i32): bool {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

function daysIn(year: i32, month: i32): i32 {
  if (month == 2) return isLeap(year) ? 29 : 28
  return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
}

/** Days since 1970, by the calendar of today drawn back to the year 0. */
function dayNumber(year: i32, month: i32, day: i32): i64 {
  const past = year - 1
  // The year 0 is a leap year, and 1970 began 719,528 days after it did.
  const leapDays = year == 0 ? 0 : past / 4 - past / 100 + past / 400 + 1
  let inYear = (367 * month - 362) / 12 + day - 1
  if (month > 2) inYear -= isLeap(year) ? 1 : 2
  return <i64>(year * 365 + leapDays + inYear - 719528)
}
