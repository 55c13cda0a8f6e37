import { beforeEach, describe, expect, it } from 'vitest'
import type { KeyValueStore } from '../../src/ports'

const MANY = 1_050
const AT_ONCE = 50

/** Every promise of the port. Each driver runs this very suite. */
export function keyValueStoreContract(
  name: string,
  createStore: () => KeyValueStore | Promise<KeyValueStore>,
): void {
  const key = (id: string) => `contract:${name}:${id}`
  const bytes = (...values: number[]) => new Uint8Array(values)
  let store: KeyValueStore

  beforeEach(async () => {
    store = await createStore()
  })

  async function putAll(keys: readonly string[]): Promise<void> {
    for (let at = 0; at < keys.length; at += AT_ONCE) {
      await Promise.all(keys.slice(at, at + AT_ONCE).map((one) => store.put(one, `value of ${one}`)))
    }
  }

  async function listAll(prefix: string): Promise<string[][]> {
    const pages: string[][] = []
    let cursor: string | undefined
    do {
      const page = await store.list(prefix, cursor)
      pages.push([...page.keys])
      cursor = page.cursor
    } while (cursor !== undefined)
    return pages
  }

  describe(`KeyValueStore: ${name}`, () => {
    it('an absent key is null, as text and as bytes', async () => {
      expect(await store.getText(key('absent'))).toBeNull()
      expect(await store.getBytes(key('absent'))).toBeNull()
    })

    it.each([
      '',
      'plain',
      ' spaces and\nlines\u0000 ',
      '中文 ä 🚀',
      'x'.repeat(100_000),
    ])('text comes back as it was: %#', async (text) => {
      await store.put(key('text'), text)
      expect(await store.getText(key('text'))).toBe(text)
    })

    it.each([
      [bytes()],
      [bytes(0)],
      [bytes(0, 0, 1, 0)],
      [bytes(0xff, 0xfe, 0xc3, 0x28, 0x80)],
      [Uint8Array.from({ length: 70_000 }, (_, i) => i % 251)],
    ])('bytes come back as they were: %#', async (value) => {
      await store.put(key('bytes'), value)
      expect(await store.getBytes(key('bytes'))).toEqual(value)
    })

    it('stores the part of a buffer it was given, not the buffer', async () => {
      await store.put(key('part'), bytes(1, 2, 3, 4, 5).subarray(1, 3))
      expect(await store.getBytes(key('part'))).toEqual(bytes(2, 3))
    })

    it('text and bytes are the same value in UTF-8', async () => {
      await store.put(key('both'), 'ä')
      expect(await store.getBytes(key('both'))).toEqual(bytes(0xc3, 0xa4))
      await store.put(key('both'), bytes(0xe4, 0xb8, 0xad))
      expect(await store.getText(key('both'))).toBe('中')
    })

    it('the last write wins', async () => {
      await store.put(key('twice'), 'first, and longer')
      await store.put(key('twice'), 'second')
      expect(await store.getText(key('twice'))).toBe('second')
    })

    it('a deleted key is absent, and may be deleted again', async () => {
      await store.put(key('gone'), 'x')
      await store.delete(key('gone'))
      await store.delete(key('gone'))
      expect(await store.getText(key('gone'))).toBeNull()
      expect(await listAll(key('gone'))).toEqual([[]])
    })

    it('bytes given and returned are copies', async () => {
      const given = bytes(1, 2, 3)
      await store.put(key('copy'), given)
      given[0] = 9
      const first = await store.getBytes(key('copy'))
      first?.fill(7)
      expect(await store.getBytes(key('copy'))).toEqual(bytes(1, 2, 3))
    })

    it('getTexts of nothing is empty', async () => {
      expect((await store.getTexts([])).size).toBe(0)
    })

    it('getTexts holds every key asked for, absent ones as null', async () => {
      await store.put(key('one'), '1')
      expect([...(await store.getTexts([key('one')]))]).toEqual([[key('one'), '1']])
      expect([...(await store.getTexts([key('none')]))]).toEqual([[key('none'), null]])
    })

    it('getTexts takes 250 keys', async () => {
      const keys = Array.from({ length: 250 }, (_, i) => key(`many:${i}`))
      await putAll(keys.filter((_, i) => i % 3 !== 0))
      const found = await store.getTexts(keys)
      expect(found.size).toBe(250)
      expect(keys.map((one) => found.get(one))).toEqual(
        keys.map((one, i) => (i % 3 === 0 ? null : `value of ${one}`)),
      )
    })

    it('list gives the keys of a prefix, sorted, and no others', async () => {
      await putAll(['b:2', 'a', 'b:10', 'b:1', 'bb', 'c:1', 'b'].map(key))
      expect(await listAll(key('b:'))).toEqual([['b:1', 'b:10', 'b:2'].map(key)])
      expect(await listAll(key('none'))).toEqual([[]])
    })

    it('list hands out more than a thousand keys page by page', async () => {
      const keys = Array.from({ length: MANY }, (_, i) => key(`page:${String(i).padStart(5, '0')}`))
      await putAll(keys.toReversed())
      const pages = await listAll(key('page:'))
      expect(pages.length).toBeGreaterThan(1)
      expect(pages.flat()).toEqual(keys)
    })

    it.each([1, 59, 60, 86_400])('takes a time to live of %d seconds', async (ttlSeconds) => {
      await store.put(key('ttl'), 'x', { ttlSeconds })
      expect(await store.getText(key('ttl'))).toBe('x')
    })
  })
}
