import { z } from 'zod'
import { bad } from '../../domain/finding'
import { LIMITS } from '../../domain/limits'
import { fail, ok, type Result } from '../../domain/problem'
import type { Secret } from '../../domain/secret'
import type { Site } from '../../domain/site'
import { refusalOf } from '../../net/guard'
import type { Channel, SubmitterContext } from '../channel'
import { keyField } from '../key-field'
import { BING, createBingSubmitter } from './bing-submitter'
import { checkBing } from './check-bing'

interface BingFields {
  readonly bingEnabled: boolean
  readonly bingApiKey?: Secret
  readonly bingDailyQuota: number
  readonly bingPriority: 'newest' | 'random'
  readonly bingSiteUrl?: string
}

// The site's schema is composed of this channel's own fields, so what lies under its id has passed them.
const fieldsOf = (site: Site) => site.settings[bing.id] as unknown as BingFields

const { min, max, default: DEFAULT_QUOTA } = LIMITS.BING_DAILY_QUOTA
const QUOTA_MESSAGE = `must be a whole number from ${min} to ${max}`

/** The Bing Webmaster API: a key per account, batches of 100, so many URLs a day. */
export const bing: Channel = {
  id: 'bing',
  title: 'Bing',
  cachePrefix: 'url_cache:bing',

  fields: ({ allowPrivateNetwork }) => ({
    bingEnabled: z.boolean().default(false),
    bingApiKey: keyField(
      BING.KEY_PATTERN,
      'must be the key of your Bing Webmaster account, or env:NAME',
    ).optional(),
    bingDailyQuota: z
      .int({ message: QUOTA_MESSAGE })
      .min(min, { message: QUOTA_MESSAGE })
      .max(max, { message: QUOTA_MESSAGE })
      .default(DEFAULT_QUOTA),
    bingPriority: z.enum(['newest', 'random']).default('newest'),
    bingSiteUrl: z
      .string()
      .superRefine((text, context) => {
        const refusal = refusalOf(text, { allowPrivateNetwork })
        if (refusal !== null) context.addIssue({ code: 'custom', message: refusal })
      })
      .optional(),
  }),

  checkFields: ({ bingEnabled, bingApiKey }) =>
    bingEnabled === true && bingApiKey === undefined
      ? { field: 'bingApiKey', detail: 'bingApiKey is required when bingEnabled is true' }
      : null,

  isEnabled: (site) => fieldsOf(site).bingEnabled,
  endpoints: () => [{ name: 'bing-webmaster', address: BING.ENDPOINT }],
  pace: (site) => ({ concurrency: 1, intervalMs: site.requestIntervalMs }),
  requestSize: () => BING.MAX_URLS_PER_REQUEST,
  quota: (site) => ({ perDay: fieldsOf(site).bingDailyQuota, priority: fieldsOf(site).bingPriority }),

  async check(site, context) {
    const access = accessTo(site, context)
    if (access.ok) return [await checkBing(access.value, context)]
    const { code, detail } = access.problem
    return [bad('bingKey', code, detail, 'set the secret that bingApiKey names, or put the key itself there')]
  },

  createSubmitter(site, context) {
    const access = accessTo(site, context)
    return access.ok ? ok(createBingSubmitter({ ...context, ...access.value })) : access
  },
}

function accessTo(site: Site, { resolveKey }: SubmitterContext): Result<{ key: string; siteUrl: string }> {
  const fields = fieldsOf(site)
  const key = resolveKey(fields.bingApiKey)
  if (key !== null) return ok({ key, siteUrl: fields.bingSiteUrl ?? new URL(site.sitemapUrl).origin })
  const detail = `bingApiKey of ${site.id} names a secret of the Worker that is not set: set it.`
  return fail({ status: 503, code: 'bing_key_unusable', detail })
}
