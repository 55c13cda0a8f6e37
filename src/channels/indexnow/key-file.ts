import type { SubmissionOutcome, Trouble } from '../../domain/outcome'
import { hint } from '../../domain/secret'
import { readText } from '../../net/read-text'
import { retryAfterMs } from '../../net/retry'
import type { KeyProof, SubmitterContext } from '../channel'
import { classifyTransport } from '../transport-policy'
import type { IndexNowIdentity } from './indexnow-submitter'

export const KEY_FILE_ADVICE =
  'put a text file there that holds nothing but the key, reached without a redirect'

/** The key file, looked at as an engine would: an engine that finds it wrong may never look again. */
export function createKeyProof(options: IndexNowIdentity & SubmitterContext): KeyProof {
  const { key, keyLocation, client, clock, timeoutMs, reserve } = options
  // The usual address holds the key itself, and what is said here reaches logs, records and alerts.
  const shown = keyLocation.replaceAll(key, hint(key))

  async function look(): Promise<SubmissionOutcome> {
    const answer = await client.send(
      { method: 'GET', url: keyLocation, timeoutMs, reserve, redirects: 0 },
      async (response) => ({
        text: await readText(response),
        retryAfter: response.headers.get('retry-after'),
      }),
    )
    if (answer.kind === 'failure') {
      const outcome = classifyTransport(answer)
      return { ...outcome, ...(outcome.kind === 'accepted' ? {} : { detail: answer.detail }) }
    }
    return judgeKeyFile({ status: answer.status, ...answer.value, now: clock.now() }, key, shown)
  }

  return { subject: `${key} ${keyLocation}`, look }
}

interface KeyFileAnswer {
  readonly status: number
  readonly text: string
  readonly retryAfter: string | null
  readonly now: number
}

/** What the key file's answer means. Pure. */
export function judgeKeyFile(
  { status, text, retryAfter, now }: KeyFileAnswer,
  key: string,
  shown: string,
): SubmissionOutcome {
  const wrong = (reason: string, detail: string): SubmissionOutcome => ({
    kind: 'rejected',
    scope: 'channel',
    reason,
    detail,
    advice: KEY_FILE_ADVICE,
  })
  if (status === 429 || status >= 500) {
    const waitMs = retryAfterMs(retryAfter, now)
    return {
      kind: 'retryable',
      cause: status === 429 ? 'throttled' : 'transient',
      reason: `key_file_http_${status}`,
      detail: `the key file ${shown} answers HTTP ${status}`,
      ...(waitMs === undefined ? {} : { waitMs }),
    }
  }
  if (status < 200 || status >= 300) {
    return wrong('key_file_missing', `the key file ${shown} answers HTTP ${status}`)
  }
  if (text.replace(/^\uFEFF/, '').trim() === key) return { kind: 'accepted' }
  const what = /^\s*</.test(text) ? 'a web page' : text.trim() === '' ? 'nothing' : 'something else'
  return wrong('key_file_wrong', `the key file ${shown} holds ${what} instead of the key`)
}

/** A key file in a folder speaks for that folder of its host alone. Null where it speaks for the whole host. */
export function folderRefusal(
  keyLocation: string | undefined,
  siteHost: string,
): ((url: string) => Trouble | null) | null {
  if (keyLocation === undefined) return null
  const { host, pathname } = new URL(keyLocation)
  const folder = pathname.slice(0, pathname.lastIndexOf('/') + 1)
  if (host === siteHost && folder === '/') return null
  const trouble = {
    reason: 'outside_key_folder',
    detail: `the key file speaks for ${host}${folder} only`,
    advice: 'put the key file at the root of the host and set keyLocation to it',
  }
  return (url) => {
    const page = new URL(url)
    return page.host === host && page.pathname.startsWith(folder) ? null : trouble
  }
}
