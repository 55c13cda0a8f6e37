import type { Answer } from '../../domain/outcome'
import { readText } from '../../net/read-text'
import type { Endpoint, Submitter, SubmitterContext } from '../channel'
import { classifyTransport } from '../transport-policy'
import { classify } from './response-policy'

export const INDEXNOW = {
  MAX_URLS_PER_POST: 10_000,
  KEY_PATTERN: /^[A-Za-z0-9-]{8,128}$/,
} as const

export interface IndexNowIdentity {
  readonly host: string
  readonly key: string
  readonly keyLocation: string
}

/** The address that announces one URL. */
export function getAddress(endpoint: string, { key, keyLocation }: IndexNowIdentity, url: string): string {
  return `${endpoint}?url=${encodeURIComponent(url)}&key=${key}&keyLocation=${encodeURIComponent(keyLocation)}`
}

/** Sends one URL by GET, several by POST. Judging the answer is the policy's work. */
export function createIndexNowSubmitter(options: IndexNowIdentity & SubmitterContext): Submitter {
  const { client, clock, timeoutMs, reserve, host, key, keyLocation } = options

  const requestFor = (endpoint: Endpoint, urls: readonly string[]) => {
    const [only] = urls
    if (urls.length === 1 && only !== undefined) {
      return { method: 'GET' as const, url: getAddress(endpoint.address, options, only) }
    }
    return {
      method: 'POST' as const,
      url: endpoint.address,
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ host, key, keyLocation, urlList: urls }),
    }
  }

  return async (endpoint, urls): Promise<Answer> => {
    const request = { ...requestFor(endpoint, urls), timeoutMs, redirects: 0, reserve }
    const answer = await client.send(request, async (response) => ({
      body: await readText(response),
      retryAfter: response.headers.get('retry-after'),
    }))
    if (answer.kind === 'failure') {
      return { outcome: classifyTransport(answer), elapsedMs: answer.elapsedMs }
    }
    const { status, elapsedMs, value } = answer
    return { outcome: classify({ status, ...value, now: clock.now() }), status, elapsedMs }
  }
}
