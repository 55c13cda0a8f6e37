import { describe, expect, it } from 'vitest'
import {
  HEADER_WORDS,
  isExpired,
  isNewer,
  type Mark,
  marksOf,
  RECORD_WORDS,
  readMark,
  toStored,
  writeMark,
} from '../../src/marks/mark'

const DAY = 86_400
const TODAY = 20_500
const NOON = TODAY * DAY + DAY / 2
const LIFE = { today: TODAY, ttlDays: 30 }

describe('a change the mark does not know', () => {
  it.each([
    ['none told', 0, { lastmod: 0, day: TODAY - 3 }, false],
    ['none told, one known', 0, { lastmod: NOON, day: TODAY }, false],
    ['the same', NOON, { lastmod: NOON, day: TODAY }, false],
    ['a second later', NOON + 1, { lastmod: NOON, day: TODAY }, true],
    ['a second earlier', NOON - 1, { lastmod: NOON, day: TODAY }, false],
    ['years later than one of long ago', NOON, { lastmod: 1, day: TODAY }, true],
    ['the day of acceptance, none known', NOON, { lastmod: 0, day: TODAY }, false],
    ['the last second of that day', (TODAY + 1) * DAY - 1, { lastmod: 0, day: TODAY }, false],
    ['the first second of the next', (TODAY + 1) * DAY, { lastmod: 0, day: TODAY }, true],
  ])('%s', (_, lastmod, mark, newer) => {
    expect(isNewer(lastmod, mark)).toBe(newer)
  })

  it.each([
    ['corrected to a day after acceptance', (TODAY + 1) * DAY, true],
    ['corrected to the day of acceptance', NOON, false],
    ['still further ahead', (TODAY + 9) * DAY, true],
  ])('one that lay in the future, %s', (_, lastmod, newer) => {
    expect(isNewer(lastmod, { lastmod: (TODAY + 5) * DAY, day: TODAY })).toBe(newer)
  })

  it('one of tomorrow, as time zones make them, is no mistake: an earlier one changes nothing', () => {
    const tomorrow = { lastmod: (TODAY + 2) * DAY - 1, day: TODAY }
    expect(isNewer((TODAY + 1) * DAY, tomorrow)).toBe(false)
    expect(isNewer((TODAY + 1) * DAY, { ...tomorrow, lastmod: tomorrow.lastmod + 1 })).toBe(true)
  })
})

describe('the life of a mark', () => {
  it.each([
    [TODAY, false],
    [TODAY - 29, false],
    [TODAY - 30, true],
    [TODAY + 1, false],
    [TODAY + 2, true],
  ])('of day %d on day 20500 with 30 days to live: expired is %s', (day, expired) => {
    expect(isExpired({ day }, LIFE)).toBe(expired)
  })
})

describe('a lastmod as it is stored', () => {
  it.each([
    [null, 0],
    [0, 1],
    [-5, 1],
    [1, 1],
    [1_700_000_000.9, 1_700_000_000],
    [2 ** 32 - 1, 2 ** 32 - 1],
    [2 ** 33, 2 ** 32 - 1],
  ])('%s becomes %d', (lastmod, stored) => {
    expect(toStored(lastmod)).toBe(stored)
  })
})

describe('a record', () => {
  const mark: Mark = {
    low: 0xdeadbeef,
    high: 0xfedcba98,
    lastmod: 0xfffffffe,
    day: 0xfffd,
    accepted: 0b1000_0001,
    rejected: 0b1111_1110,
  }

  it('is read as it was written, every bit of it', () => {
    const words = new Uint32Array(HEADER_WORDS + 3 * RECORD_WORDS)
    writeMark(words, HEADER_WORDS + RECORD_WORDS, mark)
    expect(readMark(words, HEADER_WORDS + RECORD_WORDS)).toEqual(mark)
    expect([...marksOf(words)]).toEqual([mark])
  })

  it('is found in the first slot and in the last; the header is none', () => {
    const words = new Uint32Array(HEADER_WORDS + 3 * RECORD_WORDS).fill(1, 0, HEADER_WORDS)
    writeMark(words, HEADER_WORDS, mark)
    writeMark(words, HEADER_WORDS + 2 * RECORD_WORDS, { ...mark, low: 1 })
    expect([...marksOf(words)].map(({ low }) => low)).toEqual([mark.low, 1])
  })
})
