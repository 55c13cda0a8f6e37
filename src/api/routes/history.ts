import { z } from 'zod'
import { createExecutionLog, MAX_RECORDS } from '../../records/execution-log'
import { executionRecord } from '../answers'
import type { ApiDeps } from '../app'
import { record } from '../examples'
import { findSite } from '../find-site'
import { present } from '../problem-response'
import { siteParameter, wholeNumber } from '../query-fields'
import { type Route, route } from '../route'

const LIMIT = { min: 1, max: MAX_RECORDS, default: 20 } as const
const OFFSET = { min: 0, max: MAX_RECORDS, default: 0 } as const

const query = z.strictObject({
  site: siteParameter,
  limit: wholeNumber(LIMIT, 'How many records'),
  offset: wholeNumber(OFFSET, 'How many of the newest to pass over'),
})

const answer = z.object({
  siteId: z.string(),
  total: z.int().meta({ description: `Records kept; at most ${MAX_RECORDS}` }),
  records: z.array(executionRecord),
  nextOffset: z.int().nullable().meta({ description: 'The offset of the next page; null on the last' }),
})

export function history({ ports, sites }: ApiDeps): readonly Route[] {
  return [
    route({
      methods: ['GET'],
      path: '/history',
      summary: 'The records of past runs, newest first',
      query,
      answers: {
        200: {
          says: 'A page of records',
          schema: answer,
          example: { siteId: 'www.example.com', total: 1, records: [record], nextOffset: null },
        },
      },
      problems: { 400: ['site_required'], 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, query: { site, limit, offset } }) {
        const found = await findSite(sites, site)
        if (!found.ok) return present(c, found.problem)
        const all = await createExecutionLog(ports.store, ports.logger).read(found.value.id)
        const records = all.slice(offset, offset + limit)
        const end = offset + records.length
        const nextOffset = end < all.length ? end : null
        return c.json({ siteId: found.value.id, total: all.length, records, nextOffset })
      },
    }),
  ]
}
