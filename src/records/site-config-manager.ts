import { fail, ok, type Problem, type Result } from '../domain/problem'
import type { Site, SiteParser } from '../domain/site'
import type { Clock, KeyValueStore, Logger } from '../ports'
import { isMasked, maskedKey, mergeSite } from './merge-site'
import { deleteSiteRecords } from './site-records'
import { createStoredSites, SITE_NOT_FOUND, type StoredSite, type UnusableSite } from './stored-sites'

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

const READ_ONLY: Problem = {
  status: 403,
  code: 'site_read_only',
  field: 'id',
  detail: 'This site comes from the environment: change its settings there',
}

export function createSiteConfigManager(deps: SiteConfigDeps): SiteConfigManager {
  const { clock, parse, show, environmentSite } = deps
  const stored = createStoredSites(deps)
  const isEnvironments = (siteId: string) => siteId === environmentSite?.id

  async function survey(): ReturnType<SiteConfigManager['survey']> {
    const { sites, unusable } = await stored.survey(environmentSite?.id)
    return { sites: environmentSite === null ? sites : [environmentSite, ...sites], unusable }
  }

  const list = async () => (await survey()).sites

  /** Two sites must share neither id nor sitemap: the same pages would be submitted twice. */
  async function clash(site: Site, except?: string): Promise<Problem | null> {
    for (const other of await list()) {
      if (other.id === except) continue
      if (other.id === site.id) return idExists(site.id)
      if (other.sitemapUrl === site.sitemapUrl) {
        const detail = `A site with this sitemapUrl exists already: change it with PUT /api/sites/${other.id}`
        return exists('sitemapUrl', detail)
      }
    }
    return null
  }

  async function save(site: Site, config: StoredSite): Promise<Result<Site>> {
    await stored.write(site.id, config)
    return ok(site)
  }

  return {
    list,
    survey,

    async get(siteId) {
      return environmentSite !== null && isEnvironments(siteId) ? ok(environmentSite) : stored.read(siteId)
    },

    async create(input) {
      const masked = Object.entries(input).find(([, value]) => isMasked(value))
      if (masked !== undefined) return fail(maskedKey(masked[0]))
      const now = new Date(clock.now()).toISOString()
      const parsed = parse(input, { source: 'api', createdAt: now, updatedAt: now })
      if (!parsed.ok) return parsed
      const site = parsed.value
      // Asked for by name: the list may not know it yet, and what cannot be used must not be lost either.
      const known = await stored.has(site.id)
      const problem = known ? idExists(site.id) : await clash(site)
      if (problem !== null) return fail(problem)
      return save(site, { createdAt: now, updatedAt: now, fields: { ...input, id: site.id } })
    },

    async update(siteId, changes) {
      if (isEnvironments(siteId)) return fail(READ_ONLY)
      const found = await stored.load(siteId)
      if (!found.ok) return found
      const { createdAt, fields, ...before } = found.value
      const site = stored.parse(found.value)
      // A stored site that no longer passes shows nothing but its id, and may be put right.
      const shown = site.ok ? show(site.value) : { id: siteId, updatedAt: before.updatedAt }
      const merged = mergeSite(fields, shown, changes)
      if (!merged.ok) return merged
      const updatedAt = new Date(clock.now()).toISOString()
      const after = {
        createdAt,
        updatedAt,
        fields: { ...merged.value, id: siteId },
        switchedOn: switchedOnBy(changes, updatedAt, before.switchedOn),
      }
      const parsed = stored.parse(after)
      if (!parsed.ok) return parsed
      const problem = await clash(parsed.value, siteId)
      return problem === null ? save(parsed.value, after) : fail(problem)
    },

    async remove(siteId) {
      if (isEnvironments(siteId)) return fail(READ_ONLY)
      if (!(await stored.has(siteId))) return fail(SITE_NOT_FOUND)
      await deleteSiteRecords(deps, siteId, deps.channels)
      return ok(null)
    },
  }
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

function idExists(id: string): Problem {
  return exists(
    'id',
    `The site ${id} exists already: change it with PUT /api/sites/${id}, or give another id`,
  )
}

function exists(field: string, detail: string): Problem {
  return { status: 409, code: 'site_exists', field, detail }
}
