// The name of the tag being read, without regard to case: a hash of the whole for matching ends with beginnings, and the
// local part and the prefix byte by byte as far as any name that matters is long.
import { MAX_ROOT_NAME, ROOT_NAME, STACK, STACK_BYTES } from './layout'

const HASH_START: u32 = 0x811c9dc5
const HASH_FACTOR: u32 = 0x01000193

export let nameHash: u32 = HASH_START
/** The last eight bytes of the local part, and the eight before them. */
export let local: u64 = 0
let localHead: u64 = 0
export let prefix: u64 = 0
export let prefixHash: u32 = 0
let hasPrefix: bool = false
let length: i32 = 0

export const URL: u64 = 0x75726c
export const LOC: u64 = 0x6c6f63
export const LASTMOD: u64 = 0x6c6173746d6f64
export const SITEMAP: u64 = 0x736974656d6170
export const URLSET: u64 = 0x75726c736574
export const IMAGE: u64 = 0x696d616765
export const VIDEO: u64 = 0x766964656f
export const NEWS: u64 = 0x6e657773
export const LINK: u64 = 0x6c696e6b
export const XHTML: u64 = 0x7868746d6c
const SITEMAPINDEX_HEAD: u64 = 0x73697465
const SITEMAPINDEX_TAIL: u64 = 0x6d6170696e646578

@inline
export function openName(): void {
  nameHash = HASH_START
  local = 0
  localHead = 0
  prefix = 0
  prefixHash = 0
  hasPrefix = false
  length = 0
}

/** No byte of a name is zero, so a short name cannot be the end of a long one. */
@inline
export function isLocal(name: u64): bool {
  return local == name && localHead == 0
}

export function isSitemapindex(): bool {
  return local == SITEMAPINDEX_TAIL && localHead == SITEMAPINDEX_HEAD
}

/** A name of `count` small letters, 1 to 15 of them, and nothing else. */
@inline
export function setPlainName(from: usize, count: i32): void {
  // Longer ones matter to nobody: all that matters is that they are taken for none of the names above.
  local = count > 8 ? 0 : bswap(load<u64>(from)) >> (64 - (<u64>count << 3))
  localHead = 0
  prefix = 0
  prefixHash = 0
}

// An open element: u32 hash of its name; u32 length, if the name lies in the 16 bytes from 16 on as it was written; else 0.

@inline
export function pushName(depth: i32): void {
  const at = STACK + <usize>depth * STACK_BYTES
  store<u32>(at, nameHash)
  store<u32>(at, 0, 4)
}

@inline
export function pushPlainName(depth: i32, name: v128, count: i32): void {
  const at = STACK + <usize>depth * STACK_BYTES
  store<u32>(at, count, 4)
  v128.store(at, name, 16)
}

/** The length of the name if these bytes are the very ones it was opened with and `>` follows, else 0. */
@inline
export function matchPlainName(depth: i32, from: usize): i32 {
  const at = STACK + <usize>depth * STACK_BYTES
  const count = load<u32>(at, 4)
  const wanted = (1 << count) - 1
  const same = i8x16.bitmask(i8x16.eq(v128.load(from), v128.load(at, 16)))
  return (same & wanted) == wanted && load<u8>(from + count) == 0x3e ? count : 0
}

/** Whether the name just read ends the element opened at this depth. */
export function matchesName(depth: i32): bool {
  const at = STACK + <usize>depth * STACK_BYTES
  const count = load<u32>(at, 4)
  if (count == 0) return load<u32>(at) == nameHash
  let hash = HASH_START
  for (let i: usize = 0; i < count; i++) hash = (hash ^ load<u8>(at + i, 16)) * HASH_FACTOR
  return hash == nameHash
}

@inline
function endsName(c: u32): bool {
  return c <= 0x20 || c == 0x3e || c == 0x2f || c == 0x3c || c == 0x3d || c == 0x22 || c == 0x27
}

/** Reads on as far as the name goes. */
export function readName(from: usize, end: usize): usize {
  let at = from
  let hash = nameHash
  let tail = local
  let head = localHead
  for (; at < end; at++) {
    let c: u32 = load<u8>(at)
    if (endsName(c)) break
    if (c - 0x41 < 26) c |= 0x20
    if (c == 0x3a && !hasPrefix) {
      hasPrefix = true
      prefix = head == 0 ? tail : 0
      prefixHash = hash
      tail = 0
      head = 0
    } else {
      head = (head << 8) | (tail >> 56)
      tail = (tail << 8) | c
    }
    hash = (hash ^ c) * HASH_FACTOR
  }
  length += <i32>(at - from)
  nameHash = hash
  local = tail
  localHead = head
  return at
}

/** The root's name as written, for a person to read. */
export function copyRootName(from: usize, end: usize): void {
  const before = length - <i32>(end - from)
  const room = MAX_ROOT_NAME - before
  if (room > 0) memory.copy(ROOT_NAME + before, from, min<usize>(room, end - from))
}

export function rootNameLength(): i32 {
  return min(length, MAX_ROOT_NAME)
}
