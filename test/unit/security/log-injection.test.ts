import { describe, expect, it } from 'vitest'
import { LOG_INJECTIONS } from '../../support/log-injections'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory, createLogCapture } from '../../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)
const RAW = /[\p{Cc}\p{Cs}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/u
const MAX_LINE = 20_000

function expectWhole(lines: readonly string[]): void {
  for (const line of lines) {
    expect(line).not.toMatch(RAW)
    expect(line.length).toBeLessThan(MAX_LINE)
    const entry = JSON.parse(line) as Record<string, unknown>
    expect(Object.keys(entry).slice(0, 3)).toEqual(['time', 'level', 'message'])
    expect(['debug', 'info', 'warn', 'error']).toContain(entry.level)
    expect(entry.message).not.toBe('forged')
  }
}

describe('texts that try to forge a log', () => {
  it('are more than sixty, and each stays inside its field of its line', () => {
    expect(LOG_INJECTIONS.length).toBeGreaterThanOrEqual(60)
    for (const text of LOG_INJECTIONS) {
      const { logger, lines } = createLogCapture({ now: () => NOON })
      logger.warn(`engine says ${text}`, { detail: text, [text.slice(0, 50)]: 1, nested: { url: text } })
      expect(lines).toHaveLength(1)
      expectWhole(lines)
      const entry = JSON.parse(lines[0] ?? '') as Record<string, string>
      expect(entry.time).toBe('2026-11-18T12:00:00.000Z')
      expect(entry.level).toBe('warn')
    }
  })

  it('come from a site, an engine, a sitemap and a caller, and forge nothing in log, record or header', async () => {
    for (const text of LOG_INJECTIONS) {
      const xml = text
        .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, ' ')
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
      const internet = madeUpInternet({
        answer(url, init) {
          if (url.pathname === '/sitemap.xml') {
            const bad = `<url><loc>https://shop.example/${xml.slice(0, 500)}</loc></url>`
            return new Response(`<urlset><url><loc>https://shop.example/a</loc></url>${bad}</urlset>`)
          }
          if (url.pathname.endsWith('/SubmitUrlbatch')) {
            return Response.json({ ErrorCode: 7, Message: `ERROR!!! ${text}` }, { status: 400 })
          }
          if (url.host === 'api.indexnow.org' && init.method === 'GET') {
            return Response.json({ errorCode: text, message: text }, { status: 422 })
          }
          return undefined
        },
      })
      const env = { LOG_LEVEL: 'debug', BING_ENABLED: 'true', BING_API_KEY: 'b'.repeat(32), MAX_RETRIES: '0' }
      const app = composeInMemory({ fetch: internet.fetch, startMs: NOON, env })
      await app.call('/trigger')
      const safe = encodeURIComponent(text.replace(/[\ud800-\udfff]/g, '?').slice(0, 2_000))
      const answers = [
        await app.call(`/api/sites/${safe}`),
        await app.call(`/status?site=${safe}`),
        await app.call(`/history?${safe}=1`),
        await app.call(`/api/sites/shop.example/urls?url=${safe}`),
        await app.call('/history'),
        await app.call('/api/sites', {
          method: 'POST',
          body: JSON.stringify({
            sitemapUrl: 'https://b.example/',
            apiKey: 'another-key-0001',
            name: text,
            [text]: 1,
          }),
        }),
      ]
      expect(app.log.lines.length).toBeGreaterThan(3)
      expectWhole(app.log.lines)
      for (const response of answers) {
        JSON.parse(await response.text())
        for (const [, value] of response.headers) expect(value).not.toMatch(RAW)
        expect(response.headers.get('set-cookie')).toBeNull()
      }
    }
  })
})
