import type { ExecutionContext, KVNamespace, ScheduledController } from '@cloudflare/workers-types'
import { type Application, compose, configure } from './compose'
import { createCloudflareKv } from './drivers/cloudflare-kv'
import { systemClock, systemFetch, systemRandom, systemSleep } from './drivers/system'
import scanner from './generated/scanner.wasm'
import { createLogger } from './logger'

export interface Env {
  readonly KV: KVNamespace
  readonly [setting: string]: unknown
}

/** One application per environment: an isolate serves many requests with the same one. */
const applications = new WeakMap<Env, Application>()

function applicationFor(env: Env): Application {
  const known = applications.get(env)
  if (known !== undefined) return known
  const configuration = configure(env)
  const logger = createLogger({
    clock: systemClock,
    level: configuration.settings.logLevel,
    write: (line) => console.log(line),
  })
  const ports = {
    clock: systemClock,
    sleep: systemSleep,
    fetch: systemFetch,
    random: systemRandom,
    logger,
    store: createCloudflareKv(env.KV),
    scanner,
  }
  const application = compose(ports, configuration)
  applications.set(env, application)
  return application
}

export default {
  fetch(request: Request, env: Env, context: ExecutionContext): Promise<Response> {
    return applicationFor(env).fetch(request, { waitUntil: (work) => context.waitUntil(work) })
  },

  scheduled(_controller: ScheduledController, env: Env, _context: ExecutionContext): Promise<void> {
    return applicationFor(env).tick()
  },
}
