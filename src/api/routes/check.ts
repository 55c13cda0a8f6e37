import { z } from 'zod'
import { checkSite } from '../../pipeline/check-site'
import type { ApiDeps } from '../app'
import { siteNamed } from '../find-site'
import { present } from '../problem-response'
import { type Route, route } from '../route'

const finding = z.object({
  name: z
    .string()
    .meta({ description: '`keyFile`, `engine {name}`, `bingKey`, `sitemap`, `host`, `neighbour`' }),
  ok: z.boolean(),
  code: z.string().meta({ description: '`ok`, or a reason code' }),
  detail: z.string(),
  advice: z.string().optional().meta({ description: 'What to do' }),
})

const answer = z.object({
  siteId: z.string(),
  ok: z.boolean(),
  checks: z.array(finding),
  sitemap: z.object({
    totalUrls: z.int(),
    leftOut: z.record(z.string(), z.int()),
    complete: z.boolean().meta({ description: 'false: the budget ended before the last file' }),
  }),
})

/** Whether a site is set up as it must be. */
export function check(deps: ApiDeps): readonly Route[] {
  return [
    route({
      methods: ['GET'],
      path: '/api/sites/{id}/check',
      summary: 'Whether everything is in place: key file, sitemap, engines, Bing key',
      details: 'Reads what a run would read and submits nothing. Takes a minute at most.',
      answers: {
        200: {
          says: 'What was found; `ok` when every check is',
          schema: answer,
          example: {
            siteId: 'www.example.com',
            ok: false,
            checks: [
              {
                name: 'keyFile',
                ok: true,
                code: 'ok',
                detail: 'https://www.example.com/1a2b****.txt holds the key',
              },
              { name: 'engine yandex', ok: true, code: 'ok', detail: 'it answers' },
              {
                name: 'host',
                ok: false,
                code: 'other_host',
                detail:
                  '12 URLs of the sitemap are on example.com, not on www.example.com, and are not submitted',
                advice: 'set host to the host of your pages (www and the bare domain are two hosts)',
              },
            ],
            sitemap: { totalUrls: 1_500, leftOut: { other_host: 12 }, complete: true },
          },
        },
      },
      problems: { 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, id }) {
        const found = await siteNamed(deps.sites, id, 'id')
        if (!found.ok) return present(c, found.problem)
        return c.json(await checkSite(found.value, { ...deps, others: await deps.sites.list() }))
      },
    }),
  ]
}
