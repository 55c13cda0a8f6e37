import { z } from 'zod'
import type { Channel } from '../../../src/channels/channel'
import { keyField } from '../../../src/channels/key-field'
import { fail, ok } from '../../../src/domain/problem'
import type { Secret } from '../../../src/domain/secret'
import type { Site } from '../../../src/domain/site'
import { createCourierSubmitter } from './courier-submitter'

interface CourierFields {
  readonly courierEnabled: boolean
  readonly courierToken?: Secret
  readonly courierDailyQuota: number
}

const fieldsOf = (site: Site) => site.settings[courier.id] as unknown as CourierFields

/** A channel nobody has: what docs/adding-a-channel.md describes, and not one line more. */
export const courier: Channel = {
  id: 'courier',
  title: 'Courier',
  cachePrefix: 'url_cache:courier',

  fields: () => ({
    courierEnabled: z.boolean().default(false),
    courierToken: keyField(/^\w{8,64}$/, 'must be a token of 8 to 64 letters and digits').optional(),
    courierDailyQuota: z.int().min(1).max(100).default(5),
  }),
  checkFields: ({ courierEnabled, courierToken }) =>
    courierEnabled === true && courierToken === undefined
      ? { field: 'courierToken', detail: 'courierToken is required when courierEnabled is true' }
      : null,

  isEnabled: (site) => fieldsOf(site).courierEnabled,
  endpoints: () => [{ name: 'courier', address: 'https://courier.example/push' }],
  pace: () => ({ concurrency: 1, intervalMs: 0 }),
  requestSize: () => 2,
  quota: (site) => ({ perDay: fieldsOf(site).courierDailyQuota, priority: 'newest' }),
  credentials: (site, resolveKey) => resolveKey(fieldsOf(site).courierToken),

  check: async () => [],

  createSubmitter(site, context) {
    const token = context.resolveKey(fieldsOf(site).courierToken)
    if (token === null) {
      return fail({ status: 503, code: 'courier_token_unusable', detail: 'courierToken is not set: set it.' })
    }
    return ok(createCourierSubmitter({ ...context, key: token }))
  },
}
