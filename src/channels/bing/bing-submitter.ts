import type { Submitter, SubmitterContext } from '../channel'
import { sendAndJudge } from '../send-and-judge'
import { classify } from './response-policy'

export const BING = {
  MAX_URLS_PER_REQUEST: 100,
  /** Accounts have 32 hex digits today, older ones a UUID. */
  KEY_PATTERN: /^[A-Za-z0-9-]{8,128}$/,
  /** What the marks know Bing by, wherever its API lives. */
  ENDPOINT: 'bing-webmaster-api',
} as const

export interface BingAccess {
  readonly key: string
  readonly siteUrl: string
}

/** Sends one batch. Judging the answer is the policy's work. */
export function createBingSubmitter(options: SubmitterContext & BingAccess): Submitter {
  const { bingApiBase, key, siteUrl } = options
  const request = {
    method: 'POST',
    url: `${bingApiBase}/SubmitUrlbatch?apikey=${encodeURIComponent(key)}`,
    headers: { 'content-type': 'application/json; charset=utf-8' },
  } as const
  return (_endpoint, urls) =>
    sendAndJudge(options, { ...request, body: JSON.stringify({ siteUrl, urlList: urls }) }, classify)
}
