import type { Channel } from '../channels/channel'
import { meaningOf } from '../domain/reasons'
import type { Site } from '../domain/site'
import { fingerprinter } from '../marks/fingerprint'
import { UrlCache, type UrlMark } from '../marks/url-cache'
import type { Ports } from '../ports'
import { keys } from '../records/keys'
import { createPendingUrls, type PendingEntry } from '../records/pending-urls'
import { createQuotaManager, quotaDate } from '../records/quota-manager'
import { createSiteStates } from '../records/site-state'
import { admit } from '../sitemap/admit'
import { refusalFor } from './refusals'

const MS_PER_DAY = 86_400_000

/** What one engine has to do with a URL. */
export interface EngineKnowledge {
  readonly channel: string
  readonly state: 'accepted' | 'rejected' | 'pending'
  readonly code: string
  readonly detail: string
  /** The UTC day of the last acceptance anywhere in the channel. */
  readonly acceptedOn: string | null
  readonly lastmod: string | null
  readonly attempts: number
  readonly lastAttempt: string | null
  readonly notBefore: string | null
}

export interface UrlKnowledge {
  readonly siteId: string
  /** In the form that is remembered and submitted. */
  readonly url: string
  /** Why the crawler would not take it, if so. */
  readonly leftOut: { readonly code: string; readonly detail: string } | null
  readonly engines: Readonly<Record<string, EngineKnowledge>>
}

export interface LookUpDeps {
  readonly ports: Ports
  readonly channelsOf: (site: Site) => readonly Channel[]
  readonly resolveKey: (key: unknown) => string | null
}

/** What is known of one URL, from what is stored. No engine and no sitemap is asked. */
export async function lookUpUrl(site: Site, text: string, deps: LookUpDeps): Promise<UrlKnowledge> {
  const admission = admit(text, site.sitemapUrl, site.host)
  if (!admission.ok) {
    const code = admission.reason
    return { siteId: site.id, url: text, leftOut: { code, detail: sentence(code) }, engines: {} }
  }
  const { url } = admission
  const { store, logger } = deps.ports
  const [state, pending] = await Promise.all([
    createSiteStates(deps.ports).read(site.id),
    createPendingUrls(store, logger).read(site.id),
  ])
  const engines: Record<string, EngineKnowledge> = {}
  for (const channel of deps.channelsOf(site)) {
    const mark = await markOf(site, channel, url, deps.ports)
    const full = await isFull(site, channel, deps.ports)
    // What stands against the whole channel, or against this URL whatever the engine.
    const refusal = refusalFor(channel, { site, state }, deps.resolveKey) ?? channel.refusalOf?.(site)?.(url)
    const refused = refusal?.reason ?? null
    for (const [index, { name, address }] of channel.endpoints(site).entries()) {
      const tried = pending.entries.find(
        (entry) => entry.url === url && entry.engine === name && entry.channel === channel.id,
      )
      const until = state.notBefore[address] ?? 0
      const waits = until > deps.ports.clock.now() ? until : null
      engines[name] = knowledge({ channel: channel.id, bit: 1 << index, mark, tried, waits, full, refused })
    }
  }
  return { siteId: site.id, url, leftOut: null, engines }
}

interface Known {
  readonly channel: string
  readonly bit: number
  readonly mark: UrlMark | null
  readonly tried: PendingEntry | undefined
  readonly waits: number | null
  readonly full: boolean
  readonly refused: string | null
}

function knowledge({ channel, bit, mark, tried, waits, full, refused }: Known): EngineKnowledge {
  const settled = mark !== null && !mark.expired
  const accepted = settled && (mark.accepted & bit) !== 0
  const rejected = settled && (mark.rejected & bit) !== 0
  const everAccepted = mark !== null && (mark.accepted & bit) !== 0
  const code = accepted ? 'accepted' : rejected ? 'rejected' : pendingCode()

  function pendingCode(): string {
    if (refused !== null) return refused
    if (waits !== null) return 'not_before'
    if (tried !== undefined) return tried.reason
    if (full) return 'quota'
    return everAccepted ? 'mark_expired' : 'not_sent'
  }

  return {
    channel,
    state: accepted ? 'accepted' : rejected ? 'rejected' : 'pending',
    code,
    detail: sentence(code),
    acceptedOn: everAccepted ? new Date(mark.day * MS_PER_DAY).toISOString().slice(0, 10) : null,
    lastmod: !everAccepted || mark.lastmod === null ? null : new Date(mark.lastmod * 1000).toISOString(),
    attempts: tried?.attempts ?? 0,
    lastAttempt: tried?.lastAttempt ?? null,
    notBefore: waits === null ? null : new Date(waits).toISOString(),
  }
}

async function markOf(site: Site, channel: Channel, url: string, ports: Ports): Promise<UrlMark | null> {
  const marks = await UrlCache.open({
    ...ports,
    keyOf: (bucket) => keys.marks(channel.cachePrefix, site.id, bucket),
    ttlDays: site.cacheTtlDays,
    endpoints: channel.endpoints(site).map(({ address }) => address),
  })
  return marks.markOf(fingerprinter(site.id)(url))
}

async function isFull(site: Site, channel: Channel, ports: Ports): Promise<boolean> {
  const quota = channel.quota?.(site)
  if (quota === undefined) return false
  const date = quotaDate(ports.clock.now())
  return (
    (await createQuotaManager({ ...ports, channelId: channel.id }).read(site.id, date, quota.perDay))
      .remaining === 0
  )
}

const sentence = (code: string): string => meaningOf(code) ?? code
