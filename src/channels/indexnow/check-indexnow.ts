import { bad, type Finding, good } from '../../domain/finding'
import { hint } from '../../domain/secret'
import { isBotWall } from '../../net/bot-wall'
import { readText } from '../../net/read-text'
import type { Endpoint, SubmitterContext } from '../channel'
import type { IndexNowIdentity } from './indexnow-submitter'
import { judgeKeyFile, KEY_FILE_ADVICE } from './key-file'
import { NO_ENDPOINT_ADVICE } from './response-policy'

const WALL_ADVICE = 'let this path through your protection against robots: engines are robots too'

/** Does each engine answer? Nothing is submitted. */
export function checkEngines(
  endpoints: readonly Endpoint[],
  context: SubmitterContext,
): Promise<readonly Finding[]> {
  return Promise.all(endpoints.map((endpoint) => checkEngine(endpoint, context)))
}

/** Is the key file there and right? */
export async function checkKeyFile(
  { key, keyLocation }: IndexNowIdentity,
  { client, clock, timeoutMs, reserve }: SubmitterContext,
): Promise<Finding> {
  const name = 'keyFile'
  // The usual address holds the key itself.
  const place = keyLocation.replaceAll(key, hint(key))
  const answer = await client.send(
    { method: 'GET', url: keyLocation, timeoutMs, reserve, redirects: 0 },
    async (response) =>
      response.ok
        ? { text: await readText(response), wall: false }
        : { text: '', wall: await isBotWall(response) },
  )
  if (answer.kind === 'failure') {
    return bad(
      name,
      `key_file_${answer.reason}`,
      `${place} could not be read: ${answer.reason}`,
      KEY_FILE_ADVICE,
    )
  }
  const { status, value } = answer
  if (value.wall) {
    return bad(name, 'key_file_bot_wall', `${place} answers with a page that checks for robots`, WALL_ADVICE)
  }
  const outcome = judgeKeyFile({ status, text: value.text, retryAfter: null, now: clock.now() }, key, place)
  if (outcome.kind === 'accepted') return good(name, `${place} holds the key`)
  return bad(name, outcome.reason, outcome.detail ?? outcome.reason, KEY_FILE_ADVICE)
}

/** A request without a URL in it: a working endpoint complains about that. */
async function checkEngine(
  { name: engine, address }: Endpoint,
  { client, timeoutMs, reserve }: SubmitterContext,
): Promise<Finding> {
  const name = `engine ${engine}`
  const answer = await client.send(
    { method: 'GET', url: address, timeoutMs, reserve, redirects: 0 },
    readText,
  )
  if (answer.kind === 'failure') {
    const advice =
      'check its spelling in searchEngines; if it is right, the engine is out of reach at the moment'
    return bad(name, `engine_${answer.reason}`, `it does not answer: ${answer.reason}`, advice)
  }
  const { status } = answer
  if (status === 429) {
    const advice = 'wait, or use another engine: what one accepts is shared with the others'
    return bad(name, 'throttled', 'it takes no more requests from here at the moment (429)', advice)
  }
  if (status >= 500) return bad(name, `server_error_${status}`, `it answers ${status}`, 'try again later')
  if (status === 404 || (status >= 300 && status < 400)) {
    return bad(name, 'no_endpoint', `it answers ${status}`, NO_ENDPOINT_ADVICE)
  }
  return good(name, 'it answers')
}
