import { expect } from 'vitest'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { composeInMemory, type MemoryApplication } from './memory-application'

export const START = Date.UTC(2026, 3, 1)
export const KEY = 'key-of-the-shop-0001'
export const HOOK = 'https://hooks.example/beckon'

/** One request as the pretend internet saw it; `at` counts from the start. */
export interface Seen {
  readonly at: number
  readonly method: string
  readonly url: URL
  /** What is submitted with it. */
  readonly urls: readonly string[]
  readonly body: string
  readonly headers: Headers
}

export interface Said {
  readonly status: number
  readonly body?: string
  readonly headers?: Record<string, string>
}

/** A status, a whole answer, no connection, or an answer that never comes. */
export type Reply = number | Said | 'network' | 'hang'
export type Host = (request: Seen, nth: number) => Reply

export interface ShopOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly pages?: number
  /** By host; those not named accept everything. The site is `shop.example`. */
  readonly hosts?: Readonly<Record<string, Host>>
  readonly latencyMs?: number
}

export const pageOf = (n: number, host = 'shop.example') => `https://${host}/page-${n}`

export const urlset = (urls: readonly string[]) =>
  `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join('')}</urlset>`

export const index = (urls: readonly string[]) =>
  `<sitemapindex>${urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`).join('')}</sitemapindex>`

/** Larger files would take the runtime more rounds to hand over than the virtual clock waits for. */
const MAX_PAGES_PER_FILE = 2_000

/** The site as most tests want it: a sitemap of so many pages, an index when there are many, and its key file. */
export const shopHost =
  (pages: () => number, key = KEY): Host =>
  ({ url: { pathname, host, origin } }) => {
    if (pathname === `/${key}.txt`) return { status: 200, body: `${key}\n` }
    const file = /^\/sitemap(?:-(\d+))?\.xml$/.exec(pathname)
    if (file === null) return 404
    const all = Array.from({ length: pages() }, (_, n) => pageOf(n + 1, host))
    if (all.length <= MAX_PAGES_PER_FILE) return { status: 200, body: urlset(all) }
    const files = Array.from({ length: Math.ceil(all.length / MAX_PAGES_PER_FILE) }, (_, n) => n)
    if (file[1] === undefined) {
      return { status: 200, body: index(files.map((n) => `${origin}/sitemap-${n}.xml`)) }
    }
    const first = Number(file[1]) * MAX_PAGES_PER_FILE
    return { status: 200, body: urlset(all.slice(first, first + MAX_PAGES_PER_FILE)) }
  }

export interface Shop extends MemoryApplication {
  /** Everything asked of this host, in order. */
  seen(host: string): readonly Seen[]
  /** What this host answered 2xx to, URL by URL. */
  accepted(host: string): readonly string[]
  hosts: Record<string, Host>
  pages: number
  run(query?: string): Promise<ExecutionRecord>
  history(site?: string): Promise<readonly ExecutionRecord[]>
  state(): Promise<Record<string, unknown>>
}

/** The whole application on a virtual clock, before a pretend internet of a shop, its engines and a webhook. */
export function openShop(options: ShopOptions = {}): Shop {
  const requests: Seen[] = []
  const taken = new Map<string, string[]>()
  const hosts: Record<string, Host> = { ...options.hosts }
  const env = {
    INDEXNOW_SEARCH_ENGINES: 'a.example',
    RUN_REQUEST_BUDGET: '10000',
    ...options.env,
  }

  async function answer(address: string, init: RequestInit): Promise<Response> {
    const url = new URL(address)
    const body = typeof init.body === 'string' ? init.body : ''
    const request: Seen = {
      at: app.clock.now() - START,
      method: init.method ?? 'GET',
      url,
      urls: submitted(url, body),
      body,
      headers: new Headers(init.headers),
    }
    const nth = requests.filter((one) => one.url.host === url.host).length
    requests.push(request)
    if (options.latencyMs !== undefined) await app.clock.sleep(options.latencyMs)
    const host = hosts[url.host] ?? (url.host === 'shop.example' ? shopHost(() => shop.pages) : () => 200)
    const reply = host(request, nth)
    if (reply === 'network') throw new TypeError('fetch failed')
    if (reply === 'hang') return new Promise(() => {})
    const { status, body: text = '', headers = {} } = typeof reply === 'number' ? { status: reply } : reply
    if (status >= 200 && status < 300) {
      taken.set(url.host, [...(taken.get(url.host) ?? []), ...request.urls])
    }
    return new Response(status === 204 || status === 304 ? null : text, { status, headers })
  }

  const app = composeInMemory({ env, fetch: answer, startMs: START })
  const shop: Shop = {
    ...app,
    hosts,
    pages: options.pages ?? 3,
    seen: (host) => requests.filter(({ url }) => url.host === host),
    accepted: (host) => taken.get(host) ?? [],
    async run(query = '') {
      const answered = (await (await app.call(`/trigger${query}`)).json()) as { record: ExecutionRecord }
      expectBalanced(answered.record)
      return answered.record
    },
    async history(site = 'shop.example') {
      const text = await app.store.getText(`sites:history:${site}`)
      const records = JSON.parse(text ?? '[]') as ExecutionRecord[]
      for (const record of records) expectBalanced(record)
      return records
    },
    async state() {
      return JSON.parse((await app.store.getText('sites:state:shop.example')) ?? 'null') as Record<
        string,
        unknown
      >
    },
  }
  return shop
}

/** Each candidate ends once per endpoint: what every record must show. */
export function expectBalanced({ newUrls, engines }: ExecutionRecord): void {
  for (const { total, accepted, failed, rejected, deferred } of Object.values(engines)) {
    expect(accepted + failed + rejected + deferred).toBe(total)
    expect(total).toBeLessThanOrEqual(newUrls)
  }
}

function submitted(url: URL, body: string): string[] {
  const inQuery = url.searchParams.get('url')
  if (inQuery !== null) return [inQuery]
  if (!body.includes('"urlList"')) return []
  return (JSON.parse(body) as { urlList: string[] }).urlList
}
