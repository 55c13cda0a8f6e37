import { describe, expect, it } from 'vitest'
import { configure } from '../../src/compose'
import { openShop, type Shop, START } from '../support/pretend-internet'

const DAY = 86_400_000
const FILES = 'sites:files:shop.example'
const CHILD = 'https://shop.example/child.xml'

/** A shop with an index whose only child has a lastmod and an etag, both of which change with its pages. */
function withIndex(env: Record<string, string> = {}) {
  const lastmod = (version: number) => START - DAY + (version - 1) * DAY
  const shop = Object.assign(openShop({ env }), { version: 1, lastmod })
  shop.hosts['shop.example'] = ({ url: { pathname }, headers }) => {
    if (pathname.endsWith('.txt')) return { status: 200, body: pathname.slice(1, -4) }
    const lastmod = new Date(shop.lastmod(shop.version)).toISOString()
    if (pathname === '/sitemap.xml') {
      const child = `<sitemap><loc>${CHILD}</loc><lastmod>${lastmod}</lastmod></sitemap>`
      return { status: 200, body: `<sitemapindex>${child}</sitemapindex>` }
    }
    const etag = `"v${shop.version}"`
    if (headers.get('if-none-match') === etag) return 304
    const pages = Array.from(
      { length: shop.pages },
      (_, n) => `<url><loc>https://shop.example/p${n}</loc></url>`,
    )
    return { status: 200, body: `<urlset>${pages.join('')}</urlset>`, headers: { etag } }
  }
  return shop
}

async function days(shop: Shop, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    await shop.clock.advance(DAY)
    await shop.tick()
  }
}

describe('what was stored is believed only as far as it can be true', () => {
  it('a file settled by a clock years ahead is read again', async () => {
    const shop = withIndex()
    await shop.tick()
    const stored = JSON.parse((await shop.store.getText(FILES)) ?? '')
    const file = stored.files[CHILD]
    for (const address of Object.keys(file.settledUntil)) file.settledUntil[address] += 1_460
    file.scannedAt += 1_460 * DAY
    await shop.store.put(FILES, JSON.stringify(stored))
    shop.pages = 5
    shop.version = 2
    await days(shop, 2)
    expect(new Set(shop.accepted('a.example')).size).toBe(5)
  })

  it('a scan in the future does not outlast a change, even where the file is settled', async () => {
    const shop = withIndex()
    await shop.tick()
    const stored = JSON.parse((await shop.store.getText(FILES)) ?? '')
    stored.files[CHILD].scannedAt = 1e300
    await shop.store.put(FILES, JSON.stringify(stored))
    shop.pages = 5
    shop.version = 2
    await days(shop, 2)
    expect(new Set(shop.accepted('a.example')).size).toBe(5)
  })

  it('a change right after the reading is found though the clock of the site is behind', async () => {
    const shop = withIndex()
    const MINUTE = 60_000
    // It changes a minute before the first reading and a minute after it.
    shop.lastmod = (version) => START + (version === 1 ? -MINUTE : MINUTE) - 5 * MINUTE
    await shop.tick()
    shop.pages = 5
    shop.version = 2
    await days(shop, 1)
    expect(new Set(shop.accepted('a.example')).size).toBe(5)
  })

  it('a shorter life of marks holds for files that were settled under a longer one', async () => {
    const shop = withIndex({ CACHE_TTL_DAYS: '2' })
    await shop.tick()
    const stored = JSON.parse((await shop.store.getText(FILES)) ?? '')
    const { settledUntil } = stored.files[CHILD]
    for (const address of Object.keys(settledUntil)) settledUntil[address] += 363
    await shop.store.put(FILES, JSON.stringify(stored))
    await days(shop, 4)
    expect(shop.accepted('a.example').length).toBeGreaterThan(3)
  })

  it('marks that are gone take along what is known of the files, before anything new is marked', async () => {
    const shop = withIndex()
    await shop.tick()
    await shop.store.delete('url_cache:shop.example:0')
    let known: string | null = 'nobody looked'
    const serve = shop.hosts['shop.example']
    shop.hosts['a.example'] = () => 200
    shop.hosts['shop.example'] = (request, nth) => {
      if (request.url.pathname === '/child.xml') void shop.store.getText(FILES).then((text) => (known = text))
      return serve?.(request, nth) ?? 500
    }
    await shop.clock.advance(DAY)
    await shop.tick()
    expect(known).toBeNull()
    expect(shop.accepted('a.example')).toHaveLength(6)
  })

  it('DELETE …/marks forgets the files too', async () => {
    const shop = withIndex()
    await shop.tick()
    expect(await shop.store.getText(FILES)).not.toBeNull()
    expect((await shop.call('/api/sites/shop.example/marks', { method: 'DELETE' })).status).toBeLessThan(300)
    expect(await shop.store.getText(FILES)).toBeNull()
  })

  it.each([
    '{}',
    '[]',
    '{"engines":null}',
    '{"runId":"x","engines":{}}',
  ])('a last execution of %s is none', async (text) => {
    const shop = openShop()
    await shop.run()
    const state = { ...(await shop.state()), lastExecution: JSON.parse(text) as unknown }
    await shop.store.put('sites:state:shop.example', JSON.stringify(state))
    expect((await shop.call('/status')).status).toBe(200)
    await shop.store.put('sites:history:shop.example', `[[[]],{},${text}]`)
    expect(await (await shop.call('/history?site=shop.example')).json()).toMatchObject({ total: 0 })
  })

  it.each([
    9, 33, 255,
  ])('marks in 2 to the power of %i buckets are unreadable, and are written anew', async (bits) => {
    const shop = openShop()
    await shop.run()
    const bytes = (await shop.store.getBytes('url_cache:shop.example:0')) ?? new Uint8Array()
    bytes[5] = bits
    await shop.store.put('url_cache:shop.example:0', bytes)
    expect(await shop.run()).toMatchObject({ status: 'success', submittedUrls: 3 })
    expect(await shop.run()).toMatchObject({ status: 'success', newUrls: 0 })
  })
})

describe('what the owner did while others ran', () => {
  it.each(['deleted', 'switched off'])('a site %s during a tick is not run by it', async (what) => {
    const CONFIG = 'sites:config:two.example'
    const shop = openShop()
    const two = {
      sitemapUrl: 'https://two.example/sitemap.xml',
      apiKey: 'key-of-the-second',
      searchEngines: ['b.example'],
    }
    await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(two) })
    // Started once already, it comes after the one that never was.
    await shop.run('?site=two.example')
    await shop.clock.advance(DAY)
    const config = JSON.parse((await shop.store.getText(CONFIG)) ?? '')
    const switchedOff = JSON.stringify({ ...config, fields: { ...config.fields, enabled: false } })
    shop.hosts['a.example'] = () => {
      void (what === 'deleted' ? shop.store.delete(CONFIG) : shop.store.put(CONFIG, switchedOff))
      return 200
    }
    const before = shop.seen('two.example').length
    await shop.tick()
    expect(shop.accepted('a.example')).toHaveLength(3)
    expect(shop.seen('two.example')).toHaveLength(before)
  })

  it('a channel that is switched off while it waits does not keep its site running at every tick', async () => {
    const shop = openShop()
    await shop.run()
    await shop.store.put(
      'sites:state:shop.example',
      JSON.stringify({ ...(await shop.state()), unfinished: { bing: START } }),
    )
    await shop.clock.advance(15 * 60_000)
    await shop.tick()
    expect(await shop.state()).toMatchObject({ unfinished: {} })
  })
})

it('a key that is a part of the name of its site leaves the records as they are', async () => {
  const shop = openShop()
  const key = 'shopexample'
  const site = {
    id: 'shopexample.example',
    sitemapUrl: 'https://shopexample.example/sitemap.xml',
    apiKey: key,
    searchEngines: ['b.example'],
  }
  expect((await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(site) })).status).toBe(201)
  await shop.run('?site=shopexample.example')
  expect(await shop.history('shopexample.example')).toMatchObject([
    { siteId: 'shopexample.example', channel: 'all' },
  ])
})

it('a site stored under the name of another runs under neither', async () => {
  const shop = openShop()
  const fields = { id: 'b.example', sitemapUrl: 'https://b.example/sitemap.xml', apiKey: 'key-of-site-b' }
  const stored = JSON.stringify({ createdAt: '', updatedAt: '', fields })
  await shop.store.put('sites:config:a.example', stored)
  await shop.tick()
  expect(shop.seen('b.example')).toEqual([])
})

it('a webhook secret that is only its prefix is told, and not signed with', () => {
  const { problems } = configure({ WEBHOOK_SECRET: 'whsec_' })
  expect(problems).toContainEqual(expect.objectContaining({ code: 'webhook_secret_invalid' }))
})
