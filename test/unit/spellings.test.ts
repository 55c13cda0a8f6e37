import { describe, expect, it } from 'vitest'
import { indexnow } from '../../src/channels/indexnow/indexnow'
import { siteWith } from '../support/memory-application'
import { KEY, openShop, shopHost } from '../support/pretend-internet'

type Shop = ReturnType<typeof openShop>
const FIRST = { sitemapUrl: 'https://f.example/sitemap.xml', apiKey: KEY }
const LONG = `https://f.example/${'a'.repeat(2_048)}`
const post = (shop: Shop, site: Record<string, unknown>) =>
  shop.call('/api/sites', { method: 'POST', body: JSON.stringify(site) })

describe('one thing in several spellings', () => {
  it.each([
    'https://F.EXAMPLE/sitemap.xml',
    'https://f.example:443/sitemap.xml',
    'https://f.example/sitemap.xml?',
    'https://f.example/sitemap.xml#top',
    'https://f.example/sitemap.xml?#',
    'https://f.example./sitemap.xml',
    '  https://f.example/sitemap.xml  ',
    'https://f.example/a/../sitemap.xml',
  ])('the sitemap %j is that of the first site, and shown as such', async (sitemapUrl) => {
    const shop = openShop()
    await post(shop, FIRST)
    const second = await post(shop, { ...FIRST, id: 'other.example', sitemapUrl })
    expect(await second.json()).toMatchObject({ status: 409, code: 'site_exists', field: 'sitemapUrl' })
    await shop.call('/api/sites/f.example', { method: 'DELETE' })
    const alone = await post(shop, { ...FIRST, sitemapUrl })
    expect(await alone.json()).toMatchObject({ site: { id: 'f.example', sitemapUrl: FIRST.sitemapUrl } })
  })

  it('two sitemaps that differ in their query are two', async () => {
    const shop = openShop()
    await post(shop, FIRST)
    const other = { ...FIRST, id: 'other.example', sitemapUrl: `${FIRST.sitemapUrl}?lang=de` }
    expect((await post(shop, other)).status).toBe(201)
  })

  it('an id may be spelled with capitals wherever it is named', async () => {
    const shop = openShop()
    shop.hosts['f.example'] = shopHost(() => 2)
    await post(shop, FIRST)
    for (const path of [
      '/api/sites/F.EXAMPLE',
      '/api/sites/F.Example/pending',
      '/api/sites/F.Example/urls?url=https://f.example/page-1',
      '/status?site=F.EXAMPLE',
      '/history?site=F.EXAMPLE',
      '/api/stats/daily?site=F.EXAMPLE',
      '/trigger?site=F.EXAMPLE',
    ]) {
      expect((await shop.call(path)).status, path).toBe(200)
    }
    const put = await shop.call('/api/sites/F.EXAMPLE', { method: 'PUT', body: '{"name":"F"}' })
    expect(await put.json()).toMatchObject({ site: { id: 'f.example', name: 'F' } })
    expect((await shop.call('/api/sites/F.EXAMPLE/marks', { method: 'DELETE' })).status).toBe(200)
    expect((await shop.store.list('url_cache')).keys).toEqual([])
    expect((await shop.call('/api/sites/F.EXAMPLE', { method: 'DELETE' })).status).toBe(200)
    expect((await shop.store.list('sites:')).keys).toEqual([])
  })

  it('an engine is asked once, however often it is named', () => {
    const spelled = [
      'api.indexnow.org',
      'http://api.indexnow.org',
      'api.indexnow.org.',
      'API.indexnow.org/indexnow',
      'https://api.indexnow.org:443/indexnow',
    ]
    const site = siteWith({ INDEXNOW_SEARCH_ENGINES: spelled.join(',') })
    expect(indexnow.endpoints(site)).toEqual([
      { name: 'api.indexnow.org', address: 'https://api.indexnow.org/indexnow' },
    ])
  })
})

describe('texts that are kept', () => {
  it.each([
    ['name', 'orders to a terminal', '\u001b[31mred'],
    ['name', 'a line break', 'two\nlines'],
    ['name', 'a change of direction', '\u202egnp.exe'],
    ['name', 'a mark of direction', 'a\u200fb'],
    ['name', 'half a character', 'half \ud83d'],
    ['schedule', '40 KB', `${'0,'.repeat(20_000)}0 0 * * *`],
    ['sitemapUrl', 'without end', LONG],
    ['fallbackSitemapUrls', 'without end', [LONG]],
    ['keyLocation', 'without end', LONG],
    ['bingSiteUrl', 'without end', LONG],
    ['searchEngines', 'without end', [LONG]],
    ['searchEngines', 'the key', [`a.example/${FIRST.apiKey}/indexnow`]],
    ['searchEngines', 'orders to a terminal', ['a.example/\u001b[31m']],
  ])('%s must not be, or hold, %s', async (field, _, value) => {
    const response = await post(openShop(), { ...FIRST, [field]: value })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ field, detail: expect.stringMatching(`^${field} `) })
  })

  it('a name may be in any language, with pictures', async () => {
    const name = 'Магазин 書店 👩‍💻 می‌خواهم'
    expect(await (await post(openShop(), { ...FIRST, name })).json()).toMatchObject({ site: { name } })
  })
})
