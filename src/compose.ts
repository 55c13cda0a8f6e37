import { createApp, type Platform } from './api/app'
import type { FieldContext } from './channels/channel'
import { resolveKey } from './channels/key-field'
import { CHANNELS } from './channels/registry'
import { showSite } from './channels/show-site'
import { createSiteParser, createSiteSchema } from './channels/site-schema'
import { MIN_ADMIN_TOKEN_LENGTH } from './domain/limits'
import type { Problem } from './domain/problem'
import type { SettingProblem, Settings } from './domain/settings'
import type { Site } from './domain/site'
import { createScheduler } from './pipeline/scheduler'
import type { Ports } from './ports'
import { createSiteConfigManager } from './records/site-config-manager'
import { ENVIRONMENT_SITE_FIELDS, parseSettings } from './settings'

export interface Application {
  fetch(request: Request, platform: Platform): Promise<Response>
  /** What the cron trigger calls. */
  tick(): Promise<void>
}

export interface Configuration {
  readonly settings: Settings
  readonly environmentSite: Site | null
  readonly problems: readonly SettingProblem[]
}

/** Reads the environment and says, setting by setting, what is wrong with it. */
export function configure(env: Readonly<Record<string, unknown>>): Configuration {
  const { settings, problems } = parseSettings(env)
  const { environmentSite: raw } = settings
  const isWrong = (setting: string) => problems.some((problem) => problem.setting === setting)
  // With a switch that cannot be read it is not known what is private: then nothing is complained of for that.
  const allowPrivateNetwork = settings.allowPrivateNetwork || isWrong('ALLOW_PRIVATE_NETWORK')
  const parse = createSiteParser(CHANNELS, { ...fieldContext(settings), allowPrivateNetwork })
  const parsed = parse(raw ?? standIn(settings), { source: 'env', createdAt: null, updatedAt: null })
  if (!parsed.ok) {
    const { others = [], ...first } = parsed.problem
    const ofSite = [first, ...others].map(settingProblem).filter(({ setting }) => !isWrong(setting))
    return { settings, environmentSite: null, problems: [...problems, ...ofSite] }
  }
  return { settings, environmentSite: problems.some(isBlocking) ? null : raw && parsed.value, problems }
}

/**
 * A site for what the environment says of sites without naming one. Some of it is the default of every other site, and
 * wrong it would make those unusable one by one. Whether Bing has a key is nobody's question where there is no site.
 */
function standIn({ environmentFields: { bingEnabled: _, ...fields } }: Settings): Record<string, unknown> {
  return { sitemapUrl: 'https://example.com/sitemap.xml', apiKey: 'nobodys-key', ...fields }
}

/** A wrong token closes the API only; with anything else wrong a run might do what nobody asked for. */
function isBlocking({ setting }: SettingProblem): boolean {
  return setting !== 'ADMIN_TOKEN'
}

/** No problem of the settings: who wants runs only needs no token. But the API sends whoever knocks to the log. */
function absentToken({ adminToken }: Settings, problems: readonly SettingProblem[]): SettingProblem[] {
  if (adminToken !== null || problems.some(({ setting }) => setting === 'ADMIN_TOKEN')) return []
  const sentence = `ADMIN_TOKEN is missing: set it to a random text of at least ${MIN_ADMIN_TOKEN_LENGTH} characters, as a secret of the Worker (npx wrangler secret put ADMIN_TOKEN) or in .dev.vars. Until then the API answers 503; scheduled runs go on.`
  return [{ setting: 'ADMIN_TOKEN', code: 'admin_token_missing', sentence }]
}

/** The same sentence, in the names of the settings. */
function settingProblem({ field = 'sitemapUrl', detail, code }: Problem): SettingProblem {
  const names: Readonly<Record<string, string>> = { ...ENVIRONMENT_SITE_FIELDS, id: 'SITE_HOST' }
  const setting = names[field] ?? 'SITEMAP_URL'
  let sentence = detail.startsWith(`${field} `) ? `${setting}${detail.slice(field.length)}` : detail
  for (const [name, text] of Object.entries(names)) {
    // Only names that cannot be mistaken for ordinary words.
    if (name !== name.toLowerCase()) sentence = sentence.replaceAll(name, text)
  }
  const kind = code === 'missing_field' ? 'missing' : 'invalid'
  return { setting, code: `${setting.toLowerCase()}_${kind}`, sentence: `${sentence}.` }
}

function fieldContext(settings: Settings): FieldContext {
  return { defaults: settings.siteDefaults, allowPrivateNetwork: settings.allowPrivateNetwork }
}

/** Puts the application together. Builds no adapter itself: whatever touches the world comes in through the ports. */
export function compose(ports: Ports, { settings, environmentSite, problems }: Configuration): Application {
  const { logger, store, clock } = ports
  for (const secret of [settings.adminToken, settings.webhookSecret]) {
    if (secret !== null) logger.protect(secret.reveal())
  }
  for (const { setting, code, sentence } of [...problems, ...absentToken(settings, problems)]) {
    logger.error(sentence, { setting, code })
  }

  const keyValue = (key: unknown) => resolveKey(key, settings.secretNamed)
  /** For whoever sends the key somewhere: from then on the log masks it. */
  const keyInUse = (key: unknown) => {
    const value = keyValue(key)
    if (value !== null) logger.protect(value)
    return value
  }
  const show = (site: Site) => showSite(site, keyValue)
  const sites = createSiteConfigManager({
    store,
    clock,
    logger,
    show,
    environmentSite,
    parse: createSiteParser(CHANNELS, fieldContext(settings)),
    channels: CHANNELS,
  })
  const channelsOf = (site: Site) => CHANNELS.filter((channel) => channel.isEnabled(site))
  const scheduler = createScheduler({ ports, settings, sites, channelsOf, resolveKey: keyInUse })
  const app = createApp({
    ports,
    settings,
    problems,
    sites,
    scheduler,
    channels: CHANNELS,
    channelsOf,
    siteSchema: createSiteSchema(CHANNELS, fieldContext(settings)),
    show,
    keyFileOf: (site) => keyValue(site.settings.indexnow?.apiKey),
    resolveKey: keyInUse,
  })

  return {
    fetch: (request, platform) => app(request, platform),
    async tick() {
      if (!problems.some(isBlocking)) await scheduler.tick()
    },
  }
}
