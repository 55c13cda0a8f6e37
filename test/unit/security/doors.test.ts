import { describe, expect, it } from 'vitest'
import { meteredStore } from '../../../src/records/metered-store'
import type { ApiDocument } from '../../support/described'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory, TOKEN } from '../../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']

const CREDENTIALS: readonly (readonly [name: string, headers: Record<string, string>, query?: string])[] = [
  ['none', {}],
  ['empty', { authorization: '' }],
  ['the scheme alone', { authorization: 'Bearer' }],
  ['another token', { authorization: 'Bearer another-token-of-32-characters' }],
  ['a longer token', { authorization: `Bearer ${TOKEN}x` }],
  ['a shorter token', { authorization: `Bearer ${TOKEN.slice(0, -1)}` }],
  ['the token in capitals', { authorization: `Bearer ${TOKEN.toUpperCase()}` }],
  ['the token without a scheme', { authorization: TOKEN }],
  ['the token as Basic', { authorization: `Basic ${TOKEN}` }],
  ['the token as Basic user', { authorization: `Basic ${btoa(`${TOKEN}:`)}` }],
  ['another scheme', { authorization: `Token ${TOKEN}` }],
  ['the token twice', { authorization: `Bearer ${TOKEN}, Bearer ${TOKEN}` }],
  ['two spaces', { authorization: `Bearer  ${TOKEN}` }],
  ['in quotes', { authorization: `Bearer "${TOKEN}"` }],
  ['the word undefined', { authorization: 'Bearer undefined' }],
  ['in a cookie', { cookie: `token=${TOKEN}; authorization=Bearer ${TOKEN}` }],
  [
    'in headers of its own',
    { 'x-api-key': TOKEN, 'x-admin-token': TOKEN, 'proxy-authorization': `Bearer ${TOKEN}` },
  ],
  ['in the query', {}, `access_token=${TOKEN}&token=${TOKEN}`],
]

const ODD_PATHS = [
  '/',
  '/nothing',
  '//',
  '//status',
  '/status/',
  '/STATUS',
  '/%73tatus',
  '/./status',
  '/health/../status',
  '/health/..%2fstatus',
  '/health%2f..%2fapi/sites',
  '/health;/../api/sites',
  '/health/',
  '/HEALTH',
  '/docs/',
  '/api/sites/%E0%A4%A',
  '/api/sites/..%2f..%2fhealth',
  '/api//sites',
  '/key-of-the-shop-0001.txt',
  '/wrong-key-00000000.txt',
]

const OPEN = ['/health', '/docs']

function open(env: Record<string, unknown> = {}) {
  const internet = madeUpInternet()
  const meter = { reads: 0, writes: 0 }
  const app = composeInMemory({
    env,
    fetch: internet.fetch,
    startMs: NOON,
    wrapStore: (store) => meteredStore(store, meter),
  })
  const ask = (method: string, path: string, headers: Record<string, string> = {}) => {
    const request = new Request(`https://beckon.test${path}`, { method, headers })
    return app.app.fetch(request, { waitUntil: () => expect.unreachable('nothing may be started') })
  }
  return { ...app, internet, meter, ask }
}

async function pathsOf(app: ReturnType<typeof open>): Promise<string[]> {
  const document = (await (await app.call('/openapi.json')).json()) as ApiDocument
  const described = Object.keys(document.paths).map((path) => path.replace('{id}', 'shop.example'))
  return [...described, ...ODD_PATHS]
}

const HEADERS = {
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
}

describe('the doors, every way', () => {
  it('every path × 8 methods × 18 wrong credentials: the same 401, nothing run, nothing written', async () => {
    const app = open()
    const paths = (await pathsOf(app)).filter((path) => !OPEN.includes(path))
    const answers = new Set<string>()
    let cases = 0
    for (const path of paths) {
      for (const method of METHODS) {
        for (const [name, headers, query] of CREDENTIALS) {
          const address = query === undefined ? path : `${path}?${query}`
          const response = await app.ask(method, address, headers)
          expect(response.status, `${method} ${path} with ${name}`).toBe(401)
          const sent = Object.fromEntries(response.headers)
          expect(sent).toMatchObject(HEADERS)
          if (method !== 'HEAD') answers.add(JSON.stringify([sent, await response.text()]))
          cases++
        }
      }
    }
    expect(cases).toBeGreaterThan(4_000)
    expect(answers.size).toBe(1)
    const [sent, body] = JSON.parse([...answers].join()) as [Record<string, string>, string]
    expect(sent).toMatchObject({ 'www-authenticate': 'Bearer' })
    expect(JSON.parse(body)).toMatchObject({
      code: 'unauthorized',
      detail: expect.stringContaining('ADMIN_TOKEN'),
    })
    expect(app.meter.writes).toBe(0)
    expect(app.internet.asked).toEqual([])
    expect(app.log.lines).toEqual([])
  })

  it('what is open may be read by anybody, and nothing else done to it', async () => {
    const app = open()
    for (const path of OPEN) {
      for (const method of METHODS) {
        const { status } = await app.ask(method, path)
        expect(status, `${method} ${path}`).toBe(method === 'GET' || method === 'HEAD' ? 200 : 401)
      }
    }
    expect(app.meter).toEqual({ reads: 0, writes: 0 })
  })

  it.each([
    [undefined, 'admin_token_missing'],
    ['', 'admin_token_missing'],
    ['   ', 'admin_token_missing'],
    ['undefined', 'admin_token_short'],
    ['fifteen-letters', 'admin_token_short'],
    ['a token with blanks in it', 'admin_token_invalid'],
    ['a-token,with-a-comma', 'admin_token_invalid'],
  ])('with ADMIN_TOKEN %j every protected path answers 503 %s to everybody', async (token, code) => {
    const app = open({ ADMIN_TOKEN: token })
    for (const path of ['/status', '/trigger', '/api/sites', '/openapi.json', ...ODD_PATHS]) {
      for (const method of METHODS) {
        for (const sent of [token ?? 'undefined', '', TOKEN]) {
          const response = await app.ask(method, path, { authorization: `Bearer ${sent}` })
          expect(response.status).toBe(503)
          expect(Object.fromEntries(response.headers)).toMatchObject(HEADERS)
          if (method === 'HEAD') continue
          const detail = expect.stringContaining('not configured')
          expect(await response.json()).toMatchObject({ status: 503, code, detail })
        }
      }
    }
    expect(app.meter.writes).toBe(0)
    expect(app.internet.asked).toEqual([])
  })

  it('HEAD runs nothing anywhere, even with the token', async () => {
    const app = open()
    const paths = (await pathsOf(app)).filter((path) => !OPEN.includes(path))
    for (const path of paths) {
      const response = await app.ask('HEAD', path, { authorization: `Bearer ${TOKEN}` })
      const { status } = await app.ask('OPTIONS', path, { authorization: `Bearer ${TOKEN}` })
      expect(response.status, path).toBe(status)
      if (status === 405) expect(await response.text()).toBe('')
    }
    const allowed = async (path: string) =>
      (await app.ask('HEAD', path, { authorization: `Bearer ${TOKEN}` })).headers.get('allow')
    expect(await allowed('/trigger')).toBe('GET, POST')
    expect(await allowed('/api/sites/shop.example')).toBe('GET, PUT, DELETE')
    expect(await allowed('/api/sites/shop.example/marks')).toBe('DELETE')
    expect(await allowed('/api/sites/shop.example/marks/')).toBeNull()
    expect(app.meter.writes).toBe(0)
    expect(app.internet.asked).toEqual([])
  })

  it('with the token a path takes its own methods, and says which; what is nowhere is 404', async () => {
    const app = open()
    const wrong = await app.call('/api/sites/shop.example', { method: 'PATCH' })
    expect(wrong.status).toBe(405)
    expect(wrong.headers.get('allow')).toBe('GET, PUT, DELETE')
    expect(await wrong.json()).toMatchObject({ code: 'method_not_allowed' })
    expect((await app.call('/trigger', { method: 'OPTIONS' })).status).toBe(405)
    expect((await app.call('/nothing')).status).toBe(404)
    for (const response of [wrong, await app.call('/nothing'), await app.call('/status')]) {
      expect(Object.fromEntries(response.headers)).toMatchObject(HEADERS)
    }
  })

  it('all tokens that differ take about the same way: both sides are hashed before they are compared', async () => {
    const app = open()
    const real = crypto.subtle.digest
    const hashed: number[] = []
    crypto.subtle.digest = (name, data) => {
      hashed.push((data as Uint8Array).byteLength)
      return real.call(crypto.subtle, name, data)
    }
    try {
      for (const sent of ['', 'x', TOKEN.slice(0, -1), `${TOKEN}x`, 'y'.repeat(1_000), TOKEN]) {
        await app.ask('GET', '/nothing', { authorization: `Bearer ${sent}` })
      }
    } finally {
      crypto.subtle.digest = real
    }
    expect(hashed).toEqual([0, 1, TOKEN.length - 1, TOKEN.length + 1, 1_000, TOKEN.length])
  })
})

describe('other origins', () => {
  const origin = 'https://admin.example.com'
  const preflight = { origin, 'access-control-request-method': 'PUT' }

  it('no answer says a word about them unless they are configured', async () => {
    const app = open()
    for (const asking of [origin, 'null', 'https://evil.example']) {
      for (const [method, path] of [
        ['OPTIONS', '/api/sites'],
        ['GET', '/health'],
        ['GET', '/status'],
      ] as const) {
        const response = await app.ask(method, path, {
          ...preflight,
          origin: asking,
          authorization: `Bearer ${TOKEN}`,
        })
        const names = [...response.headers.keys()].filter((name) => name.startsWith('access-control'))
        expect(names).toEqual([])
      }
    }
  })

  it('CORS_ORIGINS lets its origins read, answers their preflight, and no one else’s', async () => {
    const app = open({ CORS_ORIGINS: `${origin}, https://second.example` })
    const allowed = await app.ask('OPTIONS', '/api/sites/shop.example', preflight)
    expect(allowed.status).toBe(204)
    expect(allowed.headers.get('access-control-allow-origin')).toBe(origin)
    expect(allowed.headers.get('access-control-allow-headers')).toContain('authorization')
    expect(allowed.headers.get('access-control-allow-credentials')).toBeNull()
    expect(allowed.headers.get('vary')).toBe('Origin')
    const read = await app.ask('GET', '/status', { origin, authorization: `Bearer ${TOKEN}` })
    expect([read.status, read.headers.get('access-control-allow-origin')]).toEqual([200, origin])
    const denied = await app.ask('GET', '/status', { origin })
    expect(denied.status).toBe(401)
    for (const asking of [
      'null',
      'https://evil.example',
      `${origin}.evil.example`,
      'http://admin.example.com',
    ]) {
      const response = await app.ask('OPTIONS', '/api/sites', { ...preflight, origin: asking })
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([401, null])
    }
  })

  it.each([
    '*',
    'admin.example.com',
    'https://a.example/',
    'ftp://a.example',
  ])('CORS_ORIGINS %s is refused: the API answers 503 with its name', async (value) => {
    const response = await open({ CORS_ORIGINS: value }).call('/status')
    expect(await response.json()).toMatchObject({ status: 503, code: 'cors_origins_invalid' })
  })
})

describe('key files', () => {
  const at = (app: ReturnType<typeof open>, address: string) =>
    app.app.fetch(new Request(address), { waitUntil: () => {} })

  it('are served to anybody where the request’s host is the site’s host, and nowhere else', async () => {
    const app = open()
    const served = await at(app, 'https://shop.example/key-of-the-shop-0001.txt')
    expect(served.status).toBe(200)
    expect(await served.text()).toBe('key-of-the-shop-0001')
    expect(Object.fromEntries(served.headers)).toMatchObject({
      ...HEADERS,
      'content-type': expect.stringMatching(/^text\/plain/),
    })
    for (const address of [
      'https://beckon.test/key-of-the-shop-0001.txt',
      'https://shop.example/key-of-the-shop-0002.txt',
      'https://shop.example/KEY-OF-THE-SHOP-0001.txt',
      'https://shop.example/a/key-of-the-shop-0001.txt',
      'https://shop.example:8443/key-of-the-shop-0001.txt',
    ]) {
      expect((await at(app, address)).status, address).toBe(401)
    }
  })

  it('of a site with another id than its host are found too, and strangers cannot make us list again and again', async () => {
    const app = open()
    const body = JSON.stringify({
      id: 'blog.site',
      host: 'blog.example',
      sitemapUrl: 'https://blog.example/sitemap.xml',
      apiKey: 'key-of-the-blog-0001',
    })
    expect((await app.call('/api/sites', { method: 'POST', body })).status).toBe(201)
    expect((await at(app, 'https://blog.example/key-of-the-blog-0001.txt')).status).toBe(200)
    const { reads } = app.meter
    for (let time = 0; time < 100; time++) await at(app, 'https://blog.example/no-such-key-0000.txt')
    expect(app.meter.reads - reads).toBeLessThanOrEqual(100)
    expect(app.meter.writes).toBe(1)
  })
})
