import { reset } from 'cloudflare:test'
import { Buffer } from 'node:buffer'
import { gzipSync } from 'node:zlib'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { World } from '../../sandbox/sandbox-client'
import type { Override } from '../../sandbox/shapes'
import { beckon, openWorld, settingsFor } from '../support/beckon'

/** PROTOCOLS.md 3.2: what real sitemaps do. One row per behaviour, each with its number there. */

let world: World
beforeAll(async () => {
  world = await openWorld({ pages: 0 })
})
afterAll(() => world.close())
beforeEach(() => world.reset())
afterEach(() => reset())

const OPEN = '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">'
const url = (path: string, more = '') => `<url><loc>${world.origin}${path}</loc>${more}</url>`
const urlset = (...entries: readonly string[]) => `${OPEN}${entries.join('')}</urlset>`
const index = (...paths: readonly string[]) =>
  `<sitemapindex>${paths.map((path) => `<sitemap><loc>${world.origin}${path}</loc></sitemap>`).join('')}</sitemapindex>`
const binary = (bytes: Uint8Array, headers: Record<string, string> = {}): Override => ({
  bodyBase64: btoa(String.fromCharCode(...bytes)),
  headers,
})
const gz = (text: string, headers?: Record<string, string>) => binary(gzipSync(text), headers)

/** One run over a site made of these files; the paths that the engine accepted, in order. */
async function crawl(files: Record<string, Override | string>, fields: Record<string, unknown> = {}) {
  const overrides = Object.fromEntries(
    Object.entries(files).map(([path, file]) => [path, typeof file === 'string' ? { body: file } : file]),
  )
  await world.site({ overrides })
  const {
    SITEMAP_URL: _,
    INDEXNOW_API_KEY: __,
    ...settings
  } = settingsFor(world, { SITEMAP_TIMEOUT_MS: '1500' })
  const app = beckon(settings)
  const created = await app.post('/api/sites', {
    id: 'shop.example',
    sitemapUrl: world.sitemapUrl,
    apiKey: world.key,
    submitMethod: 'bulk',
    maxRetries: 1,
    ...fields,
  })
  expect(created.status).toBe(201)
  const { record } = await app.trigger('?site=shop.example')
  const { accepted, duplicates } = await world.ledger('a')
  expect(duplicates).toEqual([])
  const paths = accepted.map((one) => one.url.replace(world.origin, ''))
  return { paths, record, codes: record.errors.map(({ code }) => code) }
}

const ONE = ['/1']
const SITEMAP = '/sitemap.xml'

describe('what real sitemaps do', () => {
  it('1 gzip, found by its name or its content type', async () => {
    const files = { [SITEMAP]: index('/a.xml.gz', '/b.xml'), '/a.xml.gz': gz(urlset(url('/1'))) }
    const typed = gz(urlset(url('/2')), { 'content-type': 'application/x-gzip' })
    expect((await crawl({ ...files, '/b.xml': typed })).paths).toEqual(['/1', '/2'])
  })

  it('2 gzip, found by its first bytes only', async () => {
    expect((await crawl({ [SITEMAP]: gz(urlset(url('/1')), { 'content-type': 'text/xml' }) })).paths).toEqual(
      ONE,
    )
  })

  it('2 gzip as content encoding, of several members, and padded with zeros', async () => {
    const text = urlset(url('/1'))
    const members = [gzipSync(text.slice(0, 70)), gzipSync(text.slice(70)), new Uint8Array(512)]
    const whole = new Uint8Array(Buffer.concat(members))
    const encoded = gz(urlset(url('/2')), { 'content-encoding': 'gzip' })
    const files = { [SITEMAP]: index('/a.xml', '/b.xml'), '/a.xml': binary(whole), '/b.xml': encoded }
    expect((await crawl(files)).paths).toEqual(['/1', '/2'])
  })

  it('3 a name that ends in .gz, but a plain body', async () => {
    const files = { [SITEMAP]: index('/a.xml.gz'), '/a.xml.gz': urlset(url('/1')) }
    expect((await crawl(files)).paths).toEqual(ONE)
  })

  it('4 no more than 50 MiB unpacked: what came before is kept, and the record says so', async () => {
    const filler = new Uint8Array(51 * 2 ** 20).fill(0x20)
    const bomb = [gzipSync(`${OPEN}${url('/1')}`), gzipSync(filler, { level: 1 })]
    const bytes = new Uint8Array(Buffer.concat(bomb))
    let text = ''
    for (let at = 0; at < bytes.length; at += 8_192)
      text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
    const { paths, codes, record } = await crawl({ [SITEMAP]: { bodyBase64: btoa(text) } })
    expect(paths).toEqual(ONE)
    expect(codes).toEqual(['sitemap_too_large'])
    expect(record.status).toBe('partial')
  })

  it.each([
    [5, 'a byte order mark', () => `\ufeff${urlset(url('/1'))}`],
    [6, 'blank lines before the declaration', () => `\n\n  <?xml version="1.0"?>${urlset(url('/1'))}`],
    [8, 'no namespace', () => `<urlset>${url('/1')}</urlset>`],
    [8, 'a wrong namespace', () => `<urlset xmlns="http://example.com/x">${url('/1')}</urlset>`],
    [
      9,
      'prefixed elements',
      () => `<sm:urlset xmlns:sm="x"><sm:url><sm:loc>${world.origin}/1</sm:loc></sm:url></sm:urlset>`,
    ],
    [10, 'white space around loc', () => urlset(`<url><loc>\n\t ${world.origin}/1 \r\n</loc></url>`)],
    [11, 'CDATA in loc', () => urlset(`<url><loc><![CDATA[${world.origin}/1]]></loc></url>`)],
    [12, 'NBSP around loc', () => urlset(`<url><loc>\u00a0${world.origin}/1&#160;</loc></url>`)],
    [32, 'a relative loc', () => urlset('<url><loc>/1</loc></url>')],
    [33, 'upper-case element names', () => `<URLSET><Url><LOC>${world.origin}/1</LOC></Url></URLSET>`],
    [
      37,
      'comments and processing instructions',
      () =>
        `<?xml-stylesheet href="x.xsl"?><!-- <url> -->${urlset(`<?x <url> ?><!-- ${url('/no')} -->`, url('/1'))}<!-- -->`,
    ],
    [39, 'a single child', () => urlset(url('/1'))],
  ])('%d %s', async (_number, _what, body) => {
    const { paths, record } = await crawl({ [SITEMAP]: body() })
    expect(paths).toEqual(ONE)
    expect(record).toMatchObject({ status: 'success', totalUrls: 1, errors: [] })
  })

  it.each(['text/html', 'application/octet-stream', 'image/png', ''])('7 content type "%s"', async (type) => {
    const file = { body: urlset(url('/1')), headers: type === '' ? {} : { 'content-type': type } }
    expect((await crawl({ [SITEMAP]: file })).paths).toEqual(ONE)
  })

  it('13 a truncated file keeps its whole entries, and the run is partial', async () => {
    const { paths, codes, record } = await crawl({
      [SITEMAP]: `${OPEN}${url('/1')}<url><loc>${world.origin}/2`,
    })
    expect(paths).toEqual(ONE)
    expect(codes).toEqual(['sitemap_truncated'])
    expect(record.status).toBe('partial')
  })

  it('14 malformed XML is reported, with its place', async () => {
    const { paths, record } = await crawl({ [SITEMAP]: `${OPEN}${url('/1')}</oops>${url('/2')}</urlset>` })
    expect(paths).toEqual(ONE)
    expect(record.errors).toMatchObject([
      { code: 'sitemap_malformed', message: expect.stringMatching(/end tag .* at byte \d+/) },
    ])
  })

  it('15 a DOCTYPE and its entities: nothing is built from them, and what uses them is counted', async () => {
    const bomb = '<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">'
    const body = `<?xml version="1.0"?><!DOCTYPE urlset [${bomb}]>${urlset(url('/1'), url('/&b;'), url('/&x;'))}`
    const { paths, record } = await crawl({ [SITEMAP]: body })
    expect(paths).toEqual(ONE)
    expect(record.leftOut).toEqual({ entity: 2 })
  })

  it('16 every form of lastmod, and 17 a bad one, which is as none', async () => {
    const forms = ['2026', '2026-03', '2026-03-01', '2026-03-01T10:00Z', '2026-03-01T10:00:00+02:00']
    const bad = ['2021-06-18T112:13:04+00:00', 'yesterday', '2026-02-31', '']
    const lastmods = [...forms, '2026-03-01T10:00:00.5-08:00', ...bad]
    const entries = lastmods.map((lastmod, at) => url(`/${at}`, `<lastmod>${lastmod}</lastmod>`))
    const { paths, record } = await crawl({ [SITEMAP]: urlset(...entries) })
    expect(paths).toEqual(lastmods.map((_, at) => `/${at}`))
    expect(record.errors).toEqual([])
  })

  it.each([
    ['an empty body', '', 'sitemap_empty', 'failed'],
    ['white space', ' \n ', 'sitemap_empty', 'failed'],
    // Nothing is wrong with these: a warning, and no more.
    ['an empty urlset', '<urlset/>', 'sitemap_empty', 'success'],
    ['an empty index', '<sitemapindex></sitemapindex>', 'sitemap_empty', 'success'],
  ])('18 %s', async (_what, body, code, status) => {
    const { paths, codes, record } = await crawl({ [SITEMAP]: body })
    expect({ paths, codes, status: record.status }).toEqual({
      paths: [],
      codes: [code],
      status,
    })
    expect(record.errors[0]?.advice).toMatch(/\w/)
  })

  it.each([
    ['an HTML page', `<!doctype html><html><body><a href="/1">1</a></body></html>`, /HTML page/],
    ['another root', '<rss><channel><item><link>/1</link></item></rss>', /its root is <rss>/],
    ['a root named like a property of every object', '<constructor/>', /its root is <constructor>/],
  ])('19 %s at HTTP 200 is an error, not zero URLs', async (_what, body, message) => {
    const { codes, record } = await crawl({ [SITEMAP]: body })
    expect(codes).toEqual(['sitemap_not_a_sitemap'])
    expect(record.errors[0]?.message).toMatch(message)
    expect(record.status).toBe('failed')
  })

  it.each([404, 410, 500])('20 HTTP %d is named', async (status) => {
    const { codes, record } = await crawl({ [SITEMAP]: { status, body: urlset(url('/1')) } })
    expect(codes).toEqual([`sitemap_http_${status}`])
    expect(record.status).toBe('failed')
    expect((await world.ledger('site')).requests.length).toBe(status === 500 ? 2 : 1)
  })

  it('20 a wall against robots is named', async () => {
    const wall = {
      status: 403,
      body: '<html><title>Just a moment...</title><script src="/cdn-cgi/challenge-platform/x">',
    }
    const { record } = await crawl({ [SITEMAP]: wall })
    expect(record.errors).toMatchObject([
      { code: 'sitemap_bot_wall', advice: expect.stringContaining('user agent') },
    ])
    expect((await world.ledger('site')).requests.length).toBe(1)
  })

  it('21 redirects are followed, five at most, and relative locs start where they end', async () => {
    const to = (path: string): Override => ({ status: 301, headers: { location: path } })
    const chain = { '/r1': to('/r2'), '/r2': to('/r3'), '/r3': to('/r4'), '/r4': to('/deep/map.xml') }
    const files = { [SITEMAP]: to('/r1'), ...chain, '/deep/map.xml': urlset('<url><loc>page</loc></url>') }
    expect((await crawl(files)).paths).toEqual(['/deep/page'])
  })

  it('21 a redirect to itself ends, and so does one to a place that may not be asked', async () => {
    const { codes } = await crawl({
      [SITEMAP]: index('/inside.xml', '/loop.xml'),
      '/loop.xml': { status: 302, headers: { location: '/loop.xml' } },
      '/inside.xml': { status: 302, headers: { location: 'ftp://127.0.0.1/x' } },
    })
    expect(codes).toEqual(['sitemap_guard', 'sitemap_redirects'])
  })

  it('22 an index that lists itself, and two that list each other', async () => {
    const files = {
      [SITEMAP]: index('/sitemap.xml', '/a.xml', '/p.xml'),
      '/a.xml': index('/b.xml'),
      '/b.xml': index('/a.xml', '/sitemap.xml', '/p.xml'),
      '/p.xml': urlset(url('/1')),
    }
    const { paths, record } = await crawl(files)
    expect(paths).toEqual(ONE)
    expect(record).toMatchObject({ status: 'success', totalUrls: 1 })
    expect((await world.ledger('site')).requests.filter(({ path }) => path.endsWith('.xml')).length).toBe(4)
  })

  it('23 nested indexes, five levels below the first', async () => {
    const files: Record<string, string> = { [SITEMAP]: index('/1.xml') }
    for (let level = 1; level <= 6; level++) {
      files[`/${level}.xml`] = index(`/${level + 1}.xml`, `/p${level}.xml`)
      files[`/p${level}.xml`] = urlset(url(`/${level}`))
    }
    const { paths, record } = await crawl(files)
    expect(paths.sort()).toEqual(['/1', '/2', '/3', '/4'])
    expect(record.leftOut).toEqual({ sitemap_too_deep: 2 })
  })

  it('24 duplicates are left out and counted, also those that differ in the fragment only', async () => {
    const files = {
      [SITEMAP]: index('/a.xml', '/b.xml'),
      '/a.xml': urlset(url('/1'), url('/1'), url('/1#x')),
      '/b.xml': urlset(url('/1'), url('/2')),
    }
    const { paths, record } = await crawl(files)
    expect(paths).toEqual(['/1', '/2'])
    expect(record).toMatchObject({ totalUrls: 2, leftOut: { duplicate: 3 } })
  })

  it('34 more than 50,000 URLs in one file are all read', async () => {
    const entries = Array.from({ length: 50_010 }, (_, n) => `<url><loc>${world.origin}/${n}</loc></url>`)
    const { record } = await crawl({ [SITEMAP]: urlset(...entries) })
    expect(record).toMatchObject({ status: 'success', totalUrls: 50_010, submittedUrls: 50_010 })
  }, 120_000)

  it('35 alternates, images, videos and news are no pages, and are counted', async () => {
    const more =
      '<xhtml:link rel="alternate" hreflang="de" href="http://x/de"/><image:image><image:loc>http://x/i.png</image:loc></image:image>' +
      '<video:video><video:content_loc>http://x/v.mp4</video:content_loc></video:video><news:news/><image:loc>http://x/j.png</image:loc>'
    const { paths, record } = await crawl({ [SITEMAP]: urlset(url('/1', more)) })
    expect(paths).toEqual(ONE)
    expect(record.leftOut).toEqual({ alternate: 1, image: 2, video: 1, news: 1 })
  })

  it('36 an entry without loc is left out', async () => {
    const { paths, record } = await crawl({
      [SITEMAP]: urlset('<url><lastmod>2026</lastmod></url>', url('/1')),
    })
    expect(paths).toEqual(ONE)
    expect(record.leftOut).toEqual({ no_loc: 1 })
  })

  it('38 other schemes, over-long URLs, credentials and other hosts are left out, each for its reason', async () => {
    const long = `/${'x'.repeat(2_100)}`
    const others = [
      'ftp://x/1',
      'javascript:alert(1)',
      world.origin.replace('//', '//me:secret@'),
      'http://other.example/1',
    ]
    const entries = others.map((loc) => `<url><loc>${loc}</loc></url>`)
    const { paths, record } = await crawl({ [SITEMAP]: urlset(...entries, url(long), url('/1')) })
    expect(paths).toEqual(ONE)
    expect(record.leftOut).toEqual({ not_http: 2, credentials: 1, other_host: 1, too_long: 1 })
  })

  it('38 when most URLs are on another host, the record says so in words', async () => {
    const entries = Array.from({ length: 5 }, (_, n) => `<url><loc>https://www.example.com/${n}</loc></url>`)
    const { record } = await crawl({ [SITEMAP]: urlset(...entries) })
    expect(record.errors).toMatchObject([{ message: '5 of 5 are on www.example.com; set `host`' }])
    expect(record.status).not.toBe('success')
  })

  it('41 a body that never ends is given up in time', async () => {
    await world.faults({ target: 'site', kind: 'hang', times: null, match: '/slow.xml' })
    const { paths, codes } = await crawl({
      [SITEMAP]: index('/slow.xml', '/p.xml'),
      '/slow.xml': '<urlset>',
      '/p.xml': urlset(url('/1')),
    })
    expect(paths).toEqual(ONE)
    expect(codes).toEqual(['sitemap_timeout'])
  })

  it('a 304 that nobody asked for is no file', async () => {
    const { codes, record } = await crawl({ [SITEMAP]: { status: 304 } })
    expect(codes).toEqual(['sitemap_http_304'])
    expect(record.status).toBe('failed')
  })

  it('42 one broken child loses nothing else, and foreign children are not fetched', async () => {
    const foreign = '<sitemap><loc>http://127.0.0.1:9/x.xml</loc></sitemap>'
    const { paths, record, codes } = await crawl({
      [SITEMAP]: index('/a.xml', '/b.xml', '/bad.xml', '/gone.xml').replace(
        '</sitemapindex>',
        `${foreign}</sitemapindex>`,
      ),
      '/a.xml': urlset(url('/1')),
      '/gone.xml': { status: 404 },
      '/bad.xml': '<urlset><url></urlset>',
      '/b.xml': urlset(url('/2')),
    })
    expect(paths).toEqual(['/1', '/2'])
    expect(codes).toEqual(['sitemap_malformed', 'sitemap_http_404'])
    expect(record).toMatchObject({ status: 'partial', leftOut: { sitemap_other_host: 1 } })
  })

  it('D10 the first sitemap cannot be fetched: the fallbacks are tried in order', async () => {
    const { paths, codes, record } = await crawl(
      { [SITEMAP]: { status: 404 }, '/second.xml': '<html/>', '/third.xml': urlset(url('/1')) },
      { fallbackSitemapUrls: [`${world.origin}/second.xml`, `${world.origin}/third.xml`] },
    )
    expect(paths).toEqual(ONE)
    expect(codes).toEqual(['sitemap_http_404', 'sitemap_not_a_sitemap'])
    expect(record.status).toBe('partial')
  })
})
