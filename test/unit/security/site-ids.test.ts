import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isSiteId } from '../../../src/domain/site'
import { keys, parseKey } from '../../../src/records/keys'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory } from '../../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)

const GOOD = [
  'example.com',
  'www.example.com',
  'a.b',
  '1.2',
  '127.0.0.1',
  'xn--mnchen-3ya.example',
  'a-b.example',
  '_dmarc.example',
  'bing.com',
  `${'a'.repeat(63)}.example`,
  `${`${'a'.repeat(63)}.`.repeat(3)}${'b'.repeat(61)}`,
]

const BAD = [
  '',
  ' ',
  'bing',
  'localhost',
  'example',
  'com',
  '.',
  '..',
  '...',
  '.example.com',
  'example.com.',
  'example..com',
  'a.b.',
  '-a.example',
  'a-.example',
  'a.-example',
  'a.example-',
  'a:b.example',
  'bing:shop.example',
  'shop.example:0',
  'shop.example:443',
  'quota:shop.example',
  ':shop.example',
  'shop.example:',
  'sites:config:shop.example',
  'a/b.example',
  '/shop.example',
  'shop.example/',
  '../shop.example',
  '..%2fshop.example',
  'shop%2eexample',
  'shop.example%00',
  'shop.example%0a',
  'a\\b.example',
  'shop.example\n',
  '\nshop.example',
  'shop\n.example',
  'shop.example\r\nx: y',
  'shop.example\0',
  'shop\0.example',
  'shop\t.example',
  'shop .example',
  'shop.example ',
  'shop.exam ple',
  'shop.example?x',
  'shop.example#x',
  'user@shop.example',
  'shop.example@evil',
  'http://shop.example',
  'https://shop.example/',
  '*.example',
  '*',
  'shop.*',
  '[::1]',
  '::1',
  '__proto__',
  'constructor',
  'prototype',
  'toString',
  'hasOwnProperty',
  '__proto__.',
  'null',
  'undefined',
  'NaN',
  'true',
  '0',
  '{}',
  '[]',
  '"shop.example"',
  "'shop.example'",
  '<b>.example',
  `${'$'}{x}.example`,
  '$(id).example',
  '`id`.example',
  'shop.example;',
  'shop.example,other.example',
  'shop.example|x',
  'münchen.example',
  'ѕhop.example',
  'shop。example',
  'shop．example',
  'ｓhop.example',
  'shop\u00ad.example',
  'shop\u200b.example',
  'shop\u202e.example',
  'shop\u2028.example',
  '\ufeffshop.example',
  '😀.example',
  'I\u0307.example',
  'K.example',
  `${'a'.repeat(64)}.example`,
  `${'a.'.repeat(127)}aa`,
  `${'a'.repeat(10_240)}.example`,
]

describe('site ids', () => {
  it('are host names with a dot, in small letters, and nothing else', () => {
    expect(GOOD.length + BAD.length).toBeGreaterThanOrEqual(80)
    for (const id of GOOD) expect(isSiteId(id), id).toBe(true)
    for (const id of BAD) expect(isSiteId(id), JSON.stringify(id)).toBe(false)
  })

  it('that are bad are refused by POST, found nowhere, and build no key', async () => {
    const app = composeInMemory({
      fetch: madeUpInternet().fetch,
      startMs: NOON,
      env: { SITEMAP_URL: 'https://env.example/sitemap.xml' },
    })
    const site = { sitemapUrl: 'https://a.example/sitemap.xml', apiKey: 'another-key-0001' }
    for (const id of BAD) {
      const post = await app.call('/api/sites', { method: 'POST', body: JSON.stringify({ ...site, id }) })
      // Space around an id is trimmed and capitals are made small, as in any host name.
      const meant = id.trim().toLowerCase()
      expect(post.status, JSON.stringify(id)).toBe(isSiteId(meant) ? 201 : 400)
      if (post.status === 201) await app.call(`/api/sites/${meant}`, { method: 'DELETE' })
      for (const [method, rest] of [
        ['GET', ''],
        ['PUT', ''],
        ['DELETE', ''],
        ['DELETE', '/marks'],
        ['GET', '/pending'],
      ] as const) {
        const body = method === 'PUT' ? { body: '{}' } : {}
        const response = await app.call(`/api/sites/${encodeURIComponent(id)}${rest}`, { method, ...body })
        expect([404, 405], `${method} ${JSON.stringify(id)}`).toContain(response.status)
      }
      const query = await app.call(`/status?site=${encodeURIComponent(id)}`)
      expect(query.status, JSON.stringify(id)).toBe(404)
      expect(() => keys.state(id)).toThrow(RangeError)
    }
    expect((await app.store.list('')).keys).toEqual([])
  })
})

const label = fc.stringMatching(/^[a-z0-9_](?:[a-z0-9_-]{0,10}[a-z0-9_])?$/)
const siteId = fc
  .array(label, { minLength: 2, maxLength: 5 })
  .map((labels) => labels.join('.'))
  .filter(isSiteId)
const date = fc
  .date({ min: new Date(0), max: new Date('9999-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10))
const bucket = fc.stringMatching(/^[01]{1,20}$/)
const cachePrefix = fc.constantFrom('url_cache', 'url_cache:bing')

describe('keys', () => {
  it('say what they were built from: build, parse, the same parts', () => {
    fc.assert(
      fc.property(siteId, date, bucket, cachePrefix, (id, day, part, prefix) => {
        expect(parseKey(keys.siteConfig(id))).toEqual({ kind: 'config', siteId: id })
        for (const kind of ['lease', 'state', 'history', 'files', 'pending'] as const) {
          expect(parseKey(keys[kind](id))).toEqual({ kind, siteId: id })
        }
        expect(parseKey(keys.quota('bing', id, day))).toEqual({
          kind: 'quota',
          siteId: id,
          channelId: 'bing',
          date: day,
        })
        const marks = keys.marks(prefix, id, part)
        expect(parseKey(marks)).toEqual({ kind: 'marks', siteId: id, cachePrefix: prefix, bucket: part })
      }),
      { numRuns: 1_000 },
    )
  })

  it('of two sites never meet, and no prefix of one reaches the other', () => {
    const all = (id: string) => [
      keys.siteConfig(id),
      keys.lease(id),
      keys.state(id),
      keys.history(id),
      keys.files(id),
      keys.pending(id),
      keys.quota('bing', id, '2026-11-18'),
      keys.marks('url_cache', id, '0'),
      keys.marks('url_cache:bing', id, '0'),
    ]
    const prefixes = (id: string) => [
      keys.quotaPrefix('bing', id),
      keys.marksPrefix('url_cache', id),
      keys.marksPrefix('url_cache:bing', id),
    ]
    // Ids that begin or end with one another are the dangerous ones.
    const pair = fc.oneof(
      fc.tuple(siteId, siteId),
      fc.tuple(siteId, label).map(([id, more]) => [id, `${id}.${more}`] as [string, string]),
      fc.tuple(siteId, label).map(([id, more]) => [id, `${more}.${id}`] as [string, string]),
      siteId.map((id) => [id, `bing.${id}`] as [string, string]),
    )
    fc.assert(
      fc.property(pair, ([one, other]) => {
        fc.pre(one !== other && isSiteId(other))
        const own = new Set(all(one))
        expect(all(other).some((key) => own.has(key))).toBe(false)
        for (const prefix of prefixes(one)) {
          expect(all(other).some((key) => key.startsWith(prefix))).toBe(false)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('are not built for anything else, whatever the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => {
        fc.pre(!isSiteId(text))
        expect(() => keys.marksPrefix('url_cache', text)).toThrow(RangeError)
        expect(() => keys.siteConfig(text)).toThrow(RangeError)
      }),
      { numRuns: 1_000 },
    )
  })

  it('that are foreign are told from ours', () => {
    for (const key of [
      '',
      'x',
      'sites:config:',
      'sites:other:a.b',
      'sites:config:a.b:c',
      'url_cache:a.b:x',
      'bing:quota:a.b:today',
      'url_cache:a.b',
      'bing:a.b:2026-11-18',
    ]) {
      expect(parseKey(key), key).toBeNull()
    }
  })
})
