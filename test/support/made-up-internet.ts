import type { Fetch } from '../../src/ports'

export interface MadeUpInternet {
  readonly fetch: Fetch
  /** Every request, in order. */
  readonly asked: { readonly method: string; readonly url: string; readonly body: string }[]
}

export interface MadeUpOptions {
  readonly host?: string
  readonly pages?: number
  readonly key?: string
  /** Answers before everything else; undefined lets the rest answer. */
  readonly answer?: (url: URL, init: RequestInit) => Response | undefined | Promise<Response | undefined>
}

/** An internet in memory: one site with a sitemap and a key file, and engines that accept whatever they are told. */
export function madeUpInternet(options: MadeUpOptions = {}): MadeUpInternet {
  const { host = 'shop.example', pages = 3, key = 'key-of-the-shop-0001' } = options
  const asked: { method: string; url: string; body: string }[] = []
  const locs = Array.from(
    { length: pages },
    (_, page) => `<url><loc>https://${host}/page-${page + 1}</loc></url>`,
  )
  return {
    asked,
    async fetch(address, init) {
      const url = new URL(address)
      asked.push({ method: init.method ?? 'GET', url: address, body: String(init.body ?? '') })
      const own = await options.answer?.(url, init)
      if (own !== undefined) return own
      if (url.host === host && url.pathname === '/sitemap.xml') {
        return new Response(`<?xml version="1.0"?><urlset>${locs.join('')}</urlset>`)
      }
      if (url.host === host && url.pathname === `/${key}.txt`) return new Response(key)
      if (url.host === host) return new Response('<html>Not found</html>', { status: 404 })
      if (url.pathname.endsWith('/GetUserSites')) {
        return Response.json({ d: [{ Url: `https://${host}/`, IsVerified: true }] })
      }
      if (url.host === 'ssl.bing.com') return Response.json({ d: null })
      const submits = url.searchParams.has('url') || init.method === 'POST'
      return new Response('', { status: submits ? 200 : 400 })
    },
  }
}
