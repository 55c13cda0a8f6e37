import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { webhookHeaders } from '../../src/alerts/sign'
import { HOOK, KEY, openShop, pageOf, type Seen, shopHost } from '../support/pretend-internet'

const SECRET_BYTES = Buffer.from('0123456789abcdef0123456789abcdef')
const SECRET = `whsec_${SECRET_BYTES.toString('base64')}`
const HOOKED = { WEBHOOK_URL: HOOK, MAX_RETRIES: '0' }

interface Body {
  type: string
  timestamp: string
  data: {
    siteId: string
    runId: string
    status: string
    reasons: { code: string; message: string; count?: number; advice?: string }[]
    counts: Record<string, number>
    engines: Record<string, unknown>
  }
}
const bodyOf = (seen: Seen | undefined) => JSON.parse(seen?.body ?? 'null') as Body
const failing = (count: number) => {
  const bad = Array.from({ length: count }, (_, n) => pageOf(n + 1))
  return ({ urls }: Seen) => (bad.includes(urls[0] ?? '') ? 400 : 200)
}

describe('alerts', () => {
  it('N20 exactly 10 % failed: nobody is told', async () => {
    const shop = openShop({ pages: 100, env: HOOKED, hosts: { 'a.example': failing(10) } })
    expect((await shop.run()).status).toBe('partial')
    expect(shop.seen('hooks.example')).toEqual([])
    expect(shop.log.entries('error').some(({ code }) => code === 'failure_rate')).toBe(false)
  })

  it('N20 above 10 %: an ERROR in the log and one alert with reasons, counts and advice, and no key', async () => {
    const shop = openShop({ pages: 100, env: HOOKED, hosts: { 'a.example': failing(11) } })
    const record = await shop.run()
    expect(shop.log.entries('error').find(({ code }) => code === 'failure_rate')).toBeDefined()
    const [alert, ...more] = shop.seen('hooks.example')
    expect(more).toEqual([])
    expect(alert?.method).toBe('POST')
    expect(alert?.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(alert?.headers.get('webhook-id')).toBeTruthy()
    expect(alert?.headers.get('webhook-signature')).toBeNull()
    const { type, data } = bodyOf(alert)
    expect(type).toBe('site.alert')
    expect(data).toMatchObject({
      siteId: 'shop.example',
      runId: record.runId,
      status: 'partial',
      counts: { newUrls: 100, submittedUrls: 89, failedUrls: 11 },
      engines: { 'a.example': { total: 100, accepted: 89, rejected: 11 } },
    })
    expect(data.reasons).toHaveLength(1)
    expect(data.reasons[0]).toMatchObject({ code: 'failure_rate', count: 11 })
    expect(data.reasons[0]?.message).toContain('11 of 100 submissions failed (11 %)')
    expect(data.reasons[0]?.message).toContain('urls_refused')
    expect(data.reasons[0]?.advice).toContain('well formed')
    expect(alert?.body).not.toContain(KEY)
    expect((alert?.body ?? '').length).toBeLessThan(20_000)
    expect(await shop.state()).toMatchObject({ alerts: [] })
  })

  it('N20 without a webhook the ERROR stands alone', async () => {
    const shop = openShop({ pages: 3, env: { MAX_RETRIES: '0' }, hosts: { 'a.example': () => 400 } })
    await shop.run()
    expect(shop.log.entries('error').some(({ code }) => code === 'failure_rate')).toBe(true)
    expect(await shop.state()).toMatchObject({ alerts: [] })
  })

  it('is signed as Standard Webhooks when a secret is set', async () => {
    const env = { ...HOOKED, WEBHOOK_SECRET: SECRET }
    const shop = openShop({ pages: 3, env, hosts: { 'a.example': () => 400 } })
    await shop.run()
    const [alert] = shop.seen('hooks.example')
    const id = alert?.headers.get('webhook-id')
    const timestamp = alert?.headers.get('webhook-timestamp')
    expect(Number(timestamp)).toBe(Math.floor((Date.UTC(2026, 3, 1) + (alert?.at ?? 0)) / 1000))
    const expected = createHmac('sha256', SECRET_BYTES)
      .update(`${id}.${timestamp}.${alert?.body}`)
      .digest('base64')
    expect(alert?.headers.get('webhook-signature')).toBe(`v1,${expected}`)
    expect(shop.log.lines.join()).not.toContain(SECRET)
  })

  it('signs with the bytes behind whsec_, and takes another secret as it stands', async () => {
    const message = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', body: '{"test": 2432232314}' }
    const at = 1_614_265_330_000
    const headers = await webhookHeaders(message, 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', at)
    expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    const plain = createHmac('sha256', 'a plain secret').update(`${message.id}.1614265330.${message.body}`)
    const other = await webhookHeaders(message, 'a plain secret', at)
    expect(other['webhook-signature']).toBe(`v1,${plain.digest('base64')}`)
    expect(await webhookHeaders(message, null, at)).not.toHaveProperty('webhook-signature')
  })

  it('that does not get through is tried again by the next two runs, under the same id, and then let go', async () => {
    const shop = openShop({ pages: 3, env: HOOKED })
    shop.hosts['a.example'] = () => 400
    shop.hosts['hooks.example'] = () => 500
    await shop.run()
    shop.hosts['a.example'] = () => 200
    for (let run = 0; run < 4; run++) {
      shop.pages++
      expect((await shop.run()).status).toBe('success')
    }
    const ids = shop.seen('hooks.example').map(({ headers }) => headers.get('webhook-id'))
    expect(ids).toHaveLength(3)
    expect(new Set(ids).size).toBe(1)
    expect(await shop.state()).toMatchObject({ alerts: [] })
  })

  it('that gets through at the second try is not sent a third time', async () => {
    const shop = openShop({ pages: 3, env: HOOKED })
    shop.hosts['a.example'] = () => 400
    shop.hosts['hooks.example'] = (_, nth) => (nth === 0 ? 503 : 204)
    await shop.run()
    shop.hosts['a.example'] = () => 200
    for (let run = 0; run < 3; run++) {
      shop.pages++
      await shop.run()
    }
    expect(shop.seen('hooks.example')).toHaveLength(2)
  })

  it('to a webhook that hangs delays nobody: the answer is there, and the next site of the tick runs meanwhile', async () => {
    const shop = openShop({ pages: 3, env: HOOKED })
    shop.hosts['a.example'] = () => 400
    shop.hosts['hooks.example'] = () => 'hang'
    const kept: Promise<unknown>[] = []
    const request = new Request('https://beckon.test/trigger', {
      headers: { authorization: 'Bearer a-token-of-32-characters-exactly' },
    })
    const startedAt = shop.clock.now()
    const response = await shop.clock.run(shop.app.fetch(request, { waitUntil: (work) => kept.push(work) }))
    expect(response.status).toBe(200)
    expect(shop.clock.now() - startedAt).toBeLessThan(1_000)
    expect(await shop.history()).toHaveLength(1)
    await shop.clock.run(Promise.all(kept))
    expect(await shop.state()).toMatchObject({ alerts: [{ tries: 1 }] })
  })

  it('D10 the sitemap cannot be read: an alert, whether nothing was read or a fallback had to serve', async () => {
    const shop = openShop({ pages: 3, env: HOOKED })
    shop.hosts['shop.example'] = () => 404
    expect((await shop.run()).status).toBe('failed')
    const { reasons } = bodyOf(shop.seen('hooks.example')[0]).data
    expect(reasons.map(({ code }) => code)).toEqual(['sitemap_unreachable'])
    expect(reasons[0]?.message).toContain('nothing was read')
    expect(reasons[0]?.advice).toContain('sitemapUrl')

    const own = shopHost(() => 2)
    shop.hosts['two.example'] = (request, nth) => {
      if (request.url.pathname === '/gone.xml') return 500
      return own(request, nth)
    }
    const site = {
      sitemapUrl: 'https://two.example/gone.xml',
      fallbackSitemapUrls: ['https://two.example/sitemap.xml'],
      apiKey: KEY,
      searchEngines: ['a.example'],
    }
    await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(site) })
    const record = await shop.run('?site=two.example')
    expect(record).toMatchObject({ status: 'partial', submittedUrls: 2 })
    const told = bodyOf(shop.seen('hooks.example')[1]).data
    expect(told.siteId).toBe('two.example')
    expect(told.reasons.map(({ code }) => code)).toEqual(['sitemap_unreachable'])
    expect(told.reasons[0]?.message).toContain('a fallback was read instead')
  })

  it('Bing switched off: told once, when it happens', async () => {
    const env = { ...HOOKED, BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' }
    const shop = openShop({ pages: 3, env, hosts: { 'ssl.bing.com': () => 401 } })
    const record = await shop.run()
    expect(record.status).toBe('partial')
    const [alert] = shop.seen('hooks.example')
    expect(bodyOf(alert).data.reasons.map(({ code }) => code)).toContain('bing_switched_off')
    expect(alert?.body).not.toContain('bing-key-0123456789')
    shop.pages = 4
    await shop.run()
    expect(shop.seen('hooks.example')).toHaveLength(1)
  })

  it('a key that an engine quotes is in neither record nor alert', async () => {
    const body = JSON.stringify({
      errorCode: 'InvalidRequestParameters',
      message: `url and ${KEY}`,
      details: KEY,
    })
    const bing = JSON.stringify({ ErrorCode: 8, Message: 'ERROR!!! bing-key-0123456789 is odd' })
    const shop = openShop({
      pages: 3,
      env: { ...HOOKED, BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789' },
      hosts: {
        'a.example': () => ({ status: 400, body }),
        'ssl.bing.com': () => ({ status: 400, body: bing }),
      },
    })
    const record = await shop.run()
    const [alert] = shop.seen('hooks.example')
    expect(alert?.body).toContain('failure_rate')
    const stored = await Promise.all(
      ['history', 'pending'].map((key) => shop.store.getText(`sites:${key}:shop.example`)),
    )
    for (const text of [JSON.stringify(record), alert?.body, ...stored, ...shop.log.lines]) {
      expect(text).not.toContain(KEY)
      expect(text).not.toContain('bing-key-0123456789')
    }
  })

  it('a store that takes no marks: no more is sent than can be remembered, and somebody is told', async () => {
    const shop = openShop({ pages: 500, env: HOOKED })
    const { put } = shop.store
    let full = true
    Object.assign(shop.store, {
      put: (...args: Parameters<typeof put>) =>
        full && args[0].startsWith('url_cache') ? Promise.reject(new Error('KV is full')) : put(...args),
    })
    const record = await shop.run()
    expect(record.status).toBe('checkpointed')
    expect(record.engines['a.example']).toMatchObject({ accepted: 100, deferred: 400 })
    const [alert] = shop.seen('hooks.example')
    expect(bodyOf(alert).data.reasons[0]).toMatchObject({ code: 'marks_not_saved' })
    full = false
    expect((await shop.run()).status).toBe('success')
    expect(new Set(shop.accepted('a.example')).size).toBe(500)
  })

  it('N20 is sent even when the run used all its time and every request but the one kept for it', async () => {
    const shop = openShop({
      pages: 6,
      env: {
        ...HOOKED,
        RUN_REQUEST_BUDGET: '5',
        RUN_TIME_BUDGET_MS: '1000',
        REQUEST_INTERVAL_MS: '0',
        MAX_CONCURRENT_REQUESTS: '1',
      },
      latencyMs: 300,
      hosts: { 'a.example': () => 404 },
    })
    const record = await shop.run()
    expect(record).toMatchObject({ requests: 3, durationMs: 900 })
    await shop.clock.advance(1_000)
    expect(shop.seen('hooks.example')).toHaveLength(1)

    const slow = openShop({
      pages: 6,
      env: { ...HOOKED, RUN_TIME_BUDGET_MS: '1000', REQUEST_INTERVAL_MS: '0', MAX_CONCURRENT_REQUESTS: '1' },
      latencyMs: 300,
      hosts: { 'a.example': () => 404 },
    })
    expect((await slow.run()).engines['a.example']).toMatchObject({ rejected: 2, deferred: 4 })
    expect(slow.seen('hooks.example')).toHaveLength(1)
  })
})
