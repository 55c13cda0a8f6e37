import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import type { Problem } from '../domain/problem'

/** People read one answer, not a page. */
const MAX_DETAIL_LENGTH = 350

const withMore = (text: string, more: string): string =>
  text.length + more.length > MAX_DETAIL_LENGTH ? text : `${text}; ${more}`

/** A problem as application/problem+json. */
export function present(c: Context, problem: Problem): Response {
  const { status, code, field, advice, retryAfterSeconds, others = [] } = problem
  if (retryAfterSeconds !== undefined) c.header('retry-after', String(retryAfterSeconds))
  const detail = others.reduce((text, one) => withMore(text, one.detail), problem.detail)
  // What is undefined is not in the answer.
  const body = { status, code, detail, field, advice }
  return c.body(JSON.stringify(body), status as ContentfulStatusCode, {
    'content-type': 'application/problem+json',
  })
}
