import { z } from 'zod'
import { fail, ok, type Problem, type Result } from '../domain/problem'
import { isSiteId, type Site, type SiteParser } from '../domain/site'
import type { Clock, KeyValueStore, Logger } from '../ports'
import { keys, parseKey } from './keys'
import { isMasked, maskedKey, mergeSite } from './merge-site'
import { parseJson } from './read-json'
import { deleteSiteRecords } from './site-records'

/** What people wrote, as they wrote it: defaults are filled in on reading, so that a changed default reaches every site. */
const schema = z.object({
  createdAt: z.string(),
  updatedAt: z.string(),
  fields: z.record(z.string(), z.unknown()),
  switchedOn: z.record(z.string(), z.string()).optional(),
})

type StoredSite = z.infer<typeof schema>

/** A stored site that cannot be used, and why. */
export interface UnusableSite {
  readonly id: string
  readonly detail: string
}

export interface SiteConfigManager {
  /** The environment's site first, then those of the API. */
  list(): Promise<readonly Site[]>
  /** The same, with those that are stored but cannot be used. */
  survey(): Promise<{ readonly sites: readonly Site[]; readonly unusable: readonly UnusableSite[] }>
  get(siteId: string): Promise<Result<Site>>
  create(input: Readonly<Record<string, unknown>>): Promise<Result<Site>>
  /** Merges the changes into what is stored. */
  update(siteId: string, changes: Readonly<Record<string, unknown>>): Promise<Result<Site>>
  /** Deletes the site and every record of it. */
  remove(siteId: string): Promise<Result<null>>
}

export interface SiteConfigDeps {
  readonly store: KeyValueStore
  readonly clock: Clock
  readonly logger: Logger
  readonly parse: SiteParser
  /** The site as answers show it, keys masked. */
  readonly show: (site: Site) => Readonly<Record<string, unknown>>
  readonly environmentSite: Site | null
  /** Whose marks and quota records go with a site. */
  readonly channels: readonly { readonly id: string; readonly cachePrefix: string }[]
}

const NOT_FOUND: Problem = {
  status: 404,
  code: 'site_not_found',
  field: 'id',
  detail: 'There is no site with this id',
}
const READ_ONLY: Problem = {
  status: 403,
  code: 'site_read_only',
  field: 'id',
  detail: 'This site comes from the environment: change its settings there',
}

export function createSiteConfigManager(deps: SiteConfigDeps): SiteConfigManager {
  const { store, clock, logger, parse, show, environmentSite } = deps

  function parseStored({ fields, createdAt, updatedAt, switchedOn = {} }: StoredSite): Result<Site> {
    return parse(fields, { source: 'api', createdAt, updatedAt, switchedOn })
  }

  /** The site stored under this id, or what is wrong with it. */
  function read(siteId: string, text: string | null): Result<Site> {
    if (text === null) return fail(NOT_FOUND)
    const key = keys.siteConfig(siteId)
    const stored = parseJson(text, schema, key, logger)
    if (stored === null) return fail(unusable('it is unreadable: delete it'))
    const parsed = parseStored(stored)
    if (parsed.ok) return parsed
    const { detail } = parsed.problem
    logger.error('a stored site cannot be used and is left out', { key, detail })
    return fail(unusable(`${detail}. Put that right, or delete it`))
  }

  async function listIds(): Promise<string[]> {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.list(keys.sitePrefix, cursor)
      for (const key of page.keys) {
        const parsed = parseKey(key)
        if (parsed?.kind === 'config') found.push(parsed.siteId)
      }
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  async function survey(): ReturnType<SiteConfigManager['survey']> {
    const ids = (await listIds()).filter((id) => id !== environmentSite?.id)
    const texts = await store.getTexts(ids.map(keys.siteConfig))
    const sites: Site[] = environmentSite === null ? [] : [environmentSite]
    const unusable: UnusableSite[] = []
    for (const id of ids) {
      const found = read(id, texts.get(keys.siteConfig(id)) ?? null)
      if (found.ok) sites.push(found.value)
      // Deleted since it was listed, or really not to be used.
      else if (found.problem.status !== NOT_FOUND.status) unusable.push({ id, detail: found.problem.detail })
    }
    return { sites, unusable }
  }

  const list = async () => (await survey()).sites

  /** Two sites must share neither id nor sitemap: the same pages would be submitted twice. */
  async function clash(site: Site, except?: string): Promise<Problem | null> {
    for (const other of await list()) {
      if (other.id === except) continue
      if (other.id === site.id) return exists('id', `The site ${site.id} exists already`)
      if (other.sitemapUrl === site.sitemapUrl) {
        return exists('sitemapUrl', `A site with this sitemapUrl (${other.id}) exists already`)
      }
    }
    return null
  }

  async function save(site: Site, stored: StoredSite): Promise<Result<Site>> {
    await store.put(keys.siteConfig(site.id), JSON.stringify(stored))
    return ok(site)
  }

  return {
    list,
    survey,

    async get(siteId) {
      if (siteId === environmentSite?.id) return ok(environmentSite)
      if (!isSiteId(siteId)) return fail(NOT_FOUND)
      return read(siteId, await store.getText(keys.siteConfig(siteId)))
    },

    async create(input) {
      const masked = Object.entries(input).find(([, value]) => isMasked(value))
      if (masked !== undefined) return fail(maskedKey(masked[0]))
      const now = new Date(clock.now()).toISOString()
      const parsed = parse(input, { source: 'api', createdAt: now, updatedAt: now })
      if (!parsed.ok) return parsed
      const site = parsed.value
      // Asked for by name: the list may not know it yet, and what cannot be used must not be lost either.
      const stored = await store.getText(keys.siteConfig(site.id))
      const problem = stored === null ? await clash(site) : exists('id', `The site ${site.id} exists already`)
      if (problem !== null) return fail(problem)
      return save(site, { createdAt: now, updatedAt: now, fields: { ...input, id: site.id } })
    },

    async update(siteId, changes) {
      if (siteId === environmentSite?.id) return fail(READ_ONLY)
      const key = isSiteId(siteId) ? keys.siteConfig(siteId) : null
      const text = key === null ? null : await store.getText(key)
      if (key === null || text === null) return fail(NOT_FOUND)
      const stored = parseJson(text, schema, key, logger)
      if (stored === null) return fail(unusable('it is unreadable: delete it'))
      const before = parseStored(stored)
      // A stored site that no longer passes shows nothing but its id, and may be put right.
      const shown = before.ok ? show(before.value) : { id: siteId, updatedAt: stored.updatedAt }
      const merged = mergeSite(stored.fields, shown, changes)
      if (!merged.ok) return merged
      const updatedAt = new Date(clock.now()).toISOString()
      const after = {
        createdAt: stored.createdAt,
        updatedAt,
        fields: { ...merged.value, id: siteId },
        switchedOn: switchedOnBy(changes, updatedAt, stored.switchedOn),
      }
      const parsed = parseStored(after)
      if (!parsed.ok) return parsed
      const problem = await clash(parsed.value, siteId)
      return problem === null ? save(parsed.value, after) : fail(problem)
    },

    async remove(siteId) {
      if (siteId === environmentSite?.id) return fail(READ_ONLY)
      const known = isSiteId(siteId) && (await store.getText(keys.siteConfig(siteId))) !== null
      if (!known) return fail(NOT_FOUND)
      await deleteSiteRecords(deps, siteId, deps.channels)
      return ok(null)
    },
  }
}

function unusable(why: string): Problem {
  const detail = `The stored site cannot be used: ${why}`
  return { status: 409, code: 'site_unusable', field: 'id', detail }
}

/** When each switch was last set to true: whoever does so again wants what an engine refused to be tried again. */
function switchedOnBy(
  changes: Readonly<Record<string, unknown>>,
  now: string,
  before: StoredSite['switchedOn'] = {},
): Record<string, string> {
  const on = Object.entries(changes).filter(([, value]) => value === true)
  return { ...before, ...Object.fromEntries(on.map(([name]) => [name, now])) }
}

function exists(field: string, detail: string): Problem {
  return { status: 409, code: 'site_exists', field, detail }
}
