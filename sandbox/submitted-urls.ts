import type { SandboxRequest } from './http-kit'
import { parseJson } from './http-kit'

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Every URL that a submission carries, whether or not an engine would take it. */
export function submittedUrls(request: SandboxRequest): string[] {
  const inQuery = request.query.get('url')
  const body = parseJson(request.body)
  const inBody = isRecord(body) ? [body.url, ...(Array.isArray(body.urlList) ? body.urlList : [])] : []
  return [inQuery, ...inBody].filter((url) => typeof url === 'string')
}
