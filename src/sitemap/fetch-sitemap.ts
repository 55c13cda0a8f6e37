import type { HttpAnswer } from '../net/http-client'
import { type Again, retry } from '../net/retry'
import type { CrawlOptions } from './crawler'
import { readSitemap } from './read-sitemap'
import type { SitemapEntry } from './saxes-scanner'

const MAX_REDIRECTS = 5

export interface SitemapFailure {
  readonly reason: string
  readonly detail: string
}

export interface FetchedSitemap {
  /** What went wrong; entries read before that are kept all the same. */
  readonly failure: SitemapFailure | null
  readonly pages: readonly SitemapEntry[]
  readonly children: readonly SitemapEntry[]
  /** Where the redirects ended: relative locs start from here. */
  readonly base: string
}

interface Attempt {
  readonly answer: HttpAnswer<string | null>
  readonly pages: SitemapEntry[]
  readonly children: SitemapEntry[]
  readonly base: string
}

type FetchOptions = Pick<
  CrawlOptions,
  'client' | 'timeoutMs' | 'retryWaitMs' | 'reserve' | 'retryContext' | 'site'
>

/** Fetches and reads one file, again when the network or the server failed, never when the file itself is at fault. */
export async function fetchSitemap(url: string, options: FetchOptions): Promise<FetchedSitemap> {
  const policy = { maxRetries: options.site.maxRetries, waitMs: () => options.retryWaitMs }
  const context = { ...options.retryContext, subject: `sitemap ${url}` }
  const { value } = await retry(policy, context, () => attempt(url, options), shouldRepeat)
  return { failure: failureOf(value.answer), pages: value.pages, children: value.children, base: value.base }
}

async function attempt(url: string, options: FetchOptions): Promise<Attempt> {
  const pages: SitemapEntry[] = []
  const children: SitemapEntry[] = []
  let base = url
  const answer = await options.client.send(
    {
      method: 'GET',
      url,
      headers: { accept: 'application/xml, text/xml;q=0.9, */*;q=0.5' },
      timeoutMs: options.timeoutMs,
      redirects: MAX_REDIRECTS,
      reserve: options.reserve,
    },
    async (response, finalUrl) => {
      base = finalUrl
      if (response.ok) {
        return readSitemap(response, {
          page: (entry) => pages.push(entry),
          child: (entry) => children.push(entry),
        })
      }
      await response.body?.cancel()
      return null
    },
  )
  return { answer, pages, children, base }
}

function shouldRepeat({ answer }: Attempt): Again | null {
  if (answer.kind === 'failure') {
    const passing = answer.reason === 'network' || answer.reason === 'timeout'
    return passing ? { cause: 'transient', reason: answer.reason } : null
  }
  const { status } = answer
  return status >= 500 || status === 429 ? { cause: 'transient', reason: `HTTP ${status}` } : null
}

function failureOf(answer: HttpAnswer<string | null>): SitemapFailure | null {
  if (answer.kind === 'failure') {
    return {
      reason: answer.reason === 'budget' ? 'budget' : `sitemap_${answer.reason}`,
      detail: answer.detail,
    }
  }
  const { status, value } = answer
  if (status < 200 || status >= 300) return { reason: `sitemap_http_${status}`, detail: `HTTP ${status}` }
  return value === null ? null : { reason: 'sitemap_unreadable', detail: value }
}
