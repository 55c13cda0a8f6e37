import { SaxesParser } from 'saxes'
import { parseLastmod } from './lastmod'

export interface SitemapEntry {
  /** As written, entities resolved; not yet admitted. */
  readonly loc: string
  readonly lastmod: number | null
}

export interface SitemapSink {
  /** A `<url>` of a `<urlset>`. */
  page(entry: SitemapEntry): void
  /** A `<sitemap>` of a `<sitemapindex>`. */
  child(entry: SitemapEntry): void
}

/** Longer texts are no URL: they are cut, so that no document can fill the memory with one. */
const MAX_TEXT_LENGTH = 8_192

const ROOTS: Readonly<Record<string, { item: string; kind: keyof SitemapSink }>> = {
  urlset: { item: 'url', kind: 'page' },
  sitemapindex: { item: 'sitemap', kind: 'child' },
}

/**
 * Turns the text of a sitemap, in any pieces, into entries. Only `loc` and `lastmod` directly inside the sitemap's own
 * items count, so that images, videos and alternates are never taken for pages.
 */
export class Scanner {
  readonly #parser = new SaxesParser()
  #kind: keyof SitemapSink | null = null
  #item = ''
  #depth = 0
  #inItem = false
  #field: 'loc' | 'lastmod' | null = null
  #text = ''
  #loc: string | null = null
  #lastmod: string | null = null
  #started = false
  #error: string | null = null

  constructor(private readonly sink: SitemapSink) {
    this.#parser.on('opentag', ({ name }) => this.#open(localName(name)))
    this.#parser.on('closetag', () => this.#close())
    this.#parser.on('text', (text) => this.#append(text))
    this.#parser.on('cdata', (text) => this.#append(text))
    this.#parser.on('doctype', () => this.#fail('it has a DOCTYPE, which is refused'))
    this.#parser.on('error', (error) => this.#fail(`it is malformed (${error.message.slice(0, 100)})`))
  }

  /** What is wrong with the document, once something is; everything before it has been handed out. */
  get error(): string | null {
    return this.#error
  }

  write(text: string): void {
    // Blank lines before the declaration are common and harmless.
    const piece = this.#started ? text : text.replace(/^[\s\ufeff]+/, '')
    if (piece === '' || this.#error !== null) return
    this.#started = true
    this.#parser.write(piece)
  }

  end(): void {
    if (this.#error !== null) return
    if (!this.#started) this.#fail('it is empty')
    else this.#parser.close()
  }

  #open(name: string): void {
    if (this.#error !== null) return
    this.#depth++
    if (this.#depth === 1) {
      const root = ROOTS[name]
      if (root === undefined) this.#fail(`its root is <${name.slice(0, 40)}>, so it is not a sitemap`)
      this.#kind = root?.kind ?? null
      this.#item = root?.item ?? ''
    } else if (this.#depth === 2) {
      this.#loc = null
      this.#lastmod = null
      this.#inItem = name === this.#item
    } else if (this.#depth === 3 && this.#inItem && (name === 'loc' || name === 'lastmod')) {
      this.#field = name
      this.#text = ''
    }
  }

  #append(text: string): void {
    if (this.#field === null || this.#depth !== 3) return
    this.#text += text.slice(0, MAX_TEXT_LENGTH - this.#text.length)
  }

  #close(): void {
    if (this.#error !== null) return
    if (this.#depth === 3 && this.#field !== null) {
      if (this.#field === 'loc') this.#loc ??= this.#text
      else this.#lastmod ??= this.#text
      this.#field = null
    } else if (this.#depth === 2 && this.#loc !== null && this.#kind !== null) {
      const lastmod = this.#lastmod === null ? null : parseLastmod(this.#lastmod)
      this.sink[this.#kind]({ loc: this.#loc, lastmod })
      this.#loc = null
    }
    this.#depth--
  }

  #fail(error: string): void {
    this.#error ??= error
  }
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase()
}
