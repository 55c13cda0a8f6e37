import { type Context, Hono } from 'hono'
import { flattenSite } from '../../channels/site-schema'
import { fail, ok, type Result } from '../../domain/problem'
import type { ApiDeps, ApiEnv } from '../app'
import { present } from '../problem-response'

const MAX_BODY_BYTES = 64 * 1024

/** The sites Beckon looks after. */
export function sites({ sites }: ApiDeps): Hono<ApiEnv> {
  return new Hono<ApiEnv>()
    .get('/api/sites', async (c) => {
      const all = await sites.list()
      return c.json({ sites: all.map((site) => flattenSite(site, { reveal: false })) })
    })
    .get('/api/sites/:id', async (c) => {
      const site = await sites.get(c.req.param('id'))
      if (site !== null) return c.json({ site: flattenSite(site, { reveal: false }) })
      return present(c, { status: 404, code: 'site_not_found', detail: 'There is no site with this id' })
    })
    .post('/api/sites', async (c) => {
      const body = await readBody(c)
      const created = body.ok ? await sites.create(body.value) : body
      if (!created.ok) return present(c, created.problem)
      return c.json({ site: flattenSite(created.value, { reveal: false }) }, 201)
    })
}

async function readBody(c: Context<ApiEnv>): Promise<Result<unknown>> {
  const bytes = await c.req.arrayBuffer()
  if (bytes.byteLength > MAX_BODY_BYTES) {
    return fail({
      status: 413,
      code: 'body_too_large',
      detail: `The body must be at most ${MAX_BODY_BYTES} bytes`,
    })
  }
  try {
    return ok(JSON.parse(new TextDecoder().decode(bytes)))
  } catch {
    return fail({ status: 400, code: 'invalid_json', detail: 'The body must be JSON' })
  }
}
