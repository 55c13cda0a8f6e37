import type { Context } from 'hono'
import type { ApiEnv } from './route'

/**
 * Lets pages of the configured origins read answers; without any, no answer says a word about other origins. Returns the
 * answer to a preflight, which browsers send without credentials, or null.
 */
export function crossOrigin(c: Context<ApiEnv>, origins: readonly string[]): Response | null {
  if (origins.length === 0) return null
  c.header('vary', 'Origin')
  const origin = c.req.header('origin')
  if (origin === undefined || !origins.includes(origin)) return null
  c.header('access-control-allow-origin', origin)
  const asks = c.req.header('access-control-request-method')
  if (c.req.method !== 'OPTIONS' || asks === undefined) return null
  c.header('access-control-allow-methods', 'GET, POST, PUT, DELETE')
  c.header('access-control-allow-headers', 'authorization, content-type')
  c.header('access-control-max-age', '600')
  return c.body(null, 204)
}
