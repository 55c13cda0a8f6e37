import { fail, ok, type Problem, type Result } from '../domain/problem'
import type { Fields } from './route'

export const MAX_BODY_BYTES = 64 * 1024

const TOO_LARGE: Problem = {
  status: 413,
  code: 'body_too_large',
  detail: `The body must be at most ${MAX_BODY_BYTES} bytes`,
}

/** The JSON object in a request's body. Never more than the limit is read, whatever the headers promise. */
export async function readBody(request: Request): Promise<Result<Fields>> {
  const promised = Number(request.headers.get('content-length') ?? 0)
  const bytes = promised > MAX_BODY_BYTES ? null : await readAtMost(request, MAX_BODY_BYTES)
  if (bytes === null) return fail(TOO_LARGE)
  if (bytes.length === 0) {
    const detail = 'The body is empty: send a JSON object with the fields of the site'
    return fail({ status: 400, code: 'invalid_json', detail })
  }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    return fail({ status: 400, code: 'invalid_json', detail: 'The body must be JSON in UTF-8' })
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return fail({ status: 400, code: 'invalid_body', detail: 'The body must be a JSON object' })
  }
  // The one name that means something to every object it is copied to.
  if (Object.hasOwn(value, '__proto__')) {
    const detail = '__proto__ is not a field of a site'
    return fail({ status: 400, code: 'unknown_field', field: '__proto__', detail })
  }
  return ok(value as Fields)
}

async function readAtMost(request: Request, limit: number): Promise<Uint8Array | null> {
  if (request.body === null) return new Uint8Array(0)
  const reader = request.body.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    size += part.value.length
    if (size > limit) {
      await reader.cancel()
      return null
    }
    chunks.push(part.value)
  }
  const whole = new Uint8Array(size)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
