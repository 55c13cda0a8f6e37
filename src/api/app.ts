import { Hono } from 'hono'
import type { z } from 'zod'
import type { Channel } from '../channels/channel'
import type { SettingProblem, Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import type { Scheduler } from '../pipeline/scheduler'
import type { Ports } from '../ports'
import type { SiteConfigManager } from '../records/site-config-manager'
import { doors } from './doors'
import { keyFiles } from './key-file'
import { methodsAt, mount } from './mount'
import { present } from './problem-response'
import type { ApiEnv, Route } from './route'
import { check } from './routes/check'
import { documents } from './routes/documents'
import { health } from './routes/health'
import { history } from './routes/history'
import { sites } from './routes/sites'
import { stats } from './routes/stats'
import { status } from './routes/status'
import { trigger } from './routes/trigger'
import { urls } from './routes/urls'

/** What the runtime lends a request. */
export interface Platform {
  /** Keeps work alive after the answer, or after a client that left. */
  readonly waitUntil: (work: Promise<unknown>) => void
}

export interface ApiDeps {
  readonly ports: Ports
  readonly settings: Settings
  readonly problems: readonly SettingProblem[]
  readonly sites: SiteConfigManager
  readonly scheduler: Scheduler
  readonly channels: readonly Channel[]
  readonly channelsOf: (site: Site) => readonly Channel[]
  /** The fields of a site as people may write them. */
  readonly siteSchema: z.ZodObject
  /** A site as answers show it. */
  readonly show: (site: Site) => Record<string, unknown>
  /** What the site's key file must hold. */
  readonly keyFileOf: (site: Site) => string | null
  /** The value behind a site's key, about to be used. */
  readonly resolveKey: (key: unknown) => string | null
}

/** Every operation there is. */
export function allRoutes(deps: ApiDeps): readonly Route[] {
  const working = [health, status, trigger, history, sites, check, urls, stats].flatMap((routesOf) =>
    routesOf(deps),
  )
  const all: readonly Route[] = [...working, ...documents(() => all)]
  return all
}

/** The HTTP side. Everything is behind the doors but what they let through by name. */
export function createApp(deps: ApiDeps): (request: Request, platform: Platform) => Promise<Response> {
  const app = new Hono<ApiEnv>()
  const routes = allRoutes(deps)
  const openPaths = routes.filter(({ open }) => open).map(({ path }) => path)
  const keyFile = keyFiles({ sites: deps.sites, clock: deps.ports.clock, keyOf: deps.keyFileOf })
  app.use(doors({ ...deps, openPaths, keyFile, methodsAt: methodsAt(routes) }))
  mount(app, routes)
  app.notFound((c) =>
    present(c, { status: 404, code: 'not_found', detail: 'There is nothing at this address' }),
  )
  app.onError((error, c) => {
    deps.ports.logger.error('a request broke off', { path: c.req.path, detail: String(error) })
    return present(c, {
      status: 500,
      code: 'internal_error',
      detail: 'Something went wrong here: see the log',
    })
  })
  return async (request, platform) => app.fetch(request, platform)
}
