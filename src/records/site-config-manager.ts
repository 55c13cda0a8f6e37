import { z } from 'zod'
import { fail, ok, type Result } from '../domain/problem'
import { isSiteId, type Site, type SiteParser } from '../domain/site'
import type { Clock, KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { parseJson } from './read-json'

/** What people wrote, as they wrote it: defaults are filled in on reading, so that a changed default reaches every site. */
const schema = z.object({
  createdAt: z.string(),
  updatedAt: z.string(),
  fields: z.record(z.string(), z.unknown()),
})

export interface SiteConfigManager {
  /** The environment's site first, then those of the API. Unreadable ones are reported and left out. */
  list(): Promise<readonly Site[]>
  get(siteId: string): Promise<Site | null>
  create(input: unknown): Promise<Result<Site>>
}

export function createSiteConfigManager(deps: {
  store: KeyValueStore
  clock: Clock
  logger: Logger
  parse: SiteParser
  environmentSite: Site | null
}): SiteConfigManager {
  const { store, clock, logger, parse, environmentSite } = deps

  function read(key: string, text: string | null): Site | null {
    const stored = parseJson(text, schema, key, logger)
    if (stored === null) return null
    const { createdAt, updatedAt } = stored
    const parsed = parse(stored.fields, { source: 'api', createdAt, updatedAt })
    if (parsed.ok) return parsed.value
    logger.error('a stored site cannot be used and is left out', { key, detail: parsed.problem.detail })
    return null
  }

  async function listKeys(): Promise<string[]> {
    const found: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.list(keys.sitePrefix, cursor)
      found.push(...page.keys)
      cursor = page.cursor
    } while (cursor !== undefined)
    return found
  }

  async function list(): Promise<readonly Site[]> {
    const texts = await store.getTexts(await listKeys())
    const sites = [...texts].map(([key, text]) => read(key, text)).filter((site) => site !== null)
    const others = sites.filter((site) => site.id !== environmentSite?.id)
    return environmentSite === null ? others : [environmentSite, ...others]
  }

  return {
    list,

    async get(siteId) {
      if (siteId === environmentSite?.id) return environmentSite
      if (!isSiteId(siteId)) return null
      return read(keys.siteConfig(siteId), await store.getText(keys.siteConfig(siteId)))
    },

    async create(input) {
      const now = new Date(clock.now()).toISOString()
      const parsed = parse(input, { source: 'api', createdAt: now, updatedAt: now })
      if (!parsed.ok) return parsed
      const site = parsed.value
      const same = (await list()).find(
        ({ id, sitemapUrl }) => id === site.id || sitemapUrl === site.sitemapUrl,
      )
      if (same !== undefined) {
        const what = same.id === site.id ? `The site ${site.id}` : `A site with this sitemapUrl (${same.id})`
        return fail({ status: 409, code: 'site_exists', detail: `${what} exists already` })
      }
      const fields = { ...(input as Record<string, unknown>), id: site.id }
      await store.put(keys.siteConfig(site.id), JSON.stringify({ createdAt: now, updatedAt: now, fields }))
      return ok(site)
    },
  }
}
