import { createExecutionContext, createScheduledController, waitOnExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { inject } from 'vitest'
import { createWorld, type World } from '../../sandbox/sandbox-client'
import type { SandboxOptions } from '../../sandbox/shapes'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import worker, { type Env } from '../../src/worker'

export const TOKEN = 'a-token-of-32-characters-exactly'

/** A pretend internet of this test's own. */
export function openWorld(options: SandboxOptions = {}): Promise<World> {
  return createWorld(inject('sandboxFactory'), options)
}

/** Settings under which a world's site is the environment's site, with a budget and a pace that suit tests. */
export function settingsFor(world: World, extra: Record<string, string> = {}): Record<string, string> {
  return {
    ALLOW_PRIVATE_NETWORK: 'true',
    ADMIN_TOKEN: TOKEN,
    RUN_REQUEST_BUDGET: '2000',
    REQUEST_INTERVAL_MS: '0',
    BATCH_PAUSE_MS: '0',
    RETRY_BASE_MS: '1',
    SITEMAP_RETRY_MS: '1',
    RATE_LIMIT_WAIT_MS: '1',
    SITEMAP_URL: world.sitemapUrl,
    INDEXNOW_API_KEY: world.key,
    INDEXNOW_SEARCH_ENGINES: world.engines.a,
    BING_API_BASE: world.bingApiBase,
    ...extra,
  }
}

export interface TriggerAnswer {
  readonly success: boolean
  readonly siteId: string
  readonly channel: string
  readonly record: ExecutionRecord
}

/** The Worker's own entry with these settings and the runtime's own KV. */
export function beckon(settings: Record<string, string>) {
  const bindings = { ...env, ...settings } as unknown as Env

  async function fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const context = createExecutionContext()
    const headers = { authorization: `Bearer ${TOKEN}`, ...(init.headers as Record<string, string>) }
    const request = new Request(`https://beckon.test${path}`, { ...init, headers })
    const response = await worker.fetch(request, bindings, context as never)
    await waitOnExecutionContext(context)
    return response
  }

  return {
    fetch,
    async json<T>(path: string, init?: RequestInit): Promise<T> {
      return (await (await fetch(path, init)).json()) as T
    },
    post: (path: string, body: unknown) =>
      fetch(path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body) }),
    async trigger(query = ''): Promise<TriggerAnswer> {
      return (await (await fetch(`/trigger${query}`)).json()) as TriggerAnswer
    },
    async scheduled(): Promise<void> {
      const context = createExecutionContext()
      await worker.scheduled(createScheduledController() as never, bindings, context as never)
      await waitOnExecutionContext(context)
    },
  }
}
