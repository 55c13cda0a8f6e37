import type { Answer, SubmissionOutcome } from '../domain/outcome'
import { MASK } from '../domain/secret'
import type { OutgoingRequest } from '../net/http-client'
import { readText } from '../net/read-text'
import type { SubmitterContext } from './channel'
import { classifyTransport } from './transport-policy'

export interface EngineAnswer {
  readonly status: number
  readonly body: string
  readonly retryAfter: string | null
  readonly now: number
}

/** Sends one request to an engine, never following a redirect with a key in it, and has its policy judge the answer. */
export async function sendAndJudge(
  { client, clock, timeoutMs, reserve, key }: SubmitterContext & { readonly key: string },
  request: Pick<OutgoingRequest, 'method' | 'url' | 'headers' | 'body'>,
  classify: (answer: EngineAnswer) => SubmissionOutcome,
): Promise<Answer> {
  const answer = await client.send({ ...request, timeoutMs, reserve, redirects: 0 }, async (response) => ({
    // Engines quote what they were sent, and their words end up in records and alerts.
    body: (await readText(response)).replaceAll(key, MASK),
    retryAfter: response.headers.get('retry-after'),
  }))
  const { elapsedMs } = answer
  if (answer.kind === 'failure') return { outcome: classifyTransport(answer), elapsedMs }
  const { status, value } = answer
  return { outcome: classify({ status, ...value, now: clock.now() }), status, elapsedMs }
}
