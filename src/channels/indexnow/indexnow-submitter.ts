import type { Endpoint, Submitter, SubmitterContext } from '../channel'
import { sendAndJudge } from '../send-and-judge'
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
  const { host, key, keyLocation } = options

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

  return (endpoint, urls) => sendAndJudge(options, requestFor(endpoint, urls), classify)
}
