// Searches, 16 bytes at a time. They may look past `end`, into memory that is there, and never answer more than `end`.

@inline
export function find(from: usize, end: usize, wanted: u8): usize {
  const pattern = i8x16.splat(wanted)
  for (let at = from; at < end; at += 16) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(at), pattern))
    if (hits != 0) return min(at + ctz(hits), end)
  }
  return end
}

@inline
export function findEither(from: usize, end: usize, one: u8, other: u8): usize {
  const a = i8x16.splat(one)
  const b = i8x16.splat(other)
  for (let at = from; at < end; at += 16) {
    const bytes = v128.load(at)
    const hits = i8x16.bitmask(v128.or(i8x16.eq(bytes, a), i8x16.eq(bytes, b)))
    if (hits != 0) return min(at + ctz(hits), end)
  }
  return end
}

/** What String.trim removes within ASCII. */
@inline
export function isBlank(c: u32): bool {
  return c == 0x20 || c - 9 < 5
}

export function skipBlanks(from: usize, end: usize): usize {
  let at = from
  while (at < end && isBlank(load<u8>(at))) at++
  return at
}

export function dropBlanks(from: usize, end: usize): usize {
  let at = end
  while (at > from && isBlank(load<u8>(at - 1))) at--
  return at
}

/** The length of the white space beyond ASCII, as String.trim knows it, that starts here; 0 when there is none. */
export function wideBlank(at: usize, end: usize): usize {
  const c: u32 = load<u8>(at)
  if (c == 0xc2) return at + 1 < end && load<u8>(at, 1) == 0xa0 ? 2 : 0
  if (c < 0xe1 || at + 2 >= end) return 0
  const point = ((c & 15) << 12) | ((<u32>load<u8>(at, 1) & 63) << 6) | (<u32>load<u8>(at, 2) & 63)
  if (c == 0xe1) return point == 0x1680 ? 3 : 0
  if (c == 0xe2) {
    return point - 0x2000 < 11 || point - 0x2028 < 2 || point == 0x202f || point == 0x205f ? 3 : 0
  }
  return (c == 0xe3 && point == 0x3000) || (c == 0xef && point == 0xfeff) ? 3 : 0
}
