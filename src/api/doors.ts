import type { MiddlewareHandler } from 'hono'
import type { ApiDeps, ApiEnv } from './app'
import { present } from './problem-response'

const PUBLIC_PATHS = ['/health']

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
} as const

/** The one way in. Default deny: a route that nobody thought of is closed like all others. */
export function doors({ settings, problems }: ApiDeps): MiddlewareHandler<ApiEnv> {
  const { adminToken } = settings
  // One digest for the life of the application; both sides are hashed so that neither length nor content shows in the time.
  const expected = adminToken === null ? null : digest(adminToken.reveal())

  return async (c, next) => {
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
    if (PUBLIC_PATHS.includes(c.req.path)) return next()

    const [problem] = problems
    if (problem !== undefined || expected === null) {
      const code = problem?.code ?? 'admin_token_missing'
      return present(c, {
        status: 503,
        code,
        detail: 'The service is not configured: its log says what to set',
      })
    }
    const given = /^Bearer ([^\s,]+)$/i.exec(c.req.header('authorization') ?? '')?.[1] ?? ''
    if (!equal(await digest(given), await expected)) {
      c.header('www-authenticate', 'Bearer')
      return present(c, { status: 401, code: 'unauthorized', detail: 'Send the ADMIN_TOKEN as bearer token' })
    }
    return next()
  }
}

async function digest(text: string): Promise<Uint8Array> {
  return new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text)))
}

function equal(a: Uint8Array, b: Uint8Array): boolean {
  let difference = 0
  for (let index = 0; index < a.length; index++) difference |= (a[index] ?? 0) ^ (b[index] ?? 0)
  return difference === 0
}
