import { describe, expect, it } from 'vitest'
import { folderRefusal } from '../../src/channels/indexnow/key-file'
import { type Host, KEY, openShop, pageOf, type Reply, START, shopHost } from '../support/pretend-internet'

const KEY_FILE = `/${KEY}.txt`
const HOUR = 3_600_000

/** The shop with a key file that answers as told. */
const withKeyFile = (reply: () => Reply): Host => {
  const rest = shopHost(() => 3)
  return (request, nth) => (request.url.pathname === KEY_FILE ? reply() : rest(request, nth))
}

const looks = (shop: ReturnType<typeof openShop>) =>
  shop.seen('shop.example').filter(({ url }) => url.pathname === KEY_FILE)

describe('the key file', () => {
  it('N04 is looked at before the first submission, and not again while the key stays', async () => {
    const shop = openShop({ pages: 3 })
    expect((await shop.run()).status).toBe('success')
    expect(looks(shop)).toHaveLength(1)
    const [look] = looks(shop)
    expect(look?.at).toBeLessThanOrEqual(shop.seen('a.example')[0]?.at ?? -1)
    shop.pages = 5
    expect(await shop.run()).toMatchObject({ status: 'success', submittedUrls: 2 })
    expect(looks(shop)).toHaveLength(1)
  })

  it('N04 is not looked at when there is nothing to submit', async () => {
    const shop = openShop({ pages: 0 })
    await shop.run()
    expect(looks(shop)).toHaveLength(0)
  })

  it.each<[string, Reply, string, string]>([
    ['missing', 404, 'key_file_missing', 'answers HTTP 404'],
    ['moved', { status: 301, headers: { location: '/k.txt' } }, 'key_file_missing', 'answers HTTP 301'],
    ['another key', { status: 200, body: 'other-key-0000' }, 'key_file_wrong', 'holds something else'],
    ['a web page', { status: 200, body: '<!doctype html>' }, 'key_file_wrong', 'holds a web page'],
    ['empty', { status: 200, body: '\n' }, 'key_file_wrong', 'holds nothing'],
  ])('N04 %s: no engine is asked in this run, and the reason says what is there', async (_, reply, code, says) => {
    let now = reply
    const shop = openShop({ env: { INDEXNOW_SEARCH_ENGINES: 'a.example,b.example' } })
    shop.hosts['shop.example'] = withKeyFile(() => now)
    const record = await shop.run()
    expect([...shop.seen('a.example'), ...shop.seen('b.example')]).toEqual([])
    expect(record.status).toBe('failed')
    expect(record.engines['a.example']).toMatchObject({ total: 3, deferred: 3 })
    const told = record.errors.find((error) => error.code === code)
    expect(told?.message).toContain(says)
    expect(told?.advice).toContain('nothing but the key')
    expect(JSON.stringify(record)).not.toContain(KEY)
    expect(shop.log.lines.join('\n')).not.toContain(KEY)
    expect(shop.log.entries('error').some(({ message }) => message.includes(says))).toBe(true)

    now = { status: 200, body: `\uFEFF ${KEY} \r\n` }
    expect(await shop.run()).toMatchObject({ status: 'success', submittedUrls: 3 })
  })

  it.each<Reply>([
    503,
    'network',
  ])('N04 %s: retried after 1, 2 and 4 s, then put off with an alert', async (reply) => {
    let now = reply
    const shop = openShop({ env: { WEBHOOK_URL: 'https://hooks.example/beckon' } })
    shop.hosts['shop.example'] = withKeyFile(() => now)
    const record = await shop.run()
    expect(looks(shop).map(({ at }) => at)).toEqual([0, 1_000, 3_000, 7_000])
    expect(shop.seen('a.example')).toEqual([])
    expect(record).toMatchObject({ status: 'checkpointed', failedUrls: 0 })
    expect(record.errors.map((error) => error.code)).toContain('key_file_unreachable')
    const [alert] = shop.seen('hooks.example')
    expect(alert?.body).toContain('key_file_unreachable')
    expect(alert?.body).not.toContain(KEY)

    now = { status: 200, body: KEY }
    await shop.clock.advance(START + HOUR + 6_999 - shop.clock.now())
    await shop.tick()
    expect(looks(shop)).toHaveLength(4)
    await shop.clock.advance(1)
    await shop.tick()
    expect(shop.accepted('a.example')).toEqual([1, 2, 3].map((n) => pageOf(n)))
  })

  it('N04 an engine that refuses the key: the file is looked at again by the next run', async () => {
    let refuses = true
    const shop = openShop({ pages: 3, env: { MAX_CONCURRENT_REQUESTS: '1' } })
    shop.hosts['a.example'] = () => (refuses ? 403 : 200)
    await shop.run()
    expect(looks(shop)).toHaveLength(1)
    refuses = false
    expect((await shop.run()).status).toBe('success')
    expect(looks(shop)).toHaveLength(2)
    shop.pages = 4
    await shop.run()
    expect(looks(shop)).toHaveLength(2)
  })

  it('N04 a changed key is looked at anew', async () => {
    const shop = openShop({ pages: 0 })
    const create = (id: string, apiKey: string) =>
      shop.store.put(
        `sites:config:${id}`,
        JSON.stringify({
          createdAt: '',
          updatedAt: '',
          fields: { id, sitemapUrl: 'https://two.example/sitemap.xml', apiKey, searchEngines: ['a.example'] },
        }),
      )
    let pages = 2
    shop.hosts['two.example'] = ({ url }) => {
      const key = /^\/(key-\w+)\.txt$/.exec(url.pathname)?.[1]
      return key === undefined
        ? shopHost(() => pages)({ url } as Parameters<Host>[0], 0)
        : { status: 200, body: key }
    }
    const files = () =>
      shop
        .seen('two.example')
        .filter(({ url }) => url.pathname.endsWith('.txt'))
        .map(({ url }) => url.pathname)
    await create('two.example', 'key-one0000')
    await shop.run('?site=two.example')
    await create('two.example', 'key-two0000')
    pages = 3
    await shop.run('?site=two.example')
    pages = 4
    await shop.run('?site=two.example')
    expect(files()).toEqual(['/key-one0000.txt', '/key-two0000.txt'])
  })

  it('a key file in a folder speaks for that folder alone: what lies outside is refused before sending', async () => {
    const shop = openShop({ pages: 0 })
    const urls = ['/catalog/one', '/catalog/two', '/help/three', '/catalogue'].map(
      (path) => `https://cat.example${path}`,
    )
    shop.hosts['cat.example'] = ({ url }) =>
      url.pathname === '/catalog/k.txt'
        ? { status: 200, body: KEY }
        : {
            status: 200,
            body: `<urlset>${urls.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`,
          }
    const site = {
      sitemapUrl: 'https://cat.example/sitemap.xml',
      apiKey: KEY,
      keyLocation: 'https://cat.example/catalog/k.txt',
      searchEngines: ['a.example'],
    }
    await shop.call('/api/sites', { method: 'POST', body: JSON.stringify(site) })
    const record = await shop.run('?site=cat.example')
    expect(shop.accepted('a.example')).toEqual(urls.slice(0, 2))
    expect(record.engines['a.example']).toMatchObject({ total: 4, accepted: 2, rejected: 2 })
    const told = record.errors.find(({ code }) => code === 'outside_key_folder')
    expect(told?.message).toContain('cat.example/catalog/')
    expect(told?.advice).toContain('keyLocation')
  })

  it.each([
    ['https://x.example/k.txt', 'https://x.example/any', true],
    ['https://x.example/a/k.txt', 'http://x.example/a/b?c=/a/', true],
    ['https://x.example/a/k.txt', 'https://x.example/a', false],
    ['https://x.example/a/k.txt', 'https://x.example/b/a/', false],
    ['https://other.example/k.txt', 'https://x.example/a', false],
  ])('%s covers %s: %s', (keyLocation, url, covered) => {
    expect((folderRefusal(keyLocation, 'x.example')?.(url) ?? null) === null).toBe(covered)
  })
})
