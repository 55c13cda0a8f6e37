import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { Answer, RequestHead } from './http-kit'
import { html, text, wrongVerb } from './http-kit'
import type { Override, SiteChange } from './shapes'
import { CHILD_SITEMAPS, defaultLastmod, pageNumber, pagePath, pagesIn } from './site-pages'
import { sitemapIndex, urlSet } from './sitemap-xml'

const SITEMAP_PATH = '/sitemap.xml'
const WRONG_KEY = 'this-is-another-key'

export interface PretendSite {
  readonly sitemapUrl: string
  handle(request: RequestHead): Answer
  /** What a visitor would get; the pretend engines read key files through it, without the network. */
  lookUp(path: string, rawQuery: string): Answer
  /** A sentence when the change cannot be made, else null. */
  change(change: SiteChange): string | null
  reset(): void
}

interface SiteState {
  pages: number
  touched: Map<number, string | null>
  overrides: Map<string, Override>
  keyFile: 'ok' | 'missing' | 'wrong'
}

export function createPretendSite(setup: { origin: string; key: string; pages: number }): PretendSite {
  const { origin, key } = setup
  const fresh = (): SiteState => ({
    pages: setup.pages,
    touched: new Map(),
    overrides: new Map(),
    keyFile: 'ok',
  })
  let state = fresh()

  const lastmod = (page: number) => {
    const touched = state.touched.get(page)
    return touched === undefined ? defaultLastmod(page) : touched
  }

  function childSitemap(path: string): Answer {
    const entries = pagesIn(path, state.pages).map((page) => ({
      loc: origin + pagePath(page),
      lastmod: lastmod(page),
    }))
    const body = urlSet(entries)
    if (!path.endsWith('.gz')) return xml(body)
    const headers = { 'content-type': 'application/gzip', etag: etagOf(body) }
    return { status: 200, headers, body: gzipSync(body) }
  }

  function keyFile(): Answer {
    if (state.keyFile === 'missing') return html(404, 'Not found')
    return {
      ...text(200, state.keyFile === 'ok' ? key : WRONG_KEY),
      headers: { 'content-type': 'text/plain' },
    }
  }

  function lookUp(path: string, rawQuery: string): Answer {
    const full = rawQuery === '' ? path : `${path}?${rawQuery}`
    const override = state.overrides.get(full) ?? state.overrides.get(path)
    if (override) return overridden(override)
    if (path === '/robots.txt')
      return text(200, `User-agent: *\nAllow: /\n\nSitemap: ${origin}${SITEMAP_PATH}\n`)
    if (path === SITEMAP_PATH) return xml(sitemapIndex(CHILD_SITEMAPS.map((child) => origin + child)))
    if (CHILD_SITEMAPS.some((child) => child === path)) return childSitemap(path)
    if (path === `/${key}.txt`) return keyFile()
    const page = pageNumber(full)
    return page !== null && page <= state.pages ? html(200, `Page ${page}`) : html(404, 'Not found')
  }

  function touch(page: string, newLastmod: string | null | undefined): string | null {
    const url = URL.canParse(page, origin) ? new URL(page, origin) : null
    const number = url?.origin === origin ? pageNumber(url.pathname + url.search) : null
    if (number === null || number > state.pages) return `The pretend site has no page ${page}.`
    state.touched.set(number, newLastmod === undefined ? new Date().toISOString() : newLastmod)
    return null
  }

  return {
    sitemapUrl: origin + SITEMAP_PATH,
    lookUp,
    handle(request) {
      if (!['GET', 'HEAD'].includes(request.method)) return wrongVerb('GET, HEAD')
      const answer = lookUp(request.path, request.rawQuery)
      return answer.headers.etag !== undefined && answer.headers.etag === request.ifNoneMatch
        ? { status: 304, headers: answer.headers, body: '' }
        : answer
    },
    change(change) {
      state.pages = change.pages ?? state.pages
      state.keyFile = change.keyFile ?? state.keyFile
      for (const [path, override] of Object.entries(change.overrides ?? {})) {
        if (override === null) state.overrides.delete(path)
        else state.overrides.set(path, override)
      }
      const problems = (change.touch ?? []).map(({ page, lastmod }) => touch(page, lastmod))
      return problems.find((problem) => problem !== null) ?? null
    },
    reset() {
      state = fresh()
    },
  }
}

const etagOf = (body: string) => `"${createHash('sha256').update(body).digest('hex').slice(0, 16)}"`

const xml = (body: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml', etag: etagOf(body) },
  body,
})

function overridden(override: Override): Answer {
  const body =
    override.bodyBase64 === undefined ? (override.body ?? '') : Buffer.from(override.bodyBase64, 'base64')
  return { status: override.status ?? 200, headers: override.headers ?? {}, body }
}
