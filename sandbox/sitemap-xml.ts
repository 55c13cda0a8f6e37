const NAMESPACE = 'http://www.sitemaps.org/schemas/sitemap/0.9'

export interface SitemapEntry {
  loc: string
  lastmod: string | null
}

export function sitemapIndex(locations: readonly string[]): string {
  return document(
    'sitemapindex',
    locations.map((loc) => `<sitemap><loc>${escapeXml(loc)}</loc></sitemap>`),
  )
}

export function urlSet(entries: readonly SitemapEntry[]): string {
  return document(
    'urlset',
    entries.map(({ loc, lastmod }) => {
      const changed = lastmod === null ? '' : `<lastmod>${escapeXml(lastmod)}</lastmod>`
      return `<url><loc>${escapeXml(loc)}</loc>${changed}</url>`
    }),
  )
}

function document(root: string, children: readonly string[]): string {
  const lines = ['<?xml version="1.0" encoding="UTF-8"?>', `<${root} xmlns="${NAMESPACE}">`]
  return [...lines, ...children.map((child) => `  ${child}`), `</${root}>`, ''].join('\n')
}

function escapeXml(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}
