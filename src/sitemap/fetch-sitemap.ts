import type { SitemapFile } from '../domain/sitemap-file'
import { isBotWall } from '../net/bot-wall'
import type { Exchange, HttpAnswer, HttpClient } from '../net/http-client'
import { type Again, type RetryContext, retry } from '../net/retry'
import type { SitemapTrouble } from './read-sitemap'

const MAX_REDIRECTS = 5
const NOT_MODIFIED = 304

export interface FetchOptions {
  readonly client: HttpClient
  readonly timeoutMs: number
  readonly maxRetries: number
  readonly retryWaitMs: number
  /** Requests the crawl must leave for the submissions. */
  readonly reserve: number
  readonly retryContext: Omit<RetryContext, 'subject'>
}

export interface SitemapHead {
  readonly etag: string | null
  readonly lastModified: string | null
}

export type FetchedSitemap =
  | { readonly kind: 'read'; readonly trouble: SitemapTrouble | null; readonly head: SitemapHead }
  | { readonly kind: 'unchanged' }
  | { readonly kind: 'failed'; readonly trouble: SitemapTrouble }
  | { readonly kind: 'budget' }

/** Reads the body of an answer; called again for every attempt. */
export type SitemapReader = (response: Response, exchange: Exchange) => Promise<SitemapTrouble | null>

interface Body {
  readonly trouble: SitemapTrouble | null
  readonly head: SitemapHead
  readonly isWall: boolean
}

/** Fetches and reads one file, again when the network or the server failed, never when the file itself is at fault. */
export async function fetchSitemap(
  url: string,
  known: SitemapFile | null,
  options: FetchOptions,
  read: SitemapReader,
): Promise<FetchedSitemap> {
  const conditions = validators(known)
  const request = {
    method: 'GET',
    url,
    headers: { accept: 'application/xml, text/xml;q=0.9, */*;q=0.5', ...conditions },
    timeoutMs: options.timeoutMs,
    redirects: MAX_REDIRECTS,
    reserve: options.reserve,
  } as const
  const policy = { maxRetries: options.maxRetries, waitMs: () => options.retryWaitMs }
  const context = { ...options.retryContext, subject: `sitemap ${url}` }
  const attempt = () =>
    options.client.send(request, async (response, exchange): Promise<Body> => {
      const head = { etag: response.headers.get('etag'), lastModified: response.headers.get('last-modified') }
      if (response.ok) return { trouble: await read(response, exchange), head, isWall: false }
      return { trouble: null, head, isWall: await isBotWall(response) }
    })
  const { value } = await retry(policy, context, attempt, shouldRepeat)
  return resultOf(value, Object.keys(conditions).length > 0)
}

function validators(known: SitemapFile | null): Record<string, string> {
  return {
    ...(known?.etag === undefined ? {} : { 'if-none-match': known.etag }),
    ...(known?.lastModified === undefined ? {} : { 'if-modified-since': known.lastModified }),
  }
}

function shouldRepeat(answer: HttpAnswer<Body>): Again | null {
  if (answer.kind === 'failure') {
    const passing = answer.reason === 'network' || answer.reason === 'timeout'
    return passing ? { cause: 'transient', reason: answer.reason } : null
  }
  const { status, value } = answer
  // A wall does not come down within seconds.
  if (value.isWall) return null
  return status >= 500 || status === 429 ? { cause: 'transient', reason: `HTTP ${status}` } : null
}

function resultOf(answer: HttpAnswer<Body>, isConditional: boolean): FetchedSitemap {
  if (answer.kind === 'failure') {
    if (answer.reason === 'budget') return { kind: 'budget' }
    return { kind: 'failed', trouble: { code: answer.reason, detail: answer.detail } }
  }
  const { status, value } = answer
  // To a question without a condition it is no answer: nothing is known that could have stayed the same.
  if (status === NOT_MODIFIED && isConditional) return { kind: 'unchanged' }
  if (value.isWall) {
    const detail = `a wall against robots stands before it (HTTP ${status} with a challenge)`
    return { kind: 'failed', trouble: { code: 'bot_wall', detail } }
  }
  if (status < 200 || status >= 300) {
    return { kind: 'failed', trouble: { code: `http_${status}`, detail: `HTTP ${status}` } }
  }
  return { kind: 'read', trouble: value.trouble, head: value.head }
}
