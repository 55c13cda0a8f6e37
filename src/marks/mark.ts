/** The words of a table: a header, then one record of four after the other. */
export const HEADER_WORDS = 20
export const RECORD_WORDS = 4

const SECONDS_PER_DAY = 86_400
const MAX_LASTMOD = 0xffffffff

/** How long marks are good for, and what day it is. */
export interface Lifetime {
  readonly today: number
  readonly ttlDays: number
}

/** What is remembered of one URL. */
export interface Mark {
  /** The halves of its fingerprint. */
  readonly low: number
  readonly high: number
  /** The one accepted, in Unix seconds; 0 for none. */
  readonly lastmod: number
  /** Of acceptance, counted from 1970; 0 in a free slot. */
  readonly day: number
  readonly accepted: number
  readonly rejected: number
}

export const word = (words: Uint32Array, at: number): number => words[at] as number

export const isTaken = (words: Uint32Array, at: number): boolean => (word(words, at + 3) & 0xffff) !== 0

export function readMark(words: Uint32Array, at: number): Mark {
  const last = word(words, at + 3)
  return {
    low: word(words, at),
    high: word(words, at + 1),
    lastmod: word(words, at + 2),
    day: last & 0xffff,
    accepted: (last >>> 16) & 0xff,
    rejected: last >>> 24,
  }
}

export function writeMark(words: Uint32Array, at: number, mark: Mark): void {
  words[at] = mark.low
  words[at + 1] = mark.high
  words[at + 2] = mark.lastmod
  words[at + 3] = mark.day | (mark.accepted << 16) | (mark.rejected << 24)
}

export function* marksOf(words: Uint32Array): Generator<Mark> {
  for (let at = HEADER_WORDS; at < words.length; at += RECORD_WORDS) {
    if (isTaken(words, at)) yield readMark(words, at)
  }
}

/** A change the mark does not know: a later lastmod, or, where it has none, one after the day of acceptance. */
export function isNewer(lastmod: number, mark: Pick<Mark, 'lastmod' | 'day'>): boolean {
  if (lastmod === 0 || lastmod === mark.lastmod) return false
  const dayOf = (seconds: number) => Math.floor(seconds / SECONDS_PER_DAY)
  // One that lay in the future says nothing about what came after it was corrected.
  const wasAhead = lastmod < mark.lastmod && dayOf(mark.lastmod) > mark.day + 1
  return mark.lastmod === 0 || wasAhead ? dayOf(lastmod) > mark.day : lastmod > mark.lastmod
}

/** A day beyond tomorrow was written by a wrong clock: believing it would silence the URL for ever. */
export function isExpired({ day }: Pick<Mark, 'day'>, { today, ttlDays }: Lifetime): boolean {
  return today - day >= ttlDays || day > today + 1
}

/** Zero means none, so the first second of 1970 moves by one. */
export function toStored(lastmod: number | null): number {
  return lastmod === null ? 0 : Math.min(Math.max(Math.floor(lastmod), 1), MAX_LASTMOD)
}
