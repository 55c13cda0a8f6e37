import { SaxesParser } from 'saxes'
import { parseLastmod } from '../../src/sitemap/lastmod'

export interface ReferenceEntry {
  /** Null when the entry has none. */
  readonly loc: string | null
  readonly lastmod: number | null
}

export interface ReferenceDocument {
  readonly root: string
  readonly entries: readonly ReferenceEntry[]
}

/** The plain way to read a well-formed sitemap: an XML parser that insists, and strings. Slow, and easy to believe. */
export function readWithSaxes(text: string): ReferenceDocument {
  const parser = new SaxesParser()
  const entries: ReferenceEntry[] = []
  let root = ''
  let depth = 0
  let item: { prefix: string; loc: string | null; lastmod: string | null } | null = null
  let field: 'loc' | 'lastmod' | null = null
  let value = ''
  parser.on('opentag', ({ name }) => {
    const [prefix, local] = split(name.toLowerCase())
    depth++
    if (depth === 1) root = local
    if (depth === 2)
      item = local === (root === 'urlset' ? 'url' : 'sitemap') ? { prefix, loc: null, lastmod: null } : null
    if (depth !== 3 || item === null || item.prefix !== prefix) return
    if ((local === 'loc' || local === 'lastmod') && item[local] === null) {
      field = local
      value = ''
    }
  })
  const append = (some: string) => {
    if (field !== null && depth === 3) value += some
  }
  parser.on('text', append)
  parser.on('cdata', append)
  parser.on('closetag', () => {
    if (depth === 3 && field !== null && item !== null) {
      item[field] = value
      field = null
    }
    if (depth === 2 && item !== null) {
      const { loc, lastmod } = item
      entries.push({ loc, lastmod: lastmod === null ? null : parseLastmod(lastmod) })
    }
    depth--
  })
  parser.on('error', (error) => {
    throw error
  })
  // White space before the declaration is no XML, but met in the field.
  parser.write(text.replace(/^[\s\ufeff]+/, '')).close()
  return { root, entries }
}

function split(name: string): [prefix: string, local: string] {
  const colon = name.indexOf(':')
  return colon < 0 ? ['', name] : [name.slice(0, colon), name.slice(colon + 1)]
}
