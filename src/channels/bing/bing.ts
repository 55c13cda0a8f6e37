import { z } from 'zod'
import { bad } from '../../domain/finding'
import { LIMITS } from '../../domain/limits'
import { ok, type Result } from '../../domain/problem'
import type { Secret } from '../../domain/secret'
import type { Site } from '../../domain/site'
import { addressAsWritten } from '../address-field'
import type { Channel, SubmitterContext } from '../channel'
import { keyField, unusableKey } from '../key-field'
import { BING, type BingAccess, createBingSubmitter } from './bing-submitter'
import { checkBing } from './check-bing'
import { askBingQuota } from './quota-sync'

interface BingFields {
  readonly bingEnabled: boolean
  readonly bingApiKey?: Secret
  readonly bingDailyQuota: number
  readonly bingPriority: 'newest' | 'random'
  readonly bingSiteUrl?: string
  readonly bingQuotaSync: boolean
}

// The site's schema is composed of this channel's own fields, so what lies under its id has passed them.
const fieldsOf = (site: Site) => site.settings[bing.id] as unknown as BingFields

/** The key and the property of its account that the site's URLs belong to. */
function accessTo(site: Site, resolveKey: SubmitterContext['resolveKey']): Result<BingAccess> {
  const { bingApiKey, bingSiteUrl } = fieldsOf(site)
  const key = resolveKey(bingApiKey)
  if (key !== null && BING.KEY_PATTERN.test(key)) {
    return ok({ key, siteUrl: bingSiteUrl ?? new URL(site.sitemapUrl).origin })
  }
  return unusableKey(site, bingApiKey, {
    code: 'bing_key_unusable',
    field: 'bingApiKey',
    setting: 'BING_API_KEY',
    is: 'a Bing key',
  })
}

const { min, max, default: DEFAULT_QUOTA } = LIMITS.BING_DAILY_QUOTA
const QUOTA_MESSAGE = `must be a whole number from ${min} to ${max}`

/** The Bing Webmaster API: a key per account, batches of 100, so many URLs a day. */
export const bing: Channel = {
  id: 'bing',
  title: 'Bing',
  cachePrefix: 'url_cache:bing',

  fields: ({ allowPrivateNetwork }) => ({
    bingEnabled: z
      .boolean()
      .default(false)
      .meta({ description: 'Whether URLs also go to the Bing Webmaster API; needs `bingApiKey`' }),
    bingApiKey: keyField(BING.KEY_PATTERN, 'must be the key of your Bing Webmaster account, or env:NAME')
      .optional()
      .meta({
        description:
          'The API key of Bing Webmaster Tools, or `env:NAME`, the Worker’s secret of that name. Answers mask a key and show `env:NAME`',
      }),
    bingDailyQuota: z
      .int({ message: QUOTA_MESSAGE })
      .min(min, { message: QUOTA_MESSAGE })
      .max(max, { message: QUOTA_MESSAGE })
      .default(DEFAULT_QUOTA)
      .meta({ description: 'How many URLs Bing gets a day (UTC)' }),
    bingPriority: z
      .enum(['newest', 'random'])
      .default('newest')
      .meta({ description: 'Which URLs go first when the quota is too small for all' }),
    bingSiteUrl: addressAsWritten({ allowPrivateNetwork }, 'https://example.com/').optional().meta({
      description: 'The site’s address in Bing Webmaster Tools. Default: the origin of `sitemapUrl`',
    }),
    bingQuotaSync: z.boolean().default(false).meta({
      description:
        'true: ask Bing once per run how many URLs it still takes; the smaller of its count and ours decides',
    }),
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

  askQuota(site, context) {
    const access = accessTo(site, context.resolveKey)
    return fieldsOf(site).bingQuotaSync && access.ok ? askBingQuota({ ...context, ...access.value }) : null
  },

  // The address too: a site that the account does not know is refused like a key. And whoever switches Bing on again
  // wants it tried again.
  credentials(site, resolveKey) {
    const access = accessTo(site, resolveKey)
    if (!access.ok) return null
    return [access.value.key, access.value.siteUrl, site.switchedOn?.bingEnabled ?? ''].join('\n')
  },

  async check(site, context) {
    const access = accessTo(site, context.resolveKey)
    if (access.ok) return [await checkBing(access.value, context)]
    const { code, detail } = access.problem
    return [bad('bingKey', code, detail, 'set the secret that bingApiKey names, or put the key itself there')]
  },

  createSubmitter(site, context) {
    const access = accessTo(site, context.resolveKey)
    return access.ok ? ok(createBingSubmitter({ ...context, ...access.value })) : access
  },
}
