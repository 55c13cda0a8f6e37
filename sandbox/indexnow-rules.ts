import type { Answer } from './http-kit'
import { json } from './http-kit'
import { INDEXNOW } from './limits'

export interface Submission {
  key: string
  keyLocation: URL
  /** Only a POST names its host. */
  host: string | null
  urls: readonly string[]
}

export type KeyFileState = 'ok' | 'missing' | 'wrong'

const KEY_SHAPE = new RegExp(`^[A-Za-z0-9-]{${INDEXNOW.MIN_KEY_CHARS},${INDEXNOW.MAX_KEY_CHARS}}$`)
const RFC_3986_ONLY = /^(?:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=]|%[0-9A-Fa-f]{2})+$/

export function refusal(status: number, errorCode: string, message: string, details: unknown = null): Answer {
  return json(status, { errorCode, message, details })
}

export const malformed = (message: string) => refusal(400, 'InvalidRequestParameters', message)

export const unprocessable = (message: string, invalidUrlList?: readonly string[]) =>
  refusal(
    422,
    'InvalidRequestParameters',
    message,
    invalidUrlList ? { invalidUrlList: invalidUrlList.slice(0, INDEXNOW.MAX_INVALID_URLS_LISTED) } : null,
  )

/** The first rule that the submission breaks, or null. */
export function brokenRule(submission: Submission, keyFile: KeyFileState): Answer | null {
  const { key, keyLocation, host, urls } = submission
  if (!KEY_SHAPE.test(key)) return unprocessable('The key has a wrong length or wrong characters')
  if (urls.length === 0) return unprocessable('The list of URLs is empty')
  if (urls.length > INDEXNOW.MAX_URLS_PER_POST) return unprocessable('The list holds too many URLs')

  const invalid = urls.filter((url) => !isEscapedHttpUrl(url))
  if (invalid.length > 0) return unprocessable('Some URLs are invalid or not escaped', invalid)

  if (keyFile === 'missing') return refusal(403, 'KeyNotFound', 'No key file was found at the key location')
  if (keyFile === 'wrong') return refusal(403, 'InvalidKey', 'The key file holds another key')

  if (host !== null && host.toLowerCase() !== keyLocation.host)
    return unprocessable('The host is not the host of the key location')
  const foreign = urls.filter((url) => new URL(url).host !== keyLocation.host)
  if (foreign.length > 0) return unprocessable('Some URLs are on another host', foreign)

  const folder = keyLocation.pathname.slice(0, keyLocation.pathname.lastIndexOf('/') + 1)
  const outside = urls.filter((url) => !new URL(url).pathname.startsWith(folder))
  return outside.length > 0
    ? unprocessable('Some URLs are outside the folder of the key file', outside)
    : null
}

function isEscapedHttpUrl(url: string): boolean {
  return RFC_3986_ONLY.test(url) && /^https?:\/\//i.test(url) && URL.canParse(url)
}
