import { z } from 'zod'
import { LIMITS } from '../domain/limits'
import { isPlainText } from '../domain/plain-text'
import { fail, ok } from '../domain/problem'
import { scheduleRefusal } from '../domain/schedule'
import type { SiteDefaults } from '../domain/settings'
import { isSiteId, type SiteParser } from '../domain/site'
import { refusalOf } from '../net/guard'
import { address } from './address-field'
import type { Channel, FieldContext } from './channel'
import { problemsIn, unknownField } from './site-issues'

const MAX_NAME_LENGTH = 100
const MAX_FALLBACKS = 10
const NAME_MESSAGE = `must be a text of 1 to ${MAX_NAME_LENGTH} characters without line breaks or control characters`
const FALLBACKS_MESSAGE = `must be a list of at most ${MAX_FALLBACKS} addresses`

function integer({ min, max }: { min: number; max: number }, fallback: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int({ message }).min(min, { message }).max(max, { message }).default(fallback)
}

function host({ allowPrivateNetwork }: FieldContext) {
  const message = allowPrivateNetwork
    ? 'must be a public host name such as example.com, with or without a port'
    : 'must be a public host name such as example.com'
  return z
    .string()
    .transform((text) => text.trim().toLowerCase())
    .refine(
      (text) => {
        if (!URL.canParse(`https://${text}`)) return false
        const url = new URL(`https://${text}`)
        const bare = url.host === text && (url.port === '' || allowPrivateNetwork) && url.pathname === '/'
        return bare && refusalOf(url.href, { allowPrivateNetwork }) === null
      },
      { message },
    )
}

function baseFields(context: FieldContext) {
  const { defaults } = context
  return {
    id: z
      .string()
      .transform((text) => text.trim().toLowerCase())
      .refine(isSiteId, { message: 'must be a host name with a dot, such as example.com' })
      .optional()
      .meta({ description: 'Host name with a dot. Default: the host, without a port' }),
    name: z
      .string({ message: NAME_MESSAGE })
      .trim()
      .min(1, { message: NAME_MESSAGE })
      .max(MAX_NAME_LENGTH, { message: NAME_MESSAGE })
      // A line break or a mark that turns the writing direction could make it look like another line or another name.
      .refine(isPlainText, { message: NAME_MESSAGE })
      .optional()
      .meta({ description: 'For people. Default: the id' }),
    sitemapUrl: address(context).meta({ description: 'Address of the sitemap or sitemap index' }),
    fallbackSitemapUrls: z
      .array(address(context), { message: FALLBACKS_MESSAGE })
      .max(MAX_FALLBACKS, { message: FALLBACKS_MESSAGE })
      .default([])
      .meta({ description: 'Tried in order when sitemapUrl cannot be read' }),
    host: host(context)
      .optional()
      .meta({ description: 'Only URLs of this host are submitted. Default: the host of sitemapUrl' }),
    enabled: z
      .boolean({ message: 'must be true or false' })
      .default(true)
      .meta({ description: 'false: skipped by the schedule; /trigger still works' }),
    schedule: z
      .string()
      .superRefine((text, issues) => {
        const message = scheduleRefusal(text)
        if (message !== null) issues.addIssue({ code: 'custom', message })
      })
      .default(defaults.schedule)
      .meta({ description: 'When the site is due: five cron fields, UTC' }),
    maxConcurrentRequests: integer(LIMITS.MAX_CONCURRENT_REQUESTS, defaults.maxConcurrentRequests).meta({
      description: 'Requests in flight per IndexNow engine; never more than 6 in all',
    }),
    requestIntervalMs: integer(LIMITS.REQUEST_INTERVAL_MS, defaults.requestIntervalMs).meta({
      description:
        'Least milliseconds between two request starts to one engine; doubles after a 429 for the rest of the run',
    }),
    maxRetries: integer(LIMITS.MAX_RETRIES, defaults.maxRetries).meta({
      description: 'Repeats per batch after a 429, a 5xx or a network failure; per file for sitemaps',
    }),
    cacheTtlDays: integer(LIMITS.CACHE_TTL_DAYS, defaults.cacheTtlDays).meta({
      description: 'After so many days an accepted URL is submitted again',
    }),
  }
}

/** The fields people may write, in one strict object: it validates and it describes. */
export function createSiteSchema(channels: readonly Channel[], context: FieldContext) {
  const shapes = channels.map((channel) => channel.fields(context))
  return z.strictObject(baseFields(context)).extend(Object.assign({}, ...shapes) as z.ZodRawShape)
}

/** Reads a site as people write it, from the API, the store or the environment, and fills in what they left out. */
export function createSiteParser(
  channels: readonly Channel[],
  context: { readonly defaults: SiteDefaults; readonly allowPrivateNetwork: boolean },
): SiteParser {
  const shapes = channels.map((channel) => ({ channel, shape: channel.fields(context) }))
  const base = z.strictObject(baseFields(context))
  const whole = createSiteSchema(channels, context)

  return (input, origin) => {
    // The schema library passes this one name over in silence.
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
      return fail(unknownField('__proto__'))
    }
    const parsed = whole.safeParse(input)
    const wrong = parsed.success ? [] : problemsIn(parsed.error, Object.keys(whole.shape))
    const fields = parsed.success ? parsed.data : fieldsOf(input)
    for (const { channel } of shapes) {
      const broken = channel.checkFields?.(fields)
      if (broken) wrong.push({ status: 400, code: 'invalid_field', ...broken })
    }
    const [first, ...others] = wrong
    if (first !== undefined) return fail({ ...first, others })
    if (!parsed.success) throw parsed.error
    const { id, name, host, ...own } = base.strip().parse(pick(parsed.data, base.shape))
    const sitemapHost = new URL(own.sitemapUrl).host
    const siteHost = host ?? sitemapHost
    const siteId = id ?? siteHost.replace(/:\d+$/, '')
    if (!isSiteId(siteId)) {
      const detail =
        'id must be a host name with a dot, such as example.com: the sitemap’s host is none, so give one'
      return fail({ status: 400, code: 'invalid_field', field: 'id', detail })
    }
    const settings = Object.fromEntries(shapes.map(({ channel, shape }) => [channel.id, pick(fields, shape)]))
    return ok({ ...own, id: siteId, name: name ?? siteId, host: siteHost, ...origin, settings })
  }
}

const fieldsOf = (input: unknown): Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null ? (input as Record<string, unknown>) : {}

function pick(fields: Readonly<Record<string, unknown>>, shape: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in shape))
}
