/**
 * xxHash64, the published algorithm: a vetted 64-bit hash with a seed, so that odds of a collision in a site of a million
 * URLs stay near 3 in 100 million. Written here because packaged ones compile WebAssembly at run time, which Workers refuse.
 */
const P1 = 0x9e3779b185ebca87n
const P2 = 0xc2b2ae3d27d4eb4fn
const P3 = 0x165667b19e3779f9n
const P4 = 0x85ebca77c2b2ae63n
const P5 = 0x27d4eb2f165667c5n

const u64 = (value: bigint): bigint => BigInt.asUintN(64, value)
const rotl = (value: bigint, bits: bigint): bigint => u64((value << bits) | (value >> (64n - bits)))
const round = (lane: bigint, input: bigint): bigint => u64(rotl(u64(lane + u64(input * P2)), 31n) * P1)
const merge = (hash: bigint, lane: bigint): bigint => u64(u64(hash ^ round(0n, lane)) * P1 + P4)

const encoder = new TextEncoder()

export function xxh64(bytes: Uint8Array, seed: bigint): bigint {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const { length } = bytes
  let at = 0
  let hash: bigint
  if (length >= 32) {
    let a = u64(seed + P1 + P2)
    let b = u64(seed + P2)
    let c = seed
    let d = u64(seed - P1)
    for (; at + 32 <= length; at += 32) {
      a = round(a, view.getBigUint64(at, true))
      b = round(b, view.getBigUint64(at + 8, true))
      c = round(c, view.getBigUint64(at + 16, true))
      d = round(d, view.getBigUint64(at + 24, true))
    }
    hash = u64(rotl(a, 1n) + rotl(b, 7n) + rotl(c, 12n) + rotl(d, 18n))
    for (const lane of [a, b, c, d]) hash = merge(hash, lane)
  } else {
    hash = u64(seed + P5)
  }
  hash = u64(hash + BigInt(length))
  for (; at + 8 <= length; at += 8) {
    hash = u64(rotl(hash ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4)
  }
  if (at + 4 <= length) {
    hash = u64(rotl(hash ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3)
    at += 4
  }
  for (; at < length; at++) {
    hash = u64(rotl(hash ^ u64(BigInt(view.getUint8(at)) * P5), 11n) * P1)
  }
  hash = u64((hash ^ (hash >> 33n)) * P2)
  hash = u64((hash ^ (hash >> 29n)) * P3)
  return hash ^ (hash >> 32n)
}

/** Fingerprints of one site's URLs. Seeded by the site, so that nobody can craft URLs that collide everywhere. */
export function fingerprinter(siteId: string): (url: string) => bigint {
  const seed = xxh64(encoder.encode(siteId), 0n)
  return (url) => xxh64(encoder.encode(url), seed)
}

/** How an endpoint is named in a table's header. */
export function endpointId(address: string): bigint {
  return xxh64(encoder.encode(address), 0n)
}
