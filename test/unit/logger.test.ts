import { describe, expect, it } from 'vitest'
import type { LogLevel } from '../../src/domain/settings'
import { createLogCapture } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1, 12)
const open = (level: LogLevel = 'debug') => createLogCapture(createVirtualClock(START), level)

describe('the log', () => {
  it('is one JSON object per line, with time, level, message and fields', () => {
    const { logger, lines } = open()
    logger.info('run finished', { site: 'shop.example', urls: 3, nested: { a: [1, null] }, big: 2n ** 63n })
    expect(lines).toEqual([
      '{"time":"2026-04-01T12:00:00.000Z","level":"info","message":"run finished","site":"shop.example","urls":3,"nested":{"a":[1,null]},"big":"9223372036854775808"}',
    ])
  })

  it.each<[LogLevel, string[]]>([
    ['debug', ['debug', 'info', 'warn', 'error']],
    ['info', ['info', 'warn', 'error']],
    ['warn', ['warn', 'error']],
    ['error', ['error']],
  ])('D11 at level %s shows %j', (level, shown) => {
    const { logger, entries } = open(level)
    for (const one of ['debug', 'info', 'warn', 'error'] as const) logger[one]('message')
    expect(entries().map((entry) => entry.level)).toEqual(shown)
  })

  it.each([
    ['raw', 'key is secret-key-0001'],
    [
      'in an address',
      'https://a.example/?key=secret-key-0001&keyLocation=https%3A%2F%2Fa%2Fsecret-key-0001.txt',
    ],
    ['twice', 'secret-key-0001secret-key-0001'],
  ])('N05 a protected key shows its first four characters only: %s', (_, text) => {
    const { logger, lines } = open()
    logger.protect('secret-key-0001')
    logger.error(text, { text, nested: [{ deep: text }], [text]: 1 })
    expect(lines[0]).not.toContain('secret-key')
    expect(lines[0]).toContain('secr****')
  })

  it('masks what is encoded for an address or for JSON', () => {
    const { logger, lines } = open()
    const secret = 'pass/"word" & more'
    logger.protect(secret)
    logger.info(secret, {
      address: `https://a.example/?k=${encodeURIComponent(secret)}`,
      json: JSON.stringify({ secret }),
    })
    for (const part of ['word', 'more']) expect(lines[0]).not.toContain(part)
  })

  it.each([
    [['secret-key', 'secret-key-0001']],
    [['secret-key-0001', 'secret-key']],
  ])('masks a key that begins like another one: %j', (keys) => {
    const { logger, lines } = open()
    for (const key of keys) logger.protect(key)
    logger.info('secret-key-0001')
    expect(lines[0]).not.toContain('0001')
  })

  it('masks before it cuts, so that no half key stays at the end', () => {
    const { logger, lines } = open()
    logger.protect('secret-key-0001')
    logger.info(`${'x'.repeat(2_040)}secret-key-0001`)
    expect(lines[0]).not.toContain('secret')
  })

  it('does not mask short words', () => {
    const { logger, lines } = open()
    for (const word of ['', 'a', 'message']) logger.protect(word)
    logger.info('a message')
    expect(lines[0]).toContain('"message":"a message"')
  })

  it.each([
    ['line ends', 'a\r\nb\u2028c\u2029d\u0085e'],
    ['terminal orders', '\u001b[31mred\u009b0m\u0007\u007f'],
    ['turned directions and hidden characters', 'a\u202eb\u200bc\u2066d\ufeffe'],
  ])('keeps %s from being taken for what they are', (_, text) => {
    const { logger, lines, entries } = open()
    logger.warn(text, { [text]: text })
    const [line = ''] = lines
    const visible = [...line].every((character) => {
      const code = character.charCodeAt(0)
      return code >= 0x20 && code < 0x7f
    })
    expect(visible).toBe(true)
    expect(entries()[0]?.message).toBe(text)
  })

  it('cuts long fields', () => {
    const { logger, entries } = open()
    logger.info('m'.repeat(9_999), { body: 'b'.repeat(9_999), fits: 'f'.repeat(2_048) })
    const [entry] = entries()
    expect(entry?.message).toBe(`${'m'.repeat(2_048)}…`)
    expect(entry?.body).toBe(`${'b'.repeat(2_048)}…`)
    expect(entry?.fits).toBe('f'.repeat(2_048))
  })
})
