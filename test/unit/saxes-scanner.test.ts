import { describe, expect, it } from 'vitest'
import { Scanner, type SitemapEntry } from '../../src/sitemap/saxes-scanner'

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const urlset = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NS}>${inside}</urlset>`
const page = (loc: string, rest = '') => `<url><loc>${loc}</loc>${rest}</url>`

function scan(...pieces: readonly string[]) {
  const pages: SitemapEntry[] = []
  const children: SitemapEntry[] = []
  const scanner = new Scanner({ page: (entry) => pages.push(entry), child: (entry) => children.push(entry) })
  for (const piece of pieces) scanner.write(piece)
  scanner.end()
  return { pages, children, error: scanner.error, locs: pages.map(({ loc }) => loc) }
}

describe('the scanner', () => {
  it('reads a urlset with and without lastmod, in any order', () => {
    const text = urlset(
      page('https://a.example/1', '<lastmod>2025-01-15</lastmod><priority>0.5</priority>') +
        '<url><lastmod>2025-01-16</lastmod><loc>https://a.example/2</loc></url>' +
        page('https://a.example/3', '<lastmod>yesterday</lastmod>') +
        page('https://a.example/4'),
    )
    expect(scan(text)).toMatchObject({
      error: null,
      children: [],
      pages: [
        { loc: 'https://a.example/1', lastmod: Date.UTC(2025, 0, 15) / 1000 },
        { loc: 'https://a.example/2', lastmod: Date.UTC(2025, 0, 16) / 1000 },
        { loc: 'https://a.example/3', lastmod: null },
        { loc: 'https://a.example/4', lastmod: null },
      ],
    })
  })

  it('reads an index as children, never as pages', () => {
    const text = `<sitemapindex ${NS}><sitemap><loc>https://a.example/s1.xml</loc></sitemap></sitemapindex>`
    expect(scan(text)).toMatchObject({
      error: null,
      pages: [],
      children: [{ loc: 'https://a.example/s1.xml', lastmod: null }],
    })
  })

  it.each([
    ['CDATA', '<![CDATA[https://a.example/?a=1&b=2]]>'],
    ['named entities', 'https://a.example/?a=1&amp;b=2'],
    ['numbered entities', 'https://a.example/?a=1&#38;b&#x3d;2'],
    ['CDATA in part', 'https://a.example/?a=1<![CDATA[&]]>b=2'],
    ['a comment inside', 'https://a.example/?a=1<!-- and -->&amp;b=2'],
  ])('resolves %s', (_, loc) => {
    expect(scan(urlset(page(loc))).locs).toEqual(['https://a.example/?a=1&b=2'])
  })

  it('reads a document that writes its names with a prefix', () => {
    const text =
      '<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9"><s:url><s:loc>https://a.example/</s:loc></s:url></s:urlset>'
    expect(scan(text)).toMatchObject({ error: null, locs: ['https://a.example/'] })
  })

  it('does not take images, videos or alternates for pages', () => {
    const extras =
      '<image:image><image:loc>https://a.example/i.png</image:loc></image:image>' +
      '<video:video><video:player_loc>https://a.example/v</video:player_loc></video:video>' +
      '<xhtml:link rel="alternate" hreflang="de" href="https://a.example/de"/>' +
      '<image:image><image:loc>https://a.example/j.png</image:loc></image:image>'
    expect(scan(urlset(`<url>${extras}<loc>https://a.example/1</loc></url>`)).locs).toEqual([
      'https://a.example/1',
    ])
    expect(scan(urlset(`<url>${extras}</url>`)).locs).toEqual([])
    expect(scan(urlset(`<other><loc>https://a.example/1</loc></other>`)).locs).toEqual([])
  })

  it('of two locs in one entry the first counts', () => {
    expect(
      scan(urlset('<url><loc>https://a.example/1</loc><loc>https://a.example/2</loc></url>')).locs,
    ).toEqual(['https://a.example/1'])
  })

  it.each([
    ['<html><body><url><loc>https://a.example/</loc></url></body></html>', 'its root is <html>'],
    ['<rss version="2.0"></rss>', 'its root is <rss>'],
    [`<!DOCTYPE html><html></html>`, 'DOCTYPE'],
    [`<!DOCTYPE urlset [<!ENTITY a "b">]>${urlset(page('https://a.example/&a;')).slice(39)}`, 'DOCTYPE'],
    ['', 'it is empty'],
    [' \n\t ', 'it is empty'],
    ['Not found', 'malformed'],
    ['{"error":404}', 'malformed'],
  ])('refuses %s', (text, error) => {
    expect(scan(text)).toMatchObject({ pages: [], error: expect.stringContaining(error) })
  })

  it('keeps the whole entries of a file that was cut off, and says that it was', () => {
    const text = urlset(
      page('https://a.example/1') + page('https://a.example/2') + page('https://a.example/3'),
    )
    const cut = text.slice(0, text.indexOf('/3') + 1)
    expect(scan(cut)).toMatchObject({
      locs: ['https://a.example/1', 'https://a.example/2'],
      error: expect.stringContaining('malformed'),
    })
  })

  it('keeps what came before an error and takes nothing after it', () => {
    const text = urlset(`${page('https://a.example/1')}<url><loc>a & b</url>${page('https://a.example/2')}`)
    expect(scan(text)).toMatchObject({
      locs: ['https://a.example/1'],
      error: expect.stringContaining('malformed'),
    })
  })

  it('allows blank lines and a byte order mark before the declaration', () => {
    expect(scan('\ufeff\n', ' \r\n', urlset(page('https://a.example/')))).toMatchObject({ error: null })
  })

  it('cuts a text without end', () => {
    const [loc] = scan(...(urlset(page('x'.repeat(1_000_000))).match(/[\s\S]{1,1000}/g) ?? [])).locs
    expect(loc?.length).toBe(8_192)
  })

  it('gives the same for any split', () => {
    const text = urlset(
      page('https://a.example/?a=1&amp;b=2', '<lastmod>2025-01-15T10:00:00+01:00</lastmod>') +
        page('<![CDATA[https://a.example/]]>') +
        page('https://a.example/中/🚀'),
    )
    const whole = scan(text)
    expect(whole.locs).toHaveLength(3)
    for (let at = 1; at < text.length; at++) expect(scan(text.slice(0, at), text.slice(at))).toEqual(whole)
    expect(scan(...text)).toEqual(whole)
  })
})
