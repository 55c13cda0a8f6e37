import { z } from 'zod'
import { fail, ok, type Problem, type Result } from '../domain/problem'
import { isSiteId, type Site, type SiteParser } from '../domain/site'
import type { KeyValueStore, Logger } from '../ports'
import { keys, parseKey } from './keys'
import { parseJson } from './read-json'

/** What people wrote, as they wrote it: defaults are filled in on reading, so that a changed default reaches every site. */
const schema = z.object({
  createdAt: z.string(),
  updatedAt: z.string(),
  fields: z.record(z.string(), z.unknown()),
  switchedOn: z.record(z.string(), z.string()).optional(),
})

export type StoredSite = z.infer<typeof schema>

/** A stored site that cannot be used, and why. */
export interface UnusableSite {
  readonly id: string
  readonly detail: string
}

export interface StoredSites {
  has(siteId: string): Promise<boolean>
  /** As it was written, whether or not it still passes. */
  load(siteId: string): Promise<Result<StoredSite>>
  read(siteId: string): Promise<Result<Site>>
  /** Every one but this. */
  survey(
    except?: string,
  ): Promise<{ readonly sites: readonly Site[]; readonly unusable: readonly UnusableSite[] }>
  parse(stored: StoredSite): Result<Site>
  write(siteId: string, stored: StoredSite): Promise<void>
}

export const SITE_NOT_FOUND: Problem = {
  status: 404,
  code: 'site_not_found',
  field: 'id',
  detail: 'There is no site with this id: GET /api/sites lists them all',
}

/** The sites that came through the API. */
export function createStoredSites(deps: {
  readonly store: KeyValueStore
  readonly logger: Logger
  readonly parse: SiteParser
}): StoredSites {
  const { store, logger } = deps

  const textOf = async (siteId: string) =>
    isSiteId(siteId) ? await store.getText(keys.siteConfig(siteId)) : null

  function parse({ fields, createdAt, updatedAt, switchedOn = {} }: StoredSite): Result<Site> {
    return deps.parse(fields, { source: 'api', createdAt, updatedAt, switchedOn })
  }

  function loaded(siteId: string, text: string | null): Result<StoredSite> {
    if (text === null) return fail(SITE_NOT_FOUND)
    const stored = parseJson(text, schema, keys.siteConfig(siteId), logger)
    return stored === null ? fail(unusable('it is unreadable: delete it')) : ok(stored)
  }

  /** The site stored under this id, or what is wrong with it. */
  function read(siteId: string, text: string | null): Result<Site> {
    const stored = loaded(siteId, text)
    if (!stored.ok) return stored
    const parsed = parse(stored.value)
    if (parsed.ok && parsed.value.id === siteId) return parsed
    const detail = parsed.ok ? `its fields are those of ${parsed.value.id}` : parsed.problem.detail
    logger.error('a stored site cannot be used and is left out', { key: keys.siteConfig(siteId), detail })
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

  return {
    parse,
    has: async (siteId) => (await textOf(siteId)) !== null,
    load: async (siteId) => loaded(siteId, await textOf(siteId)),
    read: async (siteId) => read(siteId, await textOf(siteId)),

    async survey(except) {
      const ids = (await listIds()).filter((id) => id !== except)
      const texts = await store.getTexts(ids.map(keys.siteConfig))
      const sites: Site[] = []
      const unusable: UnusableSite[] = []
      for (const id of ids) {
        const found = read(id, texts.get(keys.siteConfig(id)) ?? null)
        if (found.ok) sites.push(found.value)
        // Deleted since it was listed, or really not to be used.
        else if (found.problem !== SITE_NOT_FOUND) unusable.push({ id, detail: found.problem.detail })
      }
      return { sites, unusable }
    },

    write: (siteId, stored) => store.put(keys.siteConfig(siteId), JSON.stringify(stored)),
  }
}

function unusable(why: string): Problem {
  const detail = `The stored site cannot be used: ${why}`
  return { status: 409, code: 'site_unusable', field: 'id', detail }
}
