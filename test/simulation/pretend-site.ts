import { fingerprinter } from '../../src/marks/fingerprint'
import type { Chance } from './chance'

export const SECRET_MARK = 'Zq'

/** Any four characters of its later part hold the mark, so a leak of a piece is seen as well. */
export function canary(head: string, n: number): string {
  const tail = Array.from({ length: 6 }, (_, i) => `${SECRET_MARK}${(n * 7 + i) % 10}`)
  return `${head}${tail.join('')}`
}

export interface Acceptance {
  at: number
  runStartedAt: number
  /** How much had gone wrong at the site when that run began. */
  epoch: number
}

export interface Page {
  readonly url: string
  readonly path: string
  /** Who refuses it for good: everybody, nobody, or one endpoint by its place among them. */
  readonly bad: 'everywhere' | 'nowhere' | 0 | 1 | 2
  readonly file: number
  readonly hasLastmod: boolean
  listed: boolean
  /** When its present version was published, in whole seconds of ms. */
  publishedAt: number
  /** By endpoint address. */
  readonly accepted: Map<string, Acceptance>
  readonly refused: Map<string, Refusal>
}

export interface Refusal {
  readonly runId: string
  readonly epoch: number
  readonly publishedAt: number
  readonly named: boolean
}

const PLACES = [
  'https://one.engine.example/indexnow',
  'https://two.engine.example/indexnow',
  'bing-webmaster-api',
]

export const isBadAt = ({ bad }: Page, endpoint: string): boolean =>
  bad === 'everywhere' || (bad !== 'nowhere' && PLACES[bad] === endpoint)

export type SiteTrouble =
  | 'fine'
  | 'html'
  | 'cut'
  | 'server_error'
  | 'hang'
  | 'not_found'
  | 'network'
  | 'empty'
  | 'half'
  | 'malformed'
  | 'many_children'
  | 'key_file_missing'
  | 'key_file_down'

export interface SiteProfile {
  readonly files: number
  readonly etags: boolean
  readonly indexLastmods: boolean
  readonly bing: boolean
  readonly bingQuota: number
  readonly ttlDays: number
  readonly schedule: string
  readonly engines: readonly string[]
  readonly method: 'auto' | 'get' | 'bulk'
  /** How far the site's clock is behind (or ahead of) the true time. */
  readonly clockBehindMs: number
}

const BADNESS = ['everywhere', 'everywhere', 0, 1, 2] as const

/** A website whose sitemap grows, changes, shrinks and breaks. */
export class PretendSite {
  readonly id: string
  readonly key: string
  readonly bingKey: string
  readonly pages = new Map<string, Page>()
  readonly byFingerprint = new Map<string, Page>()
  #trouble: SiteTrouble = 'fine'
  /** How often something went wrong that may cost duplicates or order. */
  epoch = 0
  /** The last time anything but a kill went wrong. */
  lastStoreTrouble = Number.NEGATIVE_INFINITY
  lastTrouble = Number.NEGATIVE_INFINITY
  /** When it was last started, and how many ticks have passed it over since it is due again. */
  turn = { startedAt: 0, missed: 0 }
  /** Its configuration is unreadable: nobody can run it. */
  unusable = false
  /** What is wrong with it does not go away. */
  poison: SiteTrouble | null = null
  readonly changedAt: number[]
  readonly #fingerprint: (url: string) => bigint
  #serial = 0

  constructor(
    n: number,
    readonly profile: SiteProfile,
    now: number,
    private readonly chance: Chance,
  ) {
    this.id = `s${n}.example`
    this.key = canary('indx', n)
    this.bingKey = canary('bing', n + 3)
    this.#fingerprint = fingerprinter(this.id)
    this.turn.startedAt = now
    this.changedAt = Array.from({ length: Math.max(1, profile.files) }, () => now)
  }

  get trouble(): SiteTrouble {
    return this.#trouble
  }

  /** Its files are honest: what they hold changes, so their dates and tags change too. */
  fall(trouble: SiteTrouble, now: number): void {
    if (trouble === this.#trouble) return
    this.#trouble = trouble
    this.changedAt.fill(now)
  }

  get sitemapUrl(): string {
    return `https://${this.id}/sitemap.xml`
  }

  /** What its owner sends to the API. */
  get fields(): Record<string, unknown> {
    const { bing, bingQuota, ttlDays, schedule, engines, method } = this.profile
    return {
      sitemapUrl: this.sitemapUrl,
      apiKey: this.key,
      searchEngines: [...engines],
      submitMethod: method,
      schedule,
      cacheTtlDays: ttlDays,
      ...(bing ? { bingEnabled: true, bingApiKey: this.bingKey, bingDailyQuota: bingQuota } : {}),
    }
  }

  get listed(): readonly Page[] {
    return [...this.pages.values()].filter(({ listed }) => listed)
  }

  publish(now: number, count: number, badRate = 0.03): void {
    for (let i = 0; i < count; i++) {
      const bad = this.chance.happens(badRate) ? this.chance.pick(BADNESS) : 'nowhere'
      const path = `/${bad === 'nowhere' ? 'page' : 'bad'}-${++this.#serial}`
      const url = `https://${this.id}${path}`
      const page: Page = {
        url,
        path,
        bad,
        file: this.chance.int(0, this.changedAt.length - 1),
        hasLastmod: this.chance.happens(0.7),
        listed: true,
        publishedAt: Math.floor(now / 1000) * 1000,
        accepted: new Map(),
        refused: new Map(),
      }
      this.pages.set(path, page)
      const print = this.#fingerprint(url)
      this.byFingerprint.set(`${Number(print >> 32n)} ${Number(print & 0xffffffffn)}`, page)
      this.changedAt[page.file] = now
    }
  }

  /** A day's work of its owner. */
  evolve(now: number, most: number): void {
    const { chance } = this
    const listed = this.listed
    if (listed.length < most) this.publish(now, chance.int(0, 3))
    for (const page of listed) {
      if (page.hasLastmod && chance.happens(0.08)) {
        page.publishedAt = Math.max(page.publishedAt + 1000, Math.floor(now / 1000) * 1000)
        this.changedAt[page.file] = now
      } else if (listed.length > 4 && chance.happens(0.02)) {
        page.listed = false
        this.changedAt[page.file] = now
      }
    }
    for (const page of this.pages.values()) {
      if (!page.listed && chance.happens(0.05)) {
        page.listed = true
        this.changedAt[page.file] = now
      }
    }
  }

  /** The body and etag of one of its addresses, or null where there is nothing. */
  answer(pathname: string): { body: string; etag: string | null } | null {
    const { files, etags, indexLastmods } = this.profile
    if (pathname === `/${this.key}.txt`) return { body: this.key, etag: null }
    const tag = (at: number) => (etags ? `"${at}-${this.#trouble}"` : null)
    const stamp = (at: number) => new Date(at - this.profile.clockBehindMs).toISOString()
    if (pathname === '/sitemap.xml') {
      if (files === 0) return { body: this.#urlset(0), etag: tag(this.changedAt[0] ?? 0) }
      const rows = this.changedAt.map((at, n) => {
        const lastmod = indexLastmods ? `<lastmod>${stamp(at)}</lastmod>` : ''
        return `<sitemap><loc>https://${this.id}/sitemap-${n}.xml</loc>${lastmod}</sitemap>`
      })
      const more =
        this.#trouble === 'many_children'
          ? Array.from(
              { length: 60 },
              (_, n) => `<sitemap><loc>https://${this.id}/none-${n}.xml</loc></sitemap>`,
            )
          : []
      return { body: `<sitemapindex>${[...rows, ...more].join('')}</sitemapindex>`, etag: null }
    }
    const n = Number(/^\/sitemap-(\d+)\.xml$/.exec(pathname)?.[1] ?? -1)
    if (n < 0 || n >= files) return null
    return { body: this.#urlset(n), etag: tag(this.changedAt[n] ?? 0) }
  }

  #urlset(file: number): string {
    const all = this.listed.filter((page) => page.file === file)
    const pages =
      this.#trouble === 'empty' ? [] : this.#trouble === 'half' ? all.slice(0, all.length >> 1) : all
    const rows = pages.map(({ url, publishedAt, hasLastmod }) => {
      const lastmod = hasLastmod ? `<lastmod>${new Date(publishedAt).toISOString()}</lastmod>` : ''
      return `<url><loc>${url}</loc>${lastmod}</url>`
    })
    return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${rows.join('')}</urlset>`
  }
}
