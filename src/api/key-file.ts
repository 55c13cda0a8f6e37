import type { Site } from '../domain/site'
import type { Clock } from '../ports'
import type { SiteConfigManager } from '../records/site-config-manager'
import { COMMON } from './openapi'
import type { DescribedRoute } from './route'

const KEY_FILE = /^\/([A-Za-z0-9-]{8,128})\.txt$/
/** A stranger may ask as often as he likes; the free plan allows 1,000 lists a day, and the schedule needs them. */
const LIST_EVERY_MS = 10 * 60_000

/** For the documents. The doors themselves answer it: the router would take every path for one. */
export const keyFileRoute: DescribedRoute = {
  methods: ['GET'],
  path: '/{key}.txt',
  open: true,
  summary: 'The key file of a site',
  details:
    'Answered only where the request’s host is the `host` of a site with this key: point a route of your domain at the ' +
    'Worker, and you need not upload key files. To everybody else it is a path like any other.',
  answers: { 200: { says: 'The key and nothing else', type: 'text/plain' } },
  problems: { ...COMMON, 404: ['not_found'] },
}

/** Serves `/{key}.txt` where the Worker answers on the site's own host. To everybody else such a path is like any other. */
export function keyFiles(deps: {
  readonly sites: SiteConfigManager
  readonly clock: Clock
  readonly keyOf: (site: Site) => string | null
}): (url: URL) => Promise<string | null> {
  const { sites, clock, keyOf } = deps
  let listed: { readonly at: number; readonly sites: readonly Site[] } | null = null

  async function sitesOn(url: URL): Promise<readonly Site[]> {
    // Most sites have their host as id: one read, and always the newest.
    const named = await sites.get(url.hostname)
    if (named.ok && named.value.host === url.host) return [named.value]
    if (listed === null || clock.now() - listed.at >= LIST_EVERY_MS) {
      listed = { at: clock.now(), sites: await sites.list() }
    }
    return listed.sites.filter(({ host }) => host === url.host)
  }

  return async (url) => {
    const asked = KEY_FILE.exec(url.pathname)?.[1]
    if (asked === undefined) return null
    const keys = (await sitesOn(url)).map(keyOf)
    return keys.includes(asked) ? asked : null
  }
}
