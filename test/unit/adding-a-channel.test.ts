import { describe, expect, it, vi } from 'vitest'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { composeInMemory } from '../support/memory-application'
import { bingSuccess, createInternet, pages } from '../support/shop-internet'

// The one line of the registry.
vi.mock('../../src/channels/registry', async (original) => {
  const { CHANNELS } = await original<typeof import('../../src/channels/registry')>()
  const { courier } = await import('../support/courier/courier')
  return { CHANNELS: [...CHANNELS, courier] }
})

const NOON = Date.UTC(2025, 0, 15, 12)
const SITE = {
  id: 'shop.example',
  sitemapUrl: 'https://shop.example/sitemap.xml',
  apiKey: 'key-of-the-shop-0001',
  courierEnabled: true,
  courierToken: 'token0123456789',
}

async function open(courier: (urls: readonly string[], token: string | null) => Response) {
  const received: string[][] = []
  const internet = createInternet({ pages: pages(7), bing: bingSuccess })
  const app = composeInMemory({
    startMs: NOON,
    env: { SITEMAP_URL: '', INDEXNOW_API_KEY: '', RUN_REQUEST_BUDGET: '500' },
    fetch: async (url, init) => {
      if (new URL(url).host !== 'courier.example') return internet.fetch(url, init)
      const urls = String(init.body).split('\n')
      received.push(urls)
      return courier(urls, new Headers(init.headers).get('authorization'))
    },
  })
  const post = (body: unknown) => app.call('/api/sites', { method: 'POST', body: JSON.stringify(body) })
  const trigger = async (query = '') => {
    const answer = (await (await app.call(`/trigger${query}`)).json()) as { record: ExecutionRecord }
    return answer.record
  }
  return { ...app, post, trigger, received }
}

describe('a channel that is one folder and one line', () => {
  it('has its fields checked, its keys masked, and its name in ?channel=', async () => {
    const app = await open(() => new Response(''))
    const { courierToken: _, ...keyless } = SITE
    const refused = await app.post(keyless)
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { field: 'courierToken', detail: 'courierToken is required when courierEnabled is true' },
    ])
    const created = await (await app.post(SITE)).json()
    expect(created).toMatchObject({ site: { courierDailyQuota: 5, courierToken: '****...****' } })
    const unknown = (await (await app.call('/trigger?channel=fax')).json()) as { detail: string }
    expect(unknown.detail).toBe('channel must be one of all, indexnow, bing, courier')
    const record = await app.trigger('?channel=courier')
    expect(record).toMatchObject({ channel: 'courier', submittedUrls: 5 })
    expect(app.received.map((urls) => urls.length)).toEqual([2, 2, 1])
  })

  it('has marks, quota, batches, books and refusals of its own', async () => {
    const app = await open((urls, token) => {
      if (token !== 'Token token0123456789') return new Response('', { status: 401 })
      return new Response('', { status: urls.some((url) => url.endsWith('/3')) ? 422 : 200 })
    })
    await app.post(SITE)
    const record = await app.trigger()
    expect(record.engines['api.indexnow.org']).toMatchObject({ total: 7, accepted: 7 })
    expect(record.engines.courier).toMatchObject({ total: 7, accepted: 4, rejected: 1, deferred: 2 })
    expect(record.batches.filter(({ channel }) => channel === 'courier').length).toBeGreaterThan(0)
    expect(record.bingStats).toMatchObject({ enabled: false })
    const { keys } = await app.store.list('')
    expect(keys).toContain('url_cache:courier:shop.example:0')
    expect(keys).toContain('courier:quota:shop.example:2025-01-15')
    // The day has one left, the bad URL is settled: one more goes, and then the next day has the last.
    expect((await app.trigger('?channel=courier')).submittedUrls).toBe(1)
    await app.clock.advance(86_400_000)
    expect((await app.trigger('?channel=courier')).submittedUrls).toBe(1)
    expect((await app.trigger()).newUrls).toBe(0)
  })

  it('stays off after a refusal that lasts, while the others go on', async () => {
    const app = await open(() => new Response('', { status: 401 }))
    await app.post(SITE)
    const first = await app.trigger()
    expect(first.errors.map(({ code }) => code)).toContain('courier_switched_off')
    expect(first.engines['api.indexnow.org']).toMatchObject({ accepted: 7 })
    const asked = app.received.length
    expect((await app.trigger()).status).toBe('success')
    expect(app.received).toHaveLength(asked)
  })
})
