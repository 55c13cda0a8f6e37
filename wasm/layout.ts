// Where everything lies in the module's memory. Fixed areas first; tables and the set of seen URLs follow from HEAP on.

/** A value longer than this, decoded and trimmed, is no URL: 2,048 characters with room for a fragment and blanks. */
export const MAX_VALUE: i32 = 8192
/** Longer names and references than this end up beside the value, never beyond the area. */
export const SLACK: i32 = 64
/** Nothing a site may submit is longer. */
export const MAX_URL: i32 = 2048
export const MAX_DEPTH: i32 = 64
export const MAX_ROWS: i32 = 1000
export const ROW_BYTES: usize = 48
export const MAX_CHANNELS: i32 = 8
export const CHANNEL_BYTES: usize = 32
export const BUCKET_BYTES: usize = 272
export const MAX_ROOT_NAME: i32 = 40

/** Counts of the document, u32 each, in the order of `Count`. */
export const REPORT: usize = 1024
export const ROOT_NAME: usize = 1280
export const CHANNELS: usize = 1536
/** What the last URL asked about is missing, one byte per channel. */
export const MISSING: usize = 1792
/** The names of the open elements. */
export const STACK: usize = 2048
export const STACK_BYTES: usize = 32
export const ORIGIN: usize = 4096
export const ORIGIN_BYTES: usize = 1008
export const LOC: usize = 5120
export const MOD: usize = 13568
/** Text handed in by the caller. */
export const ASK: usize = 22016
export const ASK_BYTES: usize = 8192
export const ROWS: usize = 32768
export const TEXT: usize = 81920
export const TEXT_BYTES: usize = 262144
export const INPUT: usize = 344064
export const INPUT_BYTES: usize = 65536
/** Searches look 16 bytes at a time and may look past the end. */
export const HEAP: usize = 409664

export const enum Count {
  entries,
  known,
  changed,
  duplicates,
  image,
  video,
  news,
  alternate,
  foreign,
  entity,
  tooLong,
  noLoc,
  bareAmpersands,
  problem,
  root,
  rootName,
}

@inline
export function add(what: Count): void {
  const at = REPORT + ((<usize>what) << 2)
  store<u32>(at, load<u32>(at) + 1)
}

@inline
export function note(what: Count, value: u32): void {
  store<u32>(REPORT + ((<usize>what) << 2), value)
}

export const NO_LASTMOD: i64 = i64.MIN_VALUE
