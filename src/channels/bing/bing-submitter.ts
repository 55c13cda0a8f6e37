import { readText } from '../../net/read-text'
import type { Submitter, SubmitterContext } from '../channel'
import { classifyTransport } from '../transport-policy'
import { classify } from './response-policy'

export const BING = {
  MAX_URLS_PER_REQUEST: 100,
  /** Accounts have 32 hex digits today, older ones a UUID. */
  KEY_PATTERN: /^[A-Za-z0-9-]{8,128}$/,
  /** What the marks know Bing by, wherever its API lives. */
  ENDPOINT: 'bing-webmaster-api',
} as const

/** Sends one batch. Judging the answer is the policy's work. */
export function createBingSubmitter(
  options: SubmitterContext & { readonly key: string; readonly siteUrl: string },
): Submitter {
  const { client, clock, timeoutMs, reserve, bingApiBase, key, siteUrl } = options
  return async (_endpoint, urls) => {
    const answer = await client.send(
      {
        method: 'POST',
        url: `${bingApiBase}/SubmitUrlbatch?apikey=${encodeURIComponent(key)}`,
        headers: { 'content-type': 'application/json; charset=utf-8' },
        body: JSON.stringify({ siteUrl, urlList: urls }),
        timeoutMs,
        redirects: 0,
        reserve,
      },
      async (response) => ({
        body: await readText(response),
        retryAfter: response.headers.get('retry-after'),
      }),
    )
    if (answer.kind === 'failure') {
      return { outcome: classifyTransport(answer), elapsedMs: answer.elapsedMs }
    }
    const { status, elapsedMs, value } = answer
    return { outcome: classify({ status, ...value, now: clock.now() }), status, elapsedMs }
  }
}
