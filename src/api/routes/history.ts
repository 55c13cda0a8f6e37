import { Hono } from 'hono'
import { createExecutionLog } from '../../records/execution-log'
import type { ApiDeps, ApiEnv } from '../app'
import { findSite } from '../find-site'
import { present } from '../problem-response'

const LIMIT = { min: 1, max: 100, default: 20 } as const

export function history({ ports, sites }: ApiDeps): Hono<ApiEnv> {
  return new Hono<ApiEnv>().get('/history', async (c) => {
    const limit = Number(c.req.query('limit') ?? LIMIT.default)
    if (!Number.isInteger(limit) || limit < LIMIT.min || limit > LIMIT.max) {
      const detail = `limit must be a whole number from ${LIMIT.min} to ${LIMIT.max}`
      return present(c, { status: 400, code: 'invalid_limit', field: 'limit', detail })
    }
    const found = await findSite(sites, c.req.query('site'))
    if (!found.ok) return present(c, found.problem)
    const records = await createExecutionLog(ports.store, ports.logger).read(found.value.id)
    return c.json({ siteId: found.value.id, total: records.length, records: records.slice(0, limit) })
  })
}
