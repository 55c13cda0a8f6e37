import { describe, expect, it } from 'vitest'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory } from '../../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)

/** Every secret the product ever holds. */
const CANARIES = {
  ADMIN_TOKEN: 'canary-admin-token-7f3a9c51',
  INDEXNOW_API_KEY: 'canary-indexnow-env-2b8d4e60',
  BING_API_KEY: 'canary-bing-env-91c7f2a4d0e8',
  WEBHOOK_SECRET: 'whsec_Y2FuYXJ5LXdlYmhvb2stc2VjcmV0',
  SECOND_KEY: 'canary-named-secret-5e1f7a32',
  site: 'canary-site-indexnow-c4b19d73',
  bing: 'canary-site-bing-08fe6a2b5c11',
}

const hex = (text: string) => Buffer.from(text).toString('hex')

/** A base64 text of something longer shows a secret in one of three ways, by where it begins. */
function inBase64(text: string): string[] {
  return [0, 1, 2].map((shift) => {
    const encoded = Buffer.from(`${'.'.repeat(shift)}${text}`).toString('base64')
    return encoded.slice(shift === 0 ? 0 : 4, -4)
  })
}

const ENCODINGS: Readonly<Record<string, (text: string) => string[]>> = {
  plain: (text) => [text],
  percent: (text) => [
    encodeURIComponent(text),
    [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join(''),
  ],
  base64: (text) => inBase64(text).flatMap((one) => [one, one.replaceAll('+', '-').replaceAll('/', '_')]),
  hex: (text) => [hex(text), hex(text).toUpperCase()],
  json: (text) => [
    [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ],
}

/** `secret in encoding` for each secret found, except those that may be there. */
function found(text: string, allowed: readonly string[] = []): string[] {
  return Object.entries(CANARIES)
    .filter(([name]) => !allowed.includes(name))
    .flatMap(([name, secret]) =>
      Object.entries(ENCODINGS)
        .filter(([, encode]) => encode(secret).some((form) => text.includes(form)))
        .map(([encoding]) => `${name} in ${encoding}`),
    )
}

/** Engines that say back everything they were told, in errors of all kinds. */
function echoing(status: number, throws = false) {
  return madeUpInternet({
    key: CANARIES.INDEXNOW_API_KEY,
    answer(url, init) {
      if (url.host === 'shop.example' || url.host === 'second.example') return undefined
      const echo = `${init.method} ${url.href} ${String(init.body ?? '')} ${JSON.stringify(init.headers)}`
      if (throws) throw new TypeError(`fetch failed: ${echo}`)
      const body = {
        ErrorCode: 8,
        Message: echo,
        errorCode: url.searchParams.get('key') ?? 'x',
        message: echo,
        details: echo,
      }
      return Response.json(body, { status, headers: { location: url.href, 'retry-after': '1' } })
    },
  })
}

describe('canary secrets', () => {
  it('the search finds them in all five encodings', () => {
    for (const [name, secret] of Object.entries(CANARIES)) {
      for (const [encoding, encode] of Object.entries(ENCODINGS)) {
        for (const form of encode(secret)) {
          expect(found(`before ${form} after`), form).toContain(`${name} in ${encoding}`)
        }
      }
      const inside = Buffer.from(`{"key":"${secret}"}`).toString('base64')
      expect(found(inside)).toContain(`${name} in base64`)
    }
  })

  it.each([
    ['answer 200', 200, false],
    ['redirect', 302, false],
    ['answer 400', 400, false],
    ['answer 401', 401, false],
    ['answer 403', 403, false],
    ['answer 422', 422, false],
    ['answer 429', 429, false],
    ['answer 500', 500, false],
    ['break the connection', 0, true],
  ])('are in no answer, no log line, no record and no webhook when engines %s and echo them', async (_, status, throws) => {
    const internet = echoing(status, throws)
    const { site, bing, ...env } = CANARIES
    const app = composeInMemory({
      fetch: internet.fetch,
      startMs: NOON,
      env: {
        ...env,
        SITEMAP_URL: 'https://shop.example/sitemap.xml',
        BING_ENABLED: 'true',
        WEBHOOK_URL: 'https://hooks.example/beckon',
        LOG_LEVEL: 'debug',
        MAX_RETRIES: '1',
      },
    })
    const answers: string[] = []
    const ask = async (path: string, init: RequestInit = {}) => {
      const headers = { authorization: `Bearer ${CANARIES.ADMIN_TOKEN}` }
      const response = await app.call(path, { ...init, headers })
      answers.push(`${path} ${JSON.stringify([...response.headers])} ${await response.text()}`)
      return response.status
    }
    const second = {
      id: 'second.example',
      sitemapUrl: 'https://second.example/sitemap.xml',
      apiKey: site,
      keyLocation: `https://second.example/${site}.txt`,
      bingEnabled: true,
      bingApiKey: bing,
    }
    const post = (body: unknown) => ask('/api/sites', { method: 'POST', body: JSON.stringify(body) })
    const put = (body: unknown) =>
      ask('/api/sites/second.example', { method: 'PUT', body: JSON.stringify(body) })
    expect(await post(second)).toBe(201)
    // Secrets in wrong places are not said back either.
    expect(await post({ ...second, id: site, bingDailyQuota: bing })).toBe(400)
    expect(await post({ ...second, sitemapUrl: `ftp://${site}/`, searchEngines: [`ftp://${bing}`] })).toBe(
      400,
    )
    expect(await put({ apiKey: `${site} ` })).toBe(200)
    expect(await put({ apiKey: `${site}!`, bingApiKey: `${bing}!` })).toBe(400)
    expect(await put({ bingApiKey: 'env:SECOND_KEY' })).toBe(200)
    for (const id of ['shop.example', 'second.example']) {
      await ask(`/trigger?site=${id}`)
      await ask(`/api/sites/${id}/check`)
      await ask(`/api/sites/${id}/pending`)
      await ask(`/api/sites/${id}/urls?url=${encodeURIComponent(`https://${id}/page-1`)}`)
      await ask(`/api/sites/${id}`)
      await ask(`/history?site=${id}`)
      await ask(`/status?site=${id}`)
    }
    await app.tick()
    for (const path of [
      '/',
      '/status',
      '/api/sites',
      '/api/stats/daily',
      '/openapi.json',
      '/docs',
      '/health',
      '/nothing',
    ]) {
      await ask(path)
    }
    await ask('/api/sites/second.example', { method: 'DELETE', body: '{' })
    expect(answers.length).toBeGreaterThan(25)
    expect(app.log.lines.length).toBeGreaterThan(15)
    for (const answer of answers) expect(found(answer), answer.slice(0, 300)).toEqual([])
    for (const line of app.log.lines) expect(found(line), line.slice(0, 300)).toEqual([])
    const { keys } = await app.store.list('')
    expect(keys.length).toBeGreaterThan(2)
    for (const key of keys) {
      const record = `${key} ${await app.store.getText(key)}`
      // The configuration holds what people wrote into it, and nothing else may.
      expect(found(record, key.startsWith('sites:config:') ? ['site', 'bing'] : []), key).toEqual([])
    }
    const hooks = internet.asked.filter(({ url }) => url.startsWith('https://hooks.example'))
    if (status !== 200) expect(hooks.length).toBeGreaterThan(0)
    for (const { url, body } of hooks) expect(found(`${url} ${body}`)).toEqual([])
  })
})
