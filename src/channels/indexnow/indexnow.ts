import { z } from 'zod'
import { bad } from '../../domain/finding'
import { ok, type Result } from '../../domain/problem'
import { Secret } from '../../domain/secret'
import type { Site } from '../../domain/site'
import { addressAsWritten } from '../address-field'
import type { Channel, Endpoint, SubmitterContext } from '../channel'
import { keyField, unusableKey } from '../key-field'
import { checkEngines, checkKeyFile } from './check-indexnow'
import { engineNames, KNOWN_ENGINES, parseEngine, quoted } from './engines'
import { createIndexNowSubmitter, INDEXNOW, type IndexNowIdentity } from './indexnow-submitter'
import { createKeyProof, folderRefusal } from './key-file'

interface IndexNowFields {
  readonly apiKey: Secret
  readonly keyLocation?: string
  readonly searchEngines: readonly string[]
  readonly submitMethod: 'get' | 'bulk' | 'auto'
}

// The site's schema is composed of this channel's own fields, so what lies under its id has passed them.
const fieldsOf = (site: Site) => site.settings[indexnow.id] as unknown as IndexNowFields

function endpointNamed(name: string): Endpoint {
  const endpoint = parseEngine(name, true)
  if (endpoint === null) throw new Error(`searchEngines holds ${name}, which the schema should have refused`)
  return endpoint
}

/** The marks have one bit per endpoint, eight in all. */
const MAX_ENGINES = 8

/** The method of the protocol's first page: everybody's own key file, engines that share what they hear. */
export const indexnow: Channel = {
  id: 'indexnow',
  title: 'IndexNow',
  cachePrefix: 'url_cache',

  fields: ({ defaults, allowPrivateNetwork }) => ({
    apiKey: keyField(INDEXNOW.KEY_PATTERN, 'must be 8 to 128 letters, digits or dashes, or env:NAME').meta({
      description:
        'The IndexNow key: 8 to 128 letters, digits or dashes; or `env:NAME`, the Worker’s secret of that name. Answers mask a key and show `env:NAME`',
    }),
    keyLocation: addressAsWritten({ allowPrivateNetwork }, 'https://example.com/0123456789abcdef.txt')
      .optional()
      .meta({
        description:
          'Address of the key file. One in a folder speaks for URLs of that folder only. Default: `https://{host}/{apiKey}.txt`',
      }),
    searchEngines: z
      .unknown()
      .optional()
      .transform((value, context) => {
        const endpoints = new Map<string, string>()
        const names = engineNames(value ?? defaults.searchEngines)
        if (names === null || names.length === 0 || names.length > MAX_ENGINES) {
          context.addIssue({ code: 'custom', message: `must be a list of 1 to ${MAX_ENGINES} engines` })
          return z.NEVER
        }
        for (const [at, name] of names.entries()) {
          const endpoint = parseEngine(name, allowPrivateNetwork)
          if (endpoint === null) {
            context.addIssue({
              code: 'custom',
              message: `holds ${quoted(name)} (number ${at + 1}), which is neither a known engine (${KNOWN_ENGINES.join(', ')}) nor an address that may be asked`,
            })
            return z.NEVER
          }
          // Two spellings of one engine are one engine, with or without the s of https.
          const place = endpoint.address.replace(/^https?:/, '')
          if (!endpoints.has(place)) endpoints.set(place, name)
        }
        return [...endpoints.values()]
      })
      .meta({
        // What a list or text may hold no schema says; these are the two shapes people write.
        anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'string' }],
        description: `1 to ${MAX_ENGINES} IndexNow engines, as a list or a text with commas: ${KNOWN_ENGINES.join(', ')}, a host, a host with path, or a full address; \`/indexnow\` is added where there is no path. Default: the setting \`INDEXNOW_SEARCH_ENGINES\``,
      }),
    submitMethod: z.enum(['get', 'bulk', 'auto']).default('auto').meta({
      description:
        '`get`: a request per URL; `bulk`: up to 10,000 URLs a request; `auto`: `get` while it fits the budget, else `bulk`',
    }),
  }),

  /** Records and answers name engines by their addresses. */
  checkFields: ({ apiKey, searchEngines }) =>
    apiKey instanceof Secret &&
    engineNames(searchEngines)?.some((name) => name.includes(apiKey.reveal())) === true
      ? {
          field: 'searchEngines',
          detail:
            'searchEngines names an address that holds the key, which would then be shown wherever the engine is: leave it out, Beckon sends the key by itself',
        }
      : null,

  isEnabled: () => true,
  endpoints: (site) => fieldsOf(site).searchEngines.map(endpointNamed),
  pace: (site) => ({ concurrency: site.maxConcurrentRequests, intervalMs: site.requestIntervalMs }),

  requestSize(site, { urls, submissions }, budget, reserve) {
    const { submitMethod } = fieldsOf(site)
    if (submitMethod === 'get') return 1
    const fits =
      urls < INDEXNOW.MAX_URLS_PER_POST &&
      submissions <= budget.requestsLeft() - reserve &&
      urls * site.requestIntervalMs <= budget.msLeft()
    return submitMethod === 'auto' && fits ? 1 : INDEXNOW.MAX_URLS_PER_POST
  },

  refusalOf: (site) => folderRefusal(fieldsOf(site).keyLocation, site.host),

  keyProof(site, context) {
    const identity = identityOf(site, context)
    return identity.ok ? createKeyProof({ ...identity.value, ...context }) : null
  },

  async check(site, context) {
    const identity = identityOf(site, context)
    const advice = 'set the secret that apiKey names, or put the key itself there'
    const keyFile = identity.ok
      ? await checkKeyFile(identity.value, context)
      : bad('keyFile', identity.problem.code, identity.problem.detail, advice)
    return [keyFile, ...(await checkEngines(indexnow.endpoints(site), context))]
  },

  createSubmitter(site, context) {
    const identity = identityOf(site, context)
    return identity.ok ? ok(createIndexNowSubmitter({ ...context, ...identity.value })) : identity
  },
}

function identityOf(site: Site, context: SubmitterContext): Result<IndexNowIdentity> {
  const fields = fieldsOf(site)
  const key = context.resolveKey(fields.apiKey)
  if (key === null || !INDEXNOW.KEY_PATTERN.test(key)) {
    return unusableKey(site, fields.apiKey, {
      code: 'indexnow_key_unusable',
      field: 'apiKey',
      setting: 'INDEXNOW_API_KEY',
      is: 'an IndexNow key',
    })
  }
  // Only a site reached over plain http, which private networks alone allow, has its key file there too.
  const scheme = context.allowPlainKeyFile ? new URL(site.sitemapUrl).protocol : 'https:'
  const keyLocation = fields.keyLocation ?? `${scheme}//${site.host}/${key}.txt`
  return ok({ key, host: site.host, keyLocation })
}
