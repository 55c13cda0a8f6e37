import type { Channel, SubmitterContext } from '../channels/channel'
import { bad, type Finding, good } from '../domain/finding'
import type { Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import { createHttpClient, type HttpClient } from '../net/http-client'
import type { Ports } from '../ports'
import { type CrawlReport, EMPTY } from '../sitemap/crawl-books'
import { createBudget, RESERVE } from './budget'
import { crawlOnly } from './crawl-only'

/** Somebody waits for the answer. */
const MAX_CHECK_MS = 60_000
/** The crawl's word for a sitemap most of whose URLs are somewhere else. */
const HOST_MISMATCH = 'host_mismatch'

export interface SiteCheck {
  readonly siteId: string
  readonly ok: boolean
  readonly checks: readonly Finding[]
  readonly sitemap: {
    readonly totalUrls: number
    readonly leftOut: Readonly<Record<string, number>>
    /** False when the budget ended before the last file. */
    readonly complete: boolean
  }
}

export interface CheckDeps {
  readonly ports: Ports
  readonly settings: Settings
  readonly channelsOf: (site: Site) => readonly Channel[]
  readonly resolveKey: (key: unknown) => string | null
  /** All sites, to see whether another looks after the same host. */
  readonly others: readonly Site[]
}

/** Is everything in place for this site? Reads what a run would read and submits nothing. */
export async function checkSite(site: Site, deps: CheckDeps): Promise<SiteCheck> {
  const { ports, settings } = deps
  const timeMs = Math.min(settings.runTimeBudgetMs, MAX_CHECK_MS)
  const budget = createBudget(ports.clock, { timeMs, requests: settings.runRequestBudget })
  const client = createHttpClient({ ...ports, ...settings, budget })
  const checks: Finding[] = []
  for (const channel of deps.channelsOf(site)) {
    checks.push(...(await channel.check(site, submitterContext(client, deps))))
  }
  const crawl = await crawlOnly(site, { ports, settings, budget, client })
  const { totalUrls, leftOut, cutShort } = crawl
  checks.push(...sitemapFindings(site, crawl), ...neighbours(site, deps.others))
  return {
    siteId: site.id,
    ok: checks.every(({ ok }) => ok),
    checks,
    sitemap: { totalUrls, leftOut, complete: !cutShort },
  }
}

function submitterContext(client: HttpClient, { ports, settings, resolveKey }: CheckDeps): SubmitterContext {
  return {
    client,
    clock: ports.clock,
    timeoutMs: settings.requestTimeoutMs,
    reserve: RESERVE.ALERT,
    bingApiBase: settings.bingApiBase,
    allowPlainKeyFile: settings.allowPrivateNetwork,
    resolveKey,
  }
}

function sitemapFindings(site: Site, { totalUrls, leftOut, errors }: CrawlReport): Finding[] {
  const findings = errors.map(
    ({ code, message, advice = 'open the address in a browser and put it right' }) =>
      bad(code === HOST_MISMATCH ? 'host' : 'sitemap', code, message, advice),
  )
  const foreign = leftOut.other_host ?? 0
  if (foreign > 0 && !findings.some(({ code }) => code === HOST_MISMATCH)) {
    const detail = `${foreign} URLs of the sitemap are not on ${site.host}, and are not submitted`
    const advice = 'set `host` to the host of your pages (www and the bare domain are two), or take them out'
    findings.push(bad('host', 'other_host', detail, advice))
  }
  if (findings.some(({ name }) => name === 'sitemap')) return findings
  if (totalUrls > 0) return [good('sitemap', `${totalUrls} URLs found`), ...findings]
  return [bad('sitemap', EMPTY.code, EMPTY.message, EMPTY.advice), ...findings]
}

function neighbours(site: Site, others: readonly Site[]): Finding[] {
  const same = others.filter(({ id, host }) => id !== site.id && host === site.host)
  return same.map(({ id }) =>
    bad(
      'neighbour',
      'same_host',
      `the site ${id} has the same host`,
      'keep one of them, unless their sitemaps list different pages',
    ),
  )
}
