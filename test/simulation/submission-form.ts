import { BING } from './judge'
import type { PretendSite } from './pretend-site'

const MAX_URLS = { bing: 100, indexnow: 10_000 } as const

interface Submitted {
  readonly url: URL
  readonly method: string
  readonly body: string
}

/** What a real engine would turn away a request for, whatever the weather; null for one that is as the documents say. */
export function formFault(
  { id, key, bingKey }: PretendSite,
  endpoint: string,
  { url, method, body }: Submitted,
): string | null {
  const isBing = endpoint === BING
  const said = (
    isBing || method === 'POST' ? JSON.parse(body) : Object.fromEntries(url.searchParams)
  ) as Record<string, unknown>
  const urls = method === 'POST' ? (said.urlList as string[]) : [String(said.url)]
  if (urls.some((one) => new URL(one).host !== id)) return 'a URL of another host'
  if (urls.length > MAX_URLS[isBing ? 'bing' : 'indexnow']) return `${urls.length} URLs in one request`
  if (isBing) {
    if (method !== 'POST' || !url.pathname.endsWith('/SubmitUrlbatch')) return `${method} ${url.pathname}`
    if (url.searchParams.get('apikey') !== bingKey) return 'not the key of the account'
    return new URL(String(said.siteUrl)).host === id ? null : 'the site of somebody else'
  }
  if (said.key !== key) return 'not the key of the site'
  if (method === 'POST' && said.host !== id) return 'the host of somebody else'
  const file = said.keyLocation ?? `https://${id}/${key}.txt`
  return file === `https://${id}/${key}.txt` ? null : 'a key file elsewhere'
}
