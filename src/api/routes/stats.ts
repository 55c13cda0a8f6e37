import { z } from 'zod'
import { dailyFigures, MAX_DAYS } from '../../records/daily-sums'
import { quotaDate } from '../../records/quota-manager'
import { createSiteStates } from '../../records/site-state'
import { daily } from '../answers'
import type { ApiDeps } from '../app'
import * as examples from '../examples'
import { siteNamed } from '../find-site'
import { present } from '../problem-response'
import { anySiteParameter, wholeNumber } from '../query-fields'
import { type Route, route } from '../route'

const DAYS = { min: 1, max: MAX_DAYS, default: 7 } as const

/** Figures per day, for one site or all together. */
export function stats({ ports, sites, channels }: ApiDeps): readonly Route[] {
  return [
    route({
      methods: ['GET'],
      path: '/api/stats/daily',
      summary: 'URLs per day and channel',
      details:
        'The oldest day first, today (UTC) last, days without runs filled with zeros. `total` is accepted, failed and ' +
        'rejected; `successful` was accepted by every engine asked. A URL counts once however many engines heard of it.',
      query: z.strictObject({ days: wholeNumber(DAYS, 'How many days'), site: anySiteParameter }),
      answers: { 200: { says: 'One entry per day', schema: daily, example: examples.daily } },
      problems: { 404: ['site_not_found'], 409: ['site_unusable'] },
      async handle({ c, query: { days, site } }) {
        const found = site === undefined ? null : await siteNamed(sites, site, 'site')
        if (found?.ok === false) return present(c, found.problem)
        const chosen = found === null ? await sites.list() : [found.value]
        const states = await createSiteStates(ports).readMany(chosen.map(({ id }) => id))
        const sums = [...states.values()].map((state) => state.sums)
        const today = quotaDate(ports.clock.now())
        return c.json({ daily: dailyFigures(sums, { today, days, channels: channels.map(({ id }) => id) }) })
      },
    }),
  ]
}
