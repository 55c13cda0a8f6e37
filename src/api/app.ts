import { Hono } from 'hono'
import type { Channel } from '../channels/channel'
import type { SettingProblem, Settings } from '../domain/settings'
import type { Site } from '../domain/site'
import type { Scheduler } from '../pipeline/scheduler'
import type { Ports } from '../ports'
import type { SiteConfigManager } from '../records/site-config-manager'
import { doors } from './doors'
import { present } from './problem-response'
import { health } from './routes/health'
import { history } from './routes/history'
import { sites } from './routes/sites'
import { status } from './routes/status'
import { trigger } from './routes/trigger'

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
}

export type ApiEnv = { Bindings: Platform }

/** The HTTP side. Everything is behind the doors but what they let through by name. */
export function createApp(deps: ApiDeps): (request: Request, platform: Platform) => Promise<Response> {
  const app = new Hono<ApiEnv>()
  app.use(doors(deps))
  app.route('/', health())
  app.route('/', status(deps))
  app.route('/', trigger(deps))
  app.route('/', history(deps))
  app.route('/', sites(deps))
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
