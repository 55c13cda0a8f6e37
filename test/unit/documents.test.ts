import { describe, expect, it } from 'vitest'
import { type ApiDocument, wrongBy, wrongIn } from '../support/described'
import { madeUpInternet } from '../support/made-up-internet'
import { composeInMemory } from '../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)
const open = () =>
  composeInMemory({
    fetch: madeUpInternet().fetch,
    startMs: NOON,
    env: { BING_ENABLED: 'true', BING_API_KEY: 'b'.repeat(32) },
  })

async function documentOf(app: ReturnType<typeof open>): Promise<ApiDocument> {
  return (await (await app.call('/openapi.json')).json()) as ApiDocument
}

/** The table of the HTTP contract, all but the page. */
const CONTRACT = [
  'GET /health',
  'GET /status',
  'GET /trigger',
  'POST /trigger',
  'GET /history',
  'GET /api/sites',
  'POST /api/sites',
  'GET /api/sites/{id}',
  'PUT /api/sites/{id}',
  'DELETE /api/sites/{id}',
  'DELETE /api/sites/{id}/marks',
  'GET /api/sites/{id}/check',
  'GET /api/sites/{id}/urls',
  'GET /api/sites/{id}/pending',
  'GET /api/stats/daily',
  'GET /openapi.json',
  'GET /docs',
  'GET /{key}.txt',
]

describe('/openapi.json', () => {
  it('describes every operation of the contract and none besides', async () => {
    const { openapi, paths } = await documentOf(open())
    expect(openapi).toBe('3.1.0')
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    )
    expect(described.sort()).toEqual([...CONTRACT].sort())
  })

  it('has an example for each body and each JSON answer, and each fits its schema', async () => {
    const document = await documentOf(open())
    const ids: string[] = []
    for (const [path, methods] of Object.entries(document.paths)) {
      for (const [method, { operationId, parameters, requestBody, responses }] of Object.entries(methods)) {
        ids.push(operationId)
        for (const [, name] of path.matchAll(/\{(\w+)\}/g)) {
          expect(parameters).toContainEqual(expect.objectContaining({ name, in: 'path', required: true }))
        }
        const contents = [
          ...Object.values(requestBody?.content ?? {}),
          ...Object.values(responses).flatMap(({ content }) => Object.values(content)),
        ]
        for (const { schema, example } of contents) {
          if (schema === undefined) continue
          expect(example, `an example of ${method} ${path}`).toBeDefined()
          expect(wrongBy(document, schema, example), `${method} ${path}`).toEqual([])
        }
      }
    }
    expect(new Set(ids).size).toBe(ids.length)
  })

  it('says what each field of a site and each parameter means', async () => {
    const { paths } = await documentOf(open())
    const described: [string, { description?: string }][] = Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ parameters, requestBody }) => [
        ...parameters.map((one): [string, { description?: string }] => [one.name, one]),
        ...Object.values(requestBody?.content ?? {}).flatMap(({ schema }) =>
          Object.entries((schema as { properties: Record<string, object> }).properties),
        ),
      ]),
    )
    expect(described.length).toBeGreaterThan(50)
    for (const [name, { description }] of described) expect(description, name).toMatch(/\w/)
  })

  it('is true: real answers, good and bad, have the described status, type and shape', async () => {
    const app = open()
    const document = await documentOf(app)
    const body = JSON.stringify({ sitemapUrl: 'https://b.example/sitemap.xml', apiKey: 'another-key-0001' })
    const asked: [string, string, string?, string?][] = [
      ['GET', '/health'],
      ['GET', '/status'],
      ['GET', '/status?site=shop.example', '/status'],
      ['GET', '/status?site=none.example', '/status'],
      ['POST', '/trigger?site=shop.example', '/trigger'],
      ['GET', '/trigger?site=shop.example&async=true', '/trigger'],
      ['GET', '/trigger?site=shop.example&async=yes', '/trigger'],
      ['GET', '/status?site=shop.example', '/status'],
      ['GET', '/history?site=shop.example', '/history'],
      ['GET', '/history?limit=0', '/history'],
      ['POST', '/api/sites', '/api/sites', body],
      ['POST', '/api/sites', '/api/sites', body],
      ['POST', '/api/sites', '/api/sites', '{'],
      ['POST', '/api/sites', '/api/sites', ' '.repeat(65_537)],
      ['GET', '/api/sites'],
      ['GET', '/api/sites/b.example', '/api/sites/{id}'],
      ['PUT', '/api/sites/b.example', '/api/sites/{id}', '{"enabled":false}'],
      ['PUT', '/api/sites/shop.example', '/api/sites/{id}', '{"enabled":false}'],
      ['GET', '/api/sites/shop.example/check', '/api/sites/{id}/check'],
      ['GET', '/api/sites/b.example/check', '/api/sites/{id}/check'],
      [
        'GET',
        `/api/sites/shop.example/urls?url=${encodeURIComponent('https://shop.example/page-1')}`,
        '/api/sites/{id}/urls',
      ],
      ['GET', '/api/sites/shop.example/urls?url=ftp:x', '/api/sites/{id}/urls'],
      ['GET', '/api/sites/shop.example/urls', '/api/sites/{id}/urls'],
      ['GET', '/api/sites/shop.example/pending', '/api/sites/{id}/pending'],
      ['GET', '/api/stats/daily?days=3', '/api/stats/daily'],
      ['GET', '/api/stats/daily?days=91', '/api/stats/daily'],
      ['DELETE', '/api/sites/b.example/marks?channel=bing', '/api/sites/{id}/marks'],
      ['DELETE', '/api/sites/b.example', '/api/sites/{id}'],
      ['DELETE', '/api/sites/b.example', '/api/sites/{id}'],
      ['GET', '/openapi.json'],
      ['GET', '/docs'],
      ['GET', '/no-key-of-ours.txt', '/{key}.txt'],
    ]
    const statuses = new Set<number>()
    for (const [method, address, path = address, sent] of asked) {
      const response = await app.call(address, { method, ...(sent === undefined ? {} : { body: sent }) })
      statuses.add(response.status)
      expect(await wrongIn(document, { method, path }, response), `${method} ${address}`).toEqual([])
    }
    expect([...statuses].sort()).toEqual([200, 201, 202, 400, 403, 404, 409, 413])
    const request = new Request('https://shop.example/key-of-the-shop-0001.txt')
    const keyFile = await app.app.fetch(request, { waitUntil: () => {} })
    expect(keyFile.status).toBe(200)
    expect(await wrongIn(document, { method: 'GET', path: '/{key}.txt' }, keyFile)).toEqual([])
  })
})

describe('/docs', () => {
  it('is a public page without scripts that names every operation, field and reason code', async () => {
    const app = open()
    const response = await app.call('/docs', { headers: { authorization: '' } })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toMatch(/^text\/html/)
    const policy = response.headers.get('content-security-policy') ?? ''
    expect(policy).toMatch(/default-src 'none'; style-src 'sha256-[A-Za-z0-9+/=]+';/)
    expect(policy).toContain("frame-ancestors 'none'")
    const page = await response.text()
    expect(page).not.toMatch(/<script|<link|<img|javascript:|\son\w+=|@import|url\(/i)
    expect(page).not.toMatch(/(?:src|href)="(?!#)/)
    for (const line of CONTRACT) expect(page).toContain(`<code>${line}</code>`)
    for (const word of ['sitemapUrl', 'bingDailyQuota', 'not_sent', 'other_host', 'server_error_{status}']) {
      expect(page).toContain(word)
    }
    expect(page).toContain('<code>sitemapUrl</code> (required)')
    expect(page).toMatch(/<code>\/openapi\.json<\/code>; that one needs the token/)
    const style = /<style>([\s\S]*)<\/style>/.exec(page)?.[1] ?? ''
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(style)))
    expect(policy).toContain(`sha256-${Buffer.from(digest).toString('base64')}`)
  })
})
