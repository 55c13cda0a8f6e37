import { fail, ok, type Result } from '../domain/problem'
import type { Site } from '../domain/site'
import type { SiteConfigManager } from '../records/site-config-manager'

/** The site a path or a parameter names. */
export async function siteNamed(
  sites: SiteConfigManager,
  id: string,
  field: 'id' | 'site',
): Promise<Result<Site>> {
  const found = await sites.get(id)
  return found.ok ? found : fail({ ...found.problem, field })
}

/** The site a request names, or the only one when it names none. */
export async function findSite(sites: SiteConfigManager, id: string | undefined): Promise<Result<Site>> {
  if (id !== undefined && id !== '') return siteNamed(sites, id, 'site')
  const [only, ...others] = await sites.list()
  if (only !== undefined && others.length === 0) return ok(only)
  if (only === undefined) {
    const detail =
      'There is no site yet: create one with POST /api/sites, or set SITEMAP_URL and INDEXNOW_API_KEY'
    return fail({ status: 404, code: 'site_not_found', field: 'site', detail })
  }
  const detail = 'site is required: there is more than one'
  return fail({ status: 400, code: 'site_required', field: 'site', detail })
}
