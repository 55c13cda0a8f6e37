import { bad, type Finding } from '../domain/finding'
import type { Site } from '../domain/site'
import { BOT_WALL_ADVICE, isBotWall } from '../net/bot-wall'
import type { HttpClient } from '../net/http-client'
import { readText } from '../net/read-text'

const MAX_REDIRECTS = 5
const MAX_HOSTS_NAMED = 3

export interface SitemapProbe {
  /** What a look at the beginning of the file says against it, in plainer words than a parser has. */
  readonly finding: Finding | null
  /** Hosts of its entries that are not the site's. */
  readonly otherHosts: readonly string[]
}

/** Looks at the beginning of the sitemap, and of its first child if it is an index, as a person would. */
export async function probeSitemap(site: Site, client: HttpClient, timeoutMs: number): Promise<SitemapProbe> {
  const root = await look(site.sitemapUrl, client, timeoutMs)
  if (root === null) return { finding: null, otherHosts: [] }
  if (isBotWall(root)) {
    const detail = `${site.sitemapUrl} answers ${root.status} with a page that checks for robots`
    return { finding: bad('sitemap', 'bot_wall', detail, BOT_WALL_ADVICE), otherHosts: [] }
  }
  if (/^\s*(?:<!doctype html|<html)/i.test(root.text)) {
    const detail = `${site.sitemapUrl} answers ${root.status} with a web page, not with a sitemap`
    const advice = 'set sitemapUrl to the XML file itself; robots.txt of the site often names it'
    return { finding: bad('sitemap', 'not_a_sitemap', detail, advice), otherHosts: [] }
  }
  const locs = locsIn(root.text)
  const [first] = locs
  const isIndex = /<(?:\w+:)?sitemapindex[\s>]/.test(root.text)
  const child = isIndex && first !== undefined ? await look(first, client, timeoutMs) : null
  return { finding: null, otherHosts: otherHosts(site, isIndex ? locsIn(child?.text ?? '') : locs) }
}

async function look(url: string, client: HttpClient, timeoutMs: number) {
  const answer = await client.send(
    { method: 'GET', url, timeoutMs, redirects: MAX_REDIRECTS },
    async (response) => ({
      text: await readText(response),
      mitigated: response.headers.get('cf-mitigated'),
    }),
  )
  return answer.kind === 'answer' ? { status: answer.status, ...answer.value } : null
}

function locsIn(text: string): string[] {
  return [...text.matchAll(/<(?:\w+:)?loc>\s*([^<\s]+)/g)].map(([, loc]) =>
    (loc ?? '').replaceAll('&amp;', '&'),
  )
}

function otherHosts(site: Site, locs: readonly string[]): string[] {
  const hosts = locs.filter((loc) => URL.canParse(loc)).map((loc) => new URL(loc).host)
  return [...new Set(hosts)].filter((host) => host !== site.host).slice(0, MAX_HOSTS_NAMED)
}
