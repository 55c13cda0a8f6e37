import type { Context } from 'hono'
import { z } from 'zod'
import type { Problem } from '../../domain/problem'
import type { Site } from '../../domain/site'
import { createRunLeases, isLive } from '../../records/run-lease'
import { deleteMarks } from '../../records/site-records'
import { createSiteStates } from '../../records/site-state'
import { site as siteAnswer } from '../answers'
import type { ApiDeps } from '../app'
import * as examples from '../examples'
import { siteNamed } from '../find-site'
import { present } from '../problem-response'
import { ALL_CHANNELS, channelParameter, unknownChannel } from '../query-fields'
import { refusalsOf } from '../refusals-of'
import { type ApiEnv, type Route, route } from '../route'

const FIELD_CODES = [
  'invalid_json',
  'invalid_body',
  'missing_field',
  'invalid_field',
  'unknown_field',
  'masked_key',
]

const unusableSite = z
  .object({ id: z.string(), detail: z.string() })
  .meta({ description: 'Stored, but not to be used until it is put right; absent when there is none' })

/** The sites Beckon looks after. */
export function sites(deps: ApiDeps): readonly Route[] {
  const { sites, show, siteSchema, channels, ports } = deps
  const one = { says: 'The site', schema: z.object({ site: siteAnswer }), example: { site: examples.site } }
  const answerWith = (c: Context<ApiEnv>, site: Site, status: 200 | 201 = 200) =>
    c.json({ site: show(site) }, status)

  /** What is deleted under a run would be written again by it. */
  async function runningProblem(siteId: string): Promise<Problem | null> {
    const [lease, state] = await Promise.all([
      createRunLeases(ports).read(siteId),
      createSiteStates(ports).read(siteId),
    ])
    const now = ports.clock.now()
    if (lease === null || !isLive(lease, state.finishedRunId, now)) return null
    const retryAfterSeconds = Math.max(1, Math.ceil((lease.until - now) / 1000))
    const detail = `${siteId} is running, and would write again what is deleted now: try again later`
    return { status: 409, code: 'already_running', field: 'id', detail, retryAfterSeconds }
  }

  return [
    route({
      methods: ['GET'],
      path: '/api/sites',
      summary: 'All sites',
      answers: {
        200: {
          says: 'The sites, that of the environment first',
          schema: z.object({ sites: z.array(siteAnswer), unusable: z.array(unusableSite).optional() }),
          example: { sites: [examples.site] },
        },
      },
      async handle({ c }) {
        const { sites: usable, unusable } = await sites.survey()
        return c.json({ sites: usable.map(show), ...(unusable.length === 0 ? {} : { unusable }) })
      },
    }),
    route({
      methods: ['POST'],
      path: '/api/sites',
      summary: 'Create a site',
      details: 'Only `sitemapUrl` and `apiKey` are required.',
      body: { schema: siteSchema, example: examples.siteInput },
      answers: { 201: one },
      problems: { 400: FIELD_CODES, 409: ['site_exists'], 413: ['body_too_large'] },
      async handle({ c, body }) {
        const created = await sites.create(body)
        return created.ok ? answerWith(c, created.value, 201) : present(c, created.problem)
      },
    }),
    route({
      methods: ['GET'],
      path: '/api/sites/{id}',
      summary: 'One site',
      answers: { 200: one },
      problems: { 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, id }) {
        const found = await siteNamed(sites, id, 'id')
        if (!found.ok) return present(c, found.problem)
        const state = await createSiteStates(ports).read(id)
        const refusals = refusalsOf(found.value, state, deps)
        const off = Object.keys(refusals).length > 0 ? { refusals } : {}
        return c.json({ site: { ...show(found.value), ...off } })
      },
    }),
    route({
      methods: ['PUT'],
      path: '/api/sites/{id}',
      summary: 'Change a site',
      details:
        'Fields left out stay as they are, `null` goes back to the default. A site that was read may be sent back as a ' +
        'whole: masked keys keep what is stored, and `updatedAt` guards against somebody else’s change in between.',
      body: { schema: siteSchema, partial: true, example: { enabled: false } },
      answers: { 200: one },
      problems: {
        400: FIELD_CODES,
        403: ['site_read_only'],
        404: ['site_not_found'],
        409: ['site_exists', 'site_changed', 'site_unusable'],
        413: ['body_too_large'],
      },
      async handle({ c, id, body }) {
        const updated = await sites.update(id, body)
        return updated.ok ? answerWith(c, updated.value) : present(c, updated.problem)
      },
    }),
    route({
      methods: ['DELETE'],
      path: '/api/sites/{id}',
      summary: 'Delete a site and everything known of it',
      answers: {
        200: {
          says: 'It is gone, with its marks, history, state and quota records',
          schema: z.object({ deleted: z.string() }),
          example: { deleted: 'www.example.com' },
        },
      },
      problems: { 403: ['site_read_only'], 404: ['site_not_found'], 409: ['already_running'] },
      async handle({ c, id }) {
        const found = await siteNamed(sites, id, 'id')
        const problem = found.ok ? await runningProblem(id) : null
        if (problem !== null) return present(c, problem)
        const removed = await sites.remove(id)
        return removed.ok ? c.json({ deleted: id }) : present(c, removed.problem)
      },
    }),
    route({
      methods: ['DELETE'],
      path: '/api/sites/{id}/marks',
      summary: 'Forget what was accepted, so that everything is submitted again',
      query: z.strictObject({ channel: channelParameter(channels, 'Whose marks') }),
      answers: {
        200: {
          says: 'The marks of these channels are gone',
          schema: z.object({ siteId: z.string(), channels: z.array(z.string()) }),
          example: { siteId: 'www.example.com', channels: ['indexnow', 'bing'] },
        },
      },
      problems: {
        400: ['unknown_channel'],
        404: ['site_not_found'],
        409: ['site_unusable', 'already_running'],
      },
      async handle({ c, id, query: { channel } }) {
        const found = await siteNamed(sites, id, 'id')
        if (!found.ok) return present(c, found.problem)
        const problem = unknownChannel(channels, channel) ?? (await runningProblem(id))
        if (problem !== null) return present(c, problem)
        const chosen = channels.filter((one) => channel === ALL_CHANNELS || one.id === channel)
        const prefixes = chosen.map(({ cachePrefix }) => cachePrefix)
        await deleteMarks(ports.store, id, prefixes)
        return c.json({ siteId: id, channels: chosen.map((one) => one.id) })
      },
    }),
  ]
}
