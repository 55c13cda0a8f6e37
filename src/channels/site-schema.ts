import { z } from 'zod'
import { LIMITS } from '../domain/limits'
import { fail, ok, type Problem } from '../domain/problem'
import { isSchedule } from '../domain/schedule'
import { Secret } from '../domain/secret'
import type { SiteDefaults } from '../domain/settings'
import { isSiteId, type Site, type SiteParser } from '../domain/site'
import { refusalOf } from '../net/guard'
import type { Channel, FieldContext } from './channel'

const MAX_NAME_LENGTH = 100
const MAX_FALLBACKS = 10

function address(context: FieldContext) {
  return z.string().superRefine((text, issues) => {
    const refusal = refusalOf(text, context)
    if (refusal !== null) issues.addIssue({ code: 'custom', message: refusal })
  })
}

function integer({ min, max }: { min: number; max: number }, fallback: number) {
  const message = `must be a whole number from ${min} to ${max}`
  return z.int({ message }).min(min, { message }).max(max, { message }).default(fallback)
}

function host({ allowPrivateNetwork }: FieldContext) {
  const message = allowPrivateNetwork
    ? 'must be a host name such as example.com, with or without a port'
    : 'must be a host name such as example.com'
  return z
    .string()
    .transform((text) => text.trim().toLowerCase())
    .refine(
      (text) => {
        if (!URL.canParse(`https://${text}`)) return false
        const url = new URL(`https://${text}`)
        return url.host === text && (url.port === '' || allowPrivateNetwork) && url.pathname === '/'
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
      .optional(),
    name: z.string().trim().min(1).max(MAX_NAME_LENGTH).optional(),
    sitemapUrl: address(context),
    fallbackSitemapUrls: z.array(address(context)).max(MAX_FALLBACKS).default([]),
    host: host(context).optional(),
    enabled: z.boolean().default(true),
    schedule: z
      .string()
      .refine(isSchedule, { message: 'must be a cron line of five fields, such as "0 0 * * *" (UTC)' })
      .default(defaults.schedule),
    maxConcurrentRequests: integer(LIMITS.MAX_CONCURRENT_REQUESTS, defaults.maxConcurrentRequests),
    requestIntervalMs: integer(LIMITS.REQUEST_INTERVAL_MS, defaults.requestIntervalMs),
    maxRetries: integer(LIMITS.MAX_RETRIES, defaults.maxRetries),
    cacheTtlDays: integer(LIMITS.CACHE_TTL_DAYS, defaults.cacheTtlDays),
  }
}

/** Reads a site as people write it, from the API, the store or the environment, and fills in what they left out. */
export function createSiteParser(
  channels: readonly Channel[],
  context: { readonly defaults: SiteDefaults; readonly allowPrivateNetwork: boolean },
): SiteParser {
  const shapes = channels.map((channel) => ({ channel, shape: channel.fields(context) }))
  const base = z.strictObject(baseFields(context))
  const whole = base.extend(Object.assign({}, ...shapes.map(({ shape }) => shape)))

  return (input, origin) => {
    // The schema library passes this one name over in silence.
    if (typeof input === 'object' && input !== null && Object.hasOwn(input, '__proto__')) {
      return fail(unknownField('__proto__'))
    }
    const parsed = whole.safeParse(input)
    if (!parsed.success) return fail(firstIssue(parsed.error))
    const fields: Readonly<Record<string, unknown>> = parsed.data
    for (const { channel } of shapes) {
      const wrong = channel.checkFields?.(fields)
      if (wrong) return fail({ status: 400, code: 'invalid_field', ...wrong })
    }
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

function pick(fields: Readonly<Record<string, unknown>>, shape: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => name in shape))
}

function unknownField(field: string): Problem {
  return { status: 400, code: 'unknown_field', field, detail: `${field} is not a field of a site` }
}

/** One clear sentence that begins with the field's name. */
function firstIssue(error: z.ZodError): Problem {
  const issue = error.issues[0]
  if (issue?.code === 'unrecognized_keys') {
    return unknownField(String(issue.keys[0]).slice(0, MAX_NAME_LENGTH))
  }
  const field = String(issue?.path[0] ?? '')
  if (field === '') return { status: 400, code: 'invalid_body', detail: 'The body must be a JSON object' }
  const missing = issue?.code === 'invalid_type' && /received undefined/.test(issue.message)
  const says = missing
    ? 'is required'
    : (issue?.message ?? 'is invalid').replace(/^Invalid \w+: /, 'is invalid: ')
  return { status: 400, code: missing ? 'missing_field' : 'invalid_field', field, detail: `${field} ${says}` }
}

/** The site as it is stored or shown: flat, in the names people use. Secrets show only when `reveal` is asked for. */
export function flattenSite(site: Site, options: { reveal: boolean }): Record<string, unknown> {
  const { settings, ...own } = site
  const flat: Record<string, unknown> = { ...own, ...Object.assign({}, ...Object.values(settings)) }
  for (const [name, value] of Object.entries(flat)) {
    if (value instanceof Secret) flat[name] = options.reveal ? value.reveal() : value.toString()
  }
  return flat
}
