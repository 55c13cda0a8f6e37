// Which locs are in normal form as they lie: the rest goes through `URL`.
import { ORIGIN } from './layout'

let originLength: usize = 0

export function setOrigin(length: usize): void {
  originLength = length
}

/** True when it starts with the site's origin and a slash and `URL` would leave every byte of it as it is. */
export function isPlain(from: usize, length: usize): bool {
  if (length <= originLength || !startsWithOrigin(from)) return false
  let at = from + originLength
  if (load<u8>(at) != 0x2f) return false
  const end = from + length
  // Bit h-2 of entry l is set when the byte with the high half h and the low half l is safe in path and query alike.
  const low = i8x16(46, 63, 62, 62, 63, 63, 63, 62, 63, 63, 63, 31, 21, 31, 53, 31)
  const high = i8x16(0, 0, 1, 2, 4, 8, 16, 32, 0, 0, 0, 0, 0, 0, 0, 0)
  const slash = i8x16.splat(0x2f)
  const dot = i8x16.splat(0x2e)
  const percent = i8x16.splat(0x25)
  const two = i8x16.splat(0x32)
  for (; at < end; at += 16) {
    const bytes = v128.load(at)
    const next = v128.load(at, 1)
    const classes = v128.and(
      i8x16.swizzle(low, v128.and(bytes, i8x16.splat(15))),
      i8x16.swizzle(high, i8x16.shr_u(bytes, 4)),
    )
    const unsafe = i8x16.eq(classes, i8x16.splat(0))
    // A segment that starts with a dot, plain or as %2e, may be one that `URL` removes.
    const dotted = v128.or(
      i8x16.eq(next, dot),
      v128.and(i8x16.eq(next, percent), i8x16.eq(v128.load(at, 2), two)),
    )
    let hits = i8x16.bitmask(v128.or(unsafe, v128.and(i8x16.eq(bytes, slash), dotted)))
    // What lies behind the end does not count, and neither does a slash that is the last byte.
    if (end - at < 16) hits &= (1 << <i32>(end - at)) - 1
    if (hits != 0) return end - at <= 16 && hits == 1 << <i32>(end - at - 1) && load<u8>(end - 1) == 0x2f
  }
  return true
}

@inline
function startsWithOrigin(from: usize): bool {
  let at: usize = 0
  for (; at + 8 <= originLength; at += 8) if (load<u64>(from + at) != load<u64>(ORIGIN + at)) return false
  for (; at < originLength; at++) if (load<u8>(from + at) != load<u8>(ORIGIN + at)) return false
  return true
}
