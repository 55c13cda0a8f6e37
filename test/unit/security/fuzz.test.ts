import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory, TOKEN } from '../../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)
const FIELDS = [
  'id',
  'name',
  'sitemapUrl',
  'fallbackSitemapUrls',
  'host',
  'apiKey',
  'keyLocation',
  'searchEngines',
  'submitMethod',
  'enabled',
  'schedule',
  'maxConcurrentRequests',
  'requestIntervalMs',
  'maxRetries',
  'cacheTtlDays',
  'bingEnabled',
  'bingApiKey',
  'bingDailyQuota',
  'bingPriority',
  'bingSiteUrl',
  'source',
  'createdAt',
  'updatedAt',
  '__proto__',
  'constructor',
  'toString',
]
const WORDS = [
  '****...****',
  'env:NAME',
  'env:ADMIN_TOKEN',
  'https://a.example/sitemap.xml',
  'https://[::1]/',
  'a.example',
  'bing',
  '0 0 * * *',
  '* * * * * *',
  'L * * * *',
  '0 0 31 2 *',
  '["a.example"]',
  '[[[[',
  'auto',
  'newest',
  'another-key-0001',
  '\ud800',
  'é'.repeat(300),
  '%E0%A4%A',
  '',
]

const value = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 2, arbitrary: fc.oneof(fc.integer(), fc.double(), fc.boolean(), fc.constant(null)) },
  { weight: 1, arbitrary: fc.array(fc.constantFrom(...WORDS), { maxLength: 12 }) },
  { weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) },
)
const fields = fc.dictionary(
  fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...FIELDS) }, fc.string()),
  value,
  {
    maxKeys: 8,
  },
)
/** Half of them would be good but for what is changed in them. */
const nearlyGood = fields.map((changes) => ({
  sitemapUrl: 'https://a.example/sitemap.xml',
  apiKey: 'another-key-0001',
  ...changes,
}))
const body = fc.oneof(
  { weight: 4, arbitrary: nearlyGood.map((one) => JSON.stringify(one)) },
  { weight: 4, arbitrary: fields.map((one) => JSON.stringify(one)) },
  { weight: 1, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: 'binary' }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  { weight: 1, arbitrary: fc.nat(20_000).map((depth) => '['.repeat(depth)) },
  { weight: 1, arbitrary: fc.nat(5_000).map((depth) => `{"name":${'['.repeat(depth)}${']'.repeat(depth)}}`) },
)
const path = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('/api/sites', '/api/sites/a.example', '/api/sites/shop.example') },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary' }).map((id) => `/api/sites/${encodeURIComponent(fixed(id))}`),
  },
)

/** Lone surrogates cannot be part of an address. */
const fixed = (text: string): string => text.replace(/[\ud800-\udfff]/g, '?')

const queryName = fc.constantFrom(
  'site',
  'channel',
  'days',
  'limit',
  'offset',
  'url',
  'async',
  '__proto__',
  'x',
)
const queryValue = fc.oneof(
  fc.constantFrom(
    'all',
    'bing',
    'shop.example',
    'true',
    'yes',
    '1',
    '90',
    '-1',
    '1e9',
    '٣',
    '0x1',
    '',
    '%00',
    ...WORDS,
  ),
  fc.string({ unit: 'binary' }),
)
const query = fc
  .array(fc.tuple(queryName, queryValue), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, text]) => `${name}=${encodeURIComponent(fixed(text))}`).join('&'))
const readPath = fc.constantFrom(
  '/status',
  '/history',
  '/api/stats/daily',
  '/api/sites',
  '/api/sites/shop.example',
  '/api/sites/shop.example/urls',
  '/api/sites/shop.example/pending',
  '/api/sites/%E0%A4%A/urls',
)

describe('input nobody thought of', () => {
  it('5,000 bodies and queries: never a 5xx, errors are problems with a code and a sentence', {
    timeout: 60_000,
  }, async () => {
    const app = composeInMemory({ fetch: madeUpInternet().fetch, startMs: NOON })
    const statuses = new Map<number, number>()
    const ask = async (method: string, address: string, sent?: string | Uint8Array) => {
      const request = new Request(`https://beckon.test${address}`, {
        method,
        headers: { authorization: `Bearer ${TOKEN}` },
        ...(sent === undefined ? {} : { body: sent as string }),
      })
      const response = await app.app.fetch(request, { waitUntil: () => {} })
      statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
      const text = await response.text()
      expect(response.status, `${method} ${address} ${String(sent).slice(0, 300)}\n${text}`).toBeLessThan(500)
      if (response.status < 400) return
      expect(response.headers.get('content-type')).toBe('application/problem+json')
      const problem = JSON.parse(text) as Record<string, unknown>
      expect(problem).toMatchObject({ status: response.status, code: expect.stringMatching(/^[a-z_]+$/) })
      expect(String(problem.detail).length).toBeGreaterThan(8)
      expect(String(problem.detail).length).toBeLessThan(400)
    }
    await fc.assert(
      fc.asyncProperty(fc.constantFrom('POST', 'PUT', 'PUT'), path, body, async (method, address, sent) => {
        await ask(method === 'POST' ? 'POST' : 'PUT', method === 'POST' ? '/api/sites' : address, sent)
      }),
      { numRuns: 3_500, seed: 6 },
    )
    await fc.assert(
      fc.asyncProperty(readPath, query, async (address, given) => ask('GET', `${address}?${given}`)),
      { numRuns: 1_500, seed: 6 },
    )
    const asked = [...statuses.values()].reduce((sum, times) => sum + times, 0)
    expect(asked).toBeGreaterThanOrEqual(5_000)
    // The generator reaches what is behind the validation too.
    for (const status of [200, 201, 400, 403, 404, 409])
      expect(statuses.get(status), String(status)).toBeGreaterThan(0)
    expect(app.log.entries('error')).toEqual([])
    expect(({} as Record<string, unknown>).enabled).toBeUndefined()
  })

  it.each([
    ['half an object', '{', 400, 'invalid_json'],
    ['nothing', '', 400, 'invalid_json'],
    ['a list', '[]', 400, 'invalid_body'],
    ['null', 'null', 400, 'invalid_body'],
    ['a text', '"text"', 400, 'invalid_body'],
    ['a number', '1', 400, 'invalid_body'],
    ['__proto__', '{"__proto__":{"enabled":true}}', 400, 'unknown_field'],
    ['constructor', '{"constructor":{"prototype":{}}}', 400, 'unknown_field'],
    ['one byte too much', ' '.repeat(65_537), 413, 'body_too_large'],
    ['a deep list', `{"name":${'['.repeat(30_000)}${']'.repeat(30_000)}}`, 400, 'invalid_field'],
  ])('a body that is %s is refused, by POST and by PUT', async (_, sent, status, code) => {
    const app = composeInMemory({ fetch: madeUpInternet().fetch, startMs: NOON })
    const site = (host: string) => `"sitemapUrl":"https://${host}/sitemap.xml","apiKey":"another-key-0001"`
    await app.call('/api/sites', { method: 'POST', body: `{${site('a.example')}}` })
    for (const [method, address, body] of [
      ['POST', '/api/sites', sent.replace('{"', `{${site('b.example')},"`)],
      ['PUT', '/api/sites/a.example', sent],
    ] as const) {
      const response = await app.call(address, { method, body })
      expect([response.status, ((await response.json()) as { code: string }).code]).toEqual([status, code])
    }
  })

  it('a body above 64 KiB is refused before it is read to its end, with or without its length', async () => {
    const app = composeInMemory({ fetch: madeUpInternet().fetch, startMs: NOON })
    let pulled = 0
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        pulled++
        controller.enqueue(new Uint8Array(16_384).fill(32))
      },
    })
    const request = new Request('https://beckon.test/api/sites', {
      method: 'POST',
      headers: { authorization: `Bearer ${TOKEN}` },
      body: endless,
      duplex: 'half',
    } as RequestInit)
    const response = await app.app.fetch(request, { waitUntil: () => {} })
    expect(response.status).toBe(413)
    expect(pulled).toBeLessThan(10)
    const promised = await app.call('/api/sites', {
      method: 'POST',
      body: '{}',
      headers: { 'content-length': '65537' },
    })
    expect(promised.status).toBe(413)
  })
})
