import { describe, expect, it } from 'vitest'
import { configure } from '../../../src/compose'
import { TOKEN } from '../../support/memory-application'
import { KEY, openShop, shopHost } from '../../support/pretend-internet'

const OWN = {
  ADMIN_TOKEN: TOKEN,
  WEBHOOK_SECRET: 'whsec-of-32-characters-exactly-00',
  WEBHOOK_URL: 'https://hooks.example/its-own-password',
}
const NAMES = Object.keys(OWN).map((name) => `env:${name}`)
const SITE = { sitemapUrl: 'https://two.example/sitemap.xml', apiKey: KEY, bingApiKey: 'bing-key-0123456789' }

describe('secrets of Beckon itself are no keys of a site', () => {
  it.each(NAMES)('%s is refused by POST and by PUT, in both fields', async (name) => {
    const shop = openShop({ env: OWN })
    for (const field of ['apiKey', 'bingApiKey']) {
      for (const value of [name, ` ${name} `]) {
        const post = { method: 'POST', body: JSON.stringify({ ...SITE, [field]: value }) }
        const refused = await shop.call('/api/sites', post)
        expect(refused.status).toBe(400)
        expect(await refused.json()).toMatchObject({ code: 'invalid_field', field })
      }
    }
    await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(SITE) })
    for (const field of ['apiKey', 'bingApiKey']) {
      const put = { method: 'PUT', body: JSON.stringify({ [field]: name }) }
      expect(await (await shop.call('/api/sites/two.example', put)).json()).toMatchObject({
        code: 'invalid_field',
        field,
      })
    }
  })

  it.each(NAMES)('%s is refused in the settings', (name) => {
    const site = { ...OWN, SITEMAP_URL: SITE.sitemapUrl, INDEXNOW_API_KEY: KEY }
    const wrong = (env: Record<string, string>) => configure(env).problems.map(({ setting }) => setting)
    expect(wrong(site)).toEqual([])
    expect(wrong({ ...site, INDEXNOW_API_KEY: name })).toEqual(['INDEXNOW_API_KEY'])
    expect(wrong({ ...site, BING_ENABLED: 'true', BING_API_KEY: name })).toEqual(['BING_API_KEY'])
  })

  it.each(NAMES)('%s, however it got into the store, is sent to nobody', async (name) => {
    const shop = openShop({ env: { ...OWN, SITEMAP_URL: '', INDEXNOW_API_KEY: '' } })
    shop.hosts['two.example'] = shopHost(() => 2)
    const site = { ...SITE, bingEnabled: true, searchEngines: ['a.example'] }
    expect((await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(site) })).status).toBe(201)
    const stored = (await shop.store.getText('sites:config:two.example')) ?? ''
    for (const key of [KEY, SITE.bingApiKey]) {
      expect(stored).toContain(key)
      await shop.store.put('sites:config:two.example', stored.replaceAll(key, name))
      await shop.tick()
      for (const path of ['/trigger?site=two.example', '/api/sites/two.example/check'])
        expect((await shop.call(path)).status).toBe(409)
    }
    for (const host of ['two.example', 'a.example', 'ssl.bing.com']) expect(shop.seen(host)).toEqual([])
  })
})
