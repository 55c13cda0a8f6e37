import type { MiddlewareHandler } from 'hono'
import type { SettingProblem, Settings } from '../domain/settings'
import { crossOrigin } from './cross-origin'
import { present } from './problem-response'
import type { ApiEnv } from './route'

const HEADERS = {
  'cache-control': 'no-store',
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const

export interface DoorOptions {
  readonly settings: Settings
  readonly problems: readonly SettingProblem[]
  /** Paths anybody may read. */
  readonly openPaths: readonly string[]
  /** The methods a path takes; null where nothing is. */
  readonly methodsAt: (path: string) => readonly string[] | null
  /** The key file at this address, if it is one of ours; null otherwise. */
  readonly keyFile: (url: URL) => Promise<string | null>
}

/** The one way in. Default deny: a route that nobody thought of is closed like all others. */
export function doors(options: DoorOptions): MiddlewareHandler<ApiEnv> {
  const { settings, problems, openPaths, methodsAt, keyFile } = options
  const { adminToken } = settings
  // One digest for the life of the application; both sides are hashed so that neither length nor content shows in the time.
  const expected = adminToken === null ? null : digest(adminToken.reveal())

  return async (c, next) => {
    const { method, path } = c.req
    for (const [name, value] of Object.entries(HEADERS)) c.header(name, value)
    const preflight = crossOrigin(c, settings.corsOrigins)
    if (preflight !== null) return preflight

    const reading = method === 'GET' || method === 'HEAD'
    if (reading && openPaths.includes(path)) return next()
    const key = reading ? await keyFile(new URL(c.req.url)) : null
    if (key !== null) return c.text(key)

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
    if (method !== 'HEAD') return next()
    // The router would answer HEAD with the GET handler, and a link preview would start a run.
    const methods = methodsAt(path)
    if (methods === null) return c.notFound()
    c.header('allow', methods.join(', '))
    return c.body(null, 405)
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
