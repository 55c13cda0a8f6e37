import { describe, expect, it } from 'vitest'
import { KEY, openShop, shopHost } from '../support/pretend-internet'

const CONFIG = 'sites:config:two.example'
const SITE = { sitemapUrl: 'https://two.example/sitemap.xml', apiKey: KEY, searchEngines: ['b.example'] }
const NONE = { SITEMAP_URL: '', INDEXNOW_API_KEY: '' }

async function withStored(change: (stored: string) => string) {
  const shop = openShop({ env: NONE })
  shop.hosts['two.example'] = shopHost(() => 2)
  const post = () => shop.call('/api/sites', { method: 'POST', body: JSON.stringify(SITE) })
  expect((await post()).status).toBe(201)
  await shop.store.put(CONFIG, change((await shop.store.getText(CONFIG)) ?? ''))
  return { shop, post }
}

describe('a stored site that cannot be used', () => {
  it.each([
    ['no longer passes', (stored: string) => stored.replace('b.example', 'yahoo'), /searchEngines/],
    ['is no JSON any more', () => '{"fields"', /unreadable/],
    ['is something else', () => '[]', /unreadable/],
  ])('because it %s is told, is not replaced by POST, and may be deleted', async (_, change, why) => {
    const { shop, post } = await withStored(change)
    const before = await shop.store.getText(CONFIG)
    const list = (await (await shop.call('/api/sites')).json()) as Record<string, unknown>
    expect(list).toEqual({ sites: [], unusable: [{ id: 'two.example', detail: expect.stringMatching(why) }] })
    const refused = await post()
    expect(refused.status).toBe(409)
    expect(await refused.json()).toMatchObject({ code: 'site_exists', field: 'id' })
    expect(await shop.store.getText(CONFIG)).toBe(before)

    for (const path of ['/api/sites/two.example', '/status?site=two.example', '/trigger?site=two.example']) {
      const response = await shop.call(path)
      expect(response.status, path).toBe(409)
      expect(await response.json()).toMatchObject({
        code: 'site_unusable',
        detail: expect.stringMatching(why),
      })
    }
    await shop.tick()
    expect(shop.seen('two.example')).toEqual([])
    expect(shop.log.entries('error').some(({ key }) => key === CONFIG)).toBe(true)

    expect((await shop.call('/api/sites/two.example', { method: 'DELETE' })).status).toBe(200)
    expect((await post()).status).toBe(201)
  })

  it('may be put right by PUT, its key kept', async () => {
    const { shop } = await withStored((stored) => stored.replace('b.example', 'yahoo'))
    const body = JSON.stringify({ searchEngines: ['b.example'] })
    expect((await shop.call('/api/sites/two.example', { method: 'PUT', body })).status).toBe(200)
    expect(await (await shop.call('/api/sites')).json()).not.toHaveProperty('unusable')
    await shop.tick()
    expect(shop.accepted('b.example')).toHaveLength(2)
  })

  it('a site that the list does not know yet is not replaced either', async () => {
    const { shop, post } = await withStored((stored) => stored)
    Object.assign(shop.store, { list: async () => ({ keys: [] }) })
    expect((await post()).status).toBe(409)
  })
})
