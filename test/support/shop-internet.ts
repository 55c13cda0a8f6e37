import type { Fetch } from '../../src/ports'

export interface BingCall {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly siteUrl: string
  readonly urls: readonly string[]
}

export interface InternetOptions {
  /** Paths of the site's pages, all with the same lastmod. */
  readonly pages: readonly string[]
  readonly bing: (call: BingCall, nth: number) => Response | Promise<Response>
  readonly indexnow?: (url: URL) => Response | Promise<Response>
}

const LASTMOD = '2025-01-10T00:00:00Z'

export const bingSuccess = (): Response => new Response('{"d":null}')

export function bingFault(ErrorCode: number | string, Message: string, status = 400): Response {
  return new Response(JSON.stringify({ ErrorCode, Message }), { status })
}

/** shop.example with its sitemap and key file, IndexNow, and Bing as the test wants it; nothing else exists. */
export function createInternet(options: InternetOptions): { fetch: Fetch; bingCalls: BingCall[] } {
  const bingCalls: BingCall[] = []
  const rows = options.pages.map(
    (path) => `<url><loc>https://shop.example${path}</loc><lastmod>${LASTMOD}</lastmod></url>`,
  )
  const fetch: Fetch = async (address, init) => {
    const url = new URL(address)
    if (url.host === 'ssl.bing.com') {
      const { siteUrl = '', urlList = [] } = JSON.parse(String(init.body ?? '{}'))
      const call = {
        method: init.method ?? 'GET',
        url,
        headers: new Headers(init.headers),
        siteUrl,
        urls: urlList,
      }
      bingCalls.push(call)
      return options.bing(call, bingCalls.length)
    }
    if (url.host === 'api.indexnow.org') return options.indexnow?.(url) ?? new Response('')
    if (url.pathname === '/sitemap.xml') return new Response(`<urlset>${rows.join('')}</urlset>`)
    if (url.pathname.endsWith('.txt')) return new Response(url.pathname.slice(1, -'.txt'.length))
    return new Response('', { status: 404 })
  }
  return { fetch, bingCalls }
}

export const pages = (count: number, prefix = '/p'): string[] =>
  Array.from({ length: count }, (_, n) => `${prefix}/${n}`)
