import { z } from 'zod'
import { meaningOf } from '../../domain/reasons'
import { lookUpUrl } from '../../pipeline/look-up-url'
import { createPendingUrls } from '../../records/pending-urls'
import type { ApiDeps } from '../app'
import { siteNamed } from '../find-site'
import { present } from '../problem-response'
import { wholeNumber } from '../query-fields'
import { type Route, route } from '../route'

const MAX_URL_LENGTH = 8_192
const LIMIT = { min: 1, max: 500, default: 100 } as const
const OFFSET = { min: 0, max: 500, default: 0 } as const

const URL_MESSAGE = 'is required: the full address of a page of the site'

const moment = z.iso.datetime()

const knowledge = z.object({
  siteId: z.string(),
  url: z.string().meta({ description: 'In the form that is remembered and submitted' }),
  leftOut: z
    .object({ code: z.string(), detail: z.string() })
    .nullable()
    .meta({ description: 'Why the crawler would leave it out; null when it would not' }),
  engines: z.record(
    z.string(),
    z.object({
      channel: z.string(),
      state: z.enum(['accepted', 'rejected', 'pending']),
      code: z.string().meta({ description: 'A reason code' }),
      detail: z.string(),
      acceptedOn: z.iso.date().nullable().meta({ description: 'The UTC day it was accepted last' }),
      lastmod: moment.nullable().meta({ description: 'The lastmod it was accepted with' }),
      attempts: z.int(),
      lastAttempt: moment.nullable(),
      notBefore: moment.nullable(),
    }),
  ),
})

const pendingList = z.object({
  siteId: z.string(),
  total: z.int().meta({ description: 'All that are known, listed or not' }),
  pending: z.array(
    z.object({
      url: z.string(),
      channel: z.string(),
      engine: z.string(),
      reason: z.string(),
      detail: z.string(),
      attempts: z.int(),
      status: z.int().nullable(),
      lastAttempt: moment,
    }),
  ),
  nextOffset: z.int().nullable(),
})

const EXAMPLE_URL = 'https://www.example.com/news/story-4'

/** What is known of single URLs. */
export function urls({ ports, sites, channelsOf, resolveKey }: ApiDeps): readonly Route[] {
  return [
    route({
      methods: ['GET'],
      path: '/api/sites/{id}/urls',
      summary: 'What is known of one URL',
      details: 'Accepted where and when, or pending and why, or left out by the crawler and why.',
      query: z.strictObject({
        url: z
          .string({ message: URL_MESSAGE })
          .min(1, { message: URL_MESSAGE })
          .max(MAX_URL_LENGTH, { message: `must be at most ${MAX_URL_LENGTH} characters` })
          .meta({ description: 'The full address of a page, percent-encoded', examples: [EXAMPLE_URL] }),
      }),
      answers: {
        200: {
          says: 'What is stored of it; no engine and no sitemap is asked',
          schema: knowledge,
          example: {
            siteId: 'www.example.com',
            url: EXAMPLE_URL,
            leftOut: null,
            engines: {
              yandex: {
                channel: 'indexnow',
                state: 'pending',
                code: 'server_error_503',
                detail: meaningOf('server_error_503'),
                acceptedOn: null,
                lastmod: null,
                attempts: 1,
                lastAttempt: '2026-11-18T00:00:09.120Z',
                notBefore: null,
              },
            },
          },
        },
      },
      problems: { 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, id, query: { url } }) {
        const found = await siteNamed(sites, id, 'id')
        if (!found.ok) return present(c, found.problem)
        return c.json(await lookUpUrl(found.value, url, { ports, channelsOf, resolveKey }))
      },
    }),
    route({
      methods: ['GET'],
      path: '/api/sites/{id}/pending',
      summary: 'URLs that were tried and not accepted, with reasons',
      query: z.strictObject({
        limit: wholeNumber(LIMIT, 'How many entries'),
        offset: wholeNumber(OFFSET, 'How many to pass over'),
      }),
      answers: {
        200: {
          says: 'A page of the list',
          schema: pendingList,
          example: {
            siteId: 'www.example.com',
            total: 1,
            pending: [
              {
                url: EXAMPLE_URL,
                channel: 'indexnow',
                engine: 'yandex',
                reason: 'server_error_503',
                detail: meaningOf('server_error_503'),
                attempts: 1,
                status: 503,
                lastAttempt: '2026-11-18T00:00:09.120Z',
              },
            ],
            nextOffset: null,
          },
        },
      },
      problems: { 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, id, query: { limit, offset } }) {
        const found = await siteNamed(sites, id, 'id')
        if (!found.ok) return present(c, found.problem)
        const { entries, overflow } = await createPendingUrls(ports.store, ports.logger).read(id)
        const pending = entries
          .slice(offset, offset + limit)
          .map((entry) => ({ ...entry, detail: meaningOf(entry.reason) ?? entry.reason }))
        const end = offset + pending.length
        const nextOffset = end < entries.length ? end : null
        return c.json({ siteId: id, total: entries.length + overflow, pending, nextOffset })
      },
    }),
  ]
}
