import { reset } from 'cloudflare:test'
import { afterEach, describe, expect, it } from 'vitest'
import { beckon, openWorld, settingsFor, TOKEN } from '../support/beckon'

afterEach(reset)

const PATHS = ['/', '/status', '/trigger', '/history', '/api/sites', '/api/sites/x.example', '/nothing']

describe('the doors', () => {
  it('/health is public, all else wants the token and answers 401 alike', async () => {
    const app = beckon({ ADMIN_TOKEN: TOKEN })
    const health = await app.fetch('/health', { headers: { authorization: '' } })
    expect(health.status).toBe(200)
    expect(await health.json()).toMatchObject({
      status: 'ok',
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    })
    for (const path of PATHS) {
      for (const authorization of [
        '',
        'Bearer',
        'Bearer wrong',
        `Basic ${TOKEN}`,
        `Bearer ${TOKEN}x`,
        TOKEN,
      ]) {
        const response = await app.fetch(path, { headers: { authorization } })
        expect(response.status).toBe(401)
        expect(await response.json()).toMatchObject({ code: 'unauthorized' })
      }
    }
    expect((await app.fetch('/nothing')).status).toBe(404)
  })

  it('fails closed without a token, with a short one and with a wrong setting; /health stays 200', async () => {
    for (const [settings, code] of [
      [{}, 'admin_token_missing'],
      [{ ADMIN_TOKEN: 'short' }, 'admin_token_short'],
      [{ ADMIN_TOKEN: TOKEN, SITEMAP_URL: 'https://example.com/sitemap.xml' }, 'indexnow_api_key_missing'],
      [
        { ADMIN_TOKEN: TOKEN, SITEMAP_URL: 'example', INDEXNOW_API_KEY: 'a'.repeat(32) },
        'sitemap_url_invalid',
      ],
      [{ ADMIN_TOKEN: TOKEN, RUN_REQUEST_BUDGET: 'many' }, 'run_request_budget_invalid'],
    ] as const) {
      const app = beckon(settings)
      for (const path of PATHS) {
        const response = await app.fetch(path)
        expect(response.status).toBe(503)
        expect(await response.json()).toMatchObject({ status: 503, code })
      }
      expect((await app.fetch('/health')).status).toBe(200)
    }
  })

  it('HEAD runs nothing, an unknown channel is 400, a disabled one says so, a second run is 409', async () => {
    const world = await openWorld({ pages: 40, latencyMs: 20 })
    const app = beckon(settingsFor(world))
    expect((await app.fetch('/trigger', { method: 'HEAD' })).status).toBe(405)
    expect((await world.ledger('a')).requests).toEqual([])
    expect(await app.json('/trigger?channel=fax')).toMatchObject({ status: 400, code: 'unknown_channel' })
    expect(await app.json('/trigger?channel=bing')).toMatchObject({
      status: 400,
      detail: 'Bing submission is not enabled for this site',
    })
    expect((await app.fetch('/trigger?site=other.example')).status).toBe(404)

    const first = app.trigger()
    await expect.poll(async () => (await world.ledger('a')).requests.length).toBeGreaterThan(0)
    const second = await app.fetch('/trigger')
    expect(second.status).toBe(409)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await first).record.submittedUrls).toBe(40)
    await world.close()
  })

  it('async=true answers 202 with the run id, and the run still ends with its record', async () => {
    const world = await openWorld({ pages: 5 })
    const app = beckon(settingsFor(world))
    const response = await app.fetch('/trigger?async=true', { method: 'POST' })
    expect(response.status).toBe(202)
    const { runId } = (await response.json()) as { runId: string }
    const status = await app.json<{ lastExecution: { runId: string } }>('/status?site=127.0.0.1')
    expect(status.lastExecution.runId).toBe(runId)
    await world.close()
  })
})
