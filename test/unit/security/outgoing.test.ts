import { describe, expect, it } from 'vitest'
import { configure } from '../../../src/compose'
import { refusalOf } from '../../../src/net/guard'
import { HOSTILE_ADDRESSES } from '../../support/hostile-addresses'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory } from '../../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)
const SITE = { sitemapUrl: 'https://a.example/sitemap.xml', apiKey: 'another-key-0001' }

const REDIRECTS = [301, 302, 303, 307, 308]
const redirect = (location: string) => new Response(null, { status: 302, headers: { location } })

describe('addresses nobody may make us ask', () => {
  it('are more than sixty, each refused with a reason', () => {
    expect(HOSTILE_ADDRESSES.length).toBeGreaterThanOrEqual(60)
    for (const address of HOSTILE_ADDRESSES) {
      expect(refusalOf(address, { allowPrivateNetwork: false }), address).toMatch(/^must /)
    }
  })

  it('are refused in every field of a site that holds an address, and by its name', async () => {
    const app = composeInMemory({ fetch: madeUpInternet().fetch, startMs: NOON })
    for (const address of HOSTILE_ADDRESSES) {
      const spelled = address.trim()
      for (const [field, value] of [
        ['sitemapUrl', address],
        ['fallbackSitemapUrls', [address]],
        ['keyLocation', address],
        ['bingSiteUrl', address],
        // The list trims its entries, and a bare name is a host of its own.
        ['searchEngines', [spelled]],
      ] as const) {
        const body = JSON.stringify({ ...SITE, [field]: value })
        const response = await app.call('/api/sites', { method: 'POST', body })
        expect(response.status, `${field} ${address}`).toBe(400)
        expect(await response.json()).toMatchObject({ field })
      }
    }
    expect(await (await app.call('/api/sites')).json()).toMatchObject({ sites: [{ source: 'env' }] })
  })

  it('are refused as host, and in settings', async () => {
    const app = composeInMemory({ fetch: madeUpInternet().fetch, startMs: NOON })
    for (const address of HOSTILE_ADDRESSES) {
      const env = { ADMIN_TOKEN: 'x'.repeat(32), WEBHOOK_URL: address, BING_API_BASE: address }
      expect(configure(env).problems.map(({ setting }) => setting)).toEqual(['WEBHOOK_URL', 'BING_API_BASE'])
      const host = address.replace(/^\s*https?:[\\/]*/, '').replace(/[\\/].*$/, '')
      const response = await app.call('/api/sites', {
        method: 'POST',
        body: JSON.stringify({ ...SITE, host }),
      })
      expect(response.status, host).toBe(400)
    }
  })

  it('are not asked when a sitemap, a child or a fallback redirects there', async () => {
    for (const address of HOSTILE_ADDRESSES) {
      const index = `<sitemapindex><sitemap><loc>https://shop.example/child.xml</loc></sitemap></sitemapindex>`
      const internet = madeUpInternet({
        answer(url) {
          if (url.pathname === '/sitemap.xml') return new Response(index)
          if (url.pathname === '/child.xml') return redirect(address)
          return undefined
        },
      })
      const app = composeInMemory({ fetch: internet.fetch, startMs: NOON, env: { MAX_RETRIES: '0' } })
      await app.call('/trigger')
      await app.call('/api/sites/shop.example/check')
      const asked = new Set(internet.asked.map(({ url }) => new URL(url).origin))
      asked.delete('https://shop.example')
      asked.delete('https://api.indexnow.org')
      expect([...asked], address).toEqual([])
    }
  })

  it('are not asked when a key file or an engine redirects there: those follow no redirect at all', async () => {
    for (const address of HOSTILE_ADDRESSES.filter((one) => URL.canParse(one, 'https://a.example'))) {
      const internet = madeUpInternet({
        answer(url) {
          if (url.pathname.endsWith('.txt') || url.host === 'api.indexnow.org') return redirect(address)
          return undefined
        },
      })
      const app = composeInMemory({ fetch: internet.fetch, startMs: NOON, env: { MAX_RETRIES: '0' } })
      await app.call('/trigger')
      await app.call('/api/sites/shop.example/check')
      const hosts = new Set(internet.asked.map(({ url }) => new URL(url).host))
      expect([...hosts].sort(), address).toEqual(['api.indexnow.org', 'shop.example'])
    }
  })

  it('are not asked when a webhook redirects there, and the signed alert goes nowhere else', async () => {
    const addresses = HOSTILE_ADDRESSES.filter((one) => URL.canParse(one, 'https://a.example'))
    const METADATA = 'http://169.254.169.254/'
    const redirects = [
      ...REDIRECTS.map((status) => ({ address: METADATA, status })),
      ...addresses.map((address, n) => ({ address, status: REDIRECTS[n % REDIRECTS.length] ?? 302 })),
    ]
    for (const { address, status } of redirects) {
      const internet = madeUpInternet({
        answer(url) {
          if (url.host === 'hooks.example')
            return new Response(null, { status, headers: { location: address } })
          return url.host === 'api.indexnow.org' ? new Response('', { status: 400 }) : undefined
        },
      })
      const env = {
        MAX_RETRIES: '0',
        WEBHOOK_URL: 'https://hooks.example/a',
        WEBHOOK_SECRET: 'x'.repeat(32),
      }
      const app = composeInMemory({ fetch: internet.fetch, startMs: NOON, env })
      await app.call('/trigger')
      const hosts = internet.asked.map(({ url }) => new URL(url).host)
      expect(hosts.filter((host) => host === 'hooks.example')).toHaveLength(1)
      expect([...new Set(hosts)].sort(), address).toEqual([
        'api.indexnow.org',
        'hooks.example',
        'shop.example',
      ])
      // Not delivered: it is kept for the next run.
      const state = JSON.parse((await app.store.getText('sites:state:shop.example')) ?? '{}')
      expect(state.alerts).toHaveLength(1)
    }
  })

  it('are not asked as children of an index either', async () => {
    const children = HOSTILE_ADDRESSES.map((address) => {
      const escaped = address.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
      return `<sitemap><loc>${escaped}</loc></sitemap>`
    })
    const internet = madeUpInternet({
      answer: (url) =>
        url.pathname === '/sitemap.xml'
          ? new Response(`<sitemapindex>${children.join('')}</sitemapindex>`)
          : undefined,
    })
    const env = { RUN_REQUEST_BUDGET: '1000', MAX_RETRIES: '0' }
    const app = composeInMemory({ fetch: internet.fetch, startMs: NOON, env })
    await app.call('/trigger')
    await app.call('/api/sites/shop.example/check')
    const hosts = new Set(internet.asked.map(({ url }) => new URL(url).hostname))
    expect([...hosts].filter((host) => !['shop.example', 'api.indexnow.org'].includes(host))).toEqual([])
  })
})
