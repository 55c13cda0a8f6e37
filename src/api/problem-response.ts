import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Problem } from '../domain/problem'

/** A problem as application/problem+json. */
export function present(c: Context, { status, code, detail, field, retryAfterSeconds }: Problem): Response {
  if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds))
  const body = { status, code, detail, ...(field === undefined ? {} : { field }) }
  return c.body(JSON.stringify(body), status as ContentfulStatusCode, {
    'content-type': 'application/problem+json',
  })
}
