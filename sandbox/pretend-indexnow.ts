import type { Answer, SandboxRequest } from './http-kit'
import { empty, parseJson, wrongVerb } from './http-kit'
import type { KeyFileState, Submission } from './indexnow-rules'
import { brokenRule, malformed, unprocessable } from './indexnow-rules'
import type { PretendSite } from './pretend-site'
import { isRecord } from './submitted-urls'
import type { Verdict } from './verdict'
import { acceptsNothing } from './verdict'

export interface PretendIndexNow {
  handle(request: SandboxRequest): Verdict
  reset(): void
}

export interface IndexNowSetup {
  origin: string
  site: PretendSite
  /** An engine that never says 202 stands for those that check the key at once. */
  firstTimeStatus: 200 | 202
}

export function createPretendIndexNow({ origin, site, firstTimeStatus }: IndexNowSetup): PretendIndexNow {
  const knownKeys = new Set<string>()

  function keyFileState({ key, keyLocation }: Submission): KeyFileState {
    if (keyLocation.origin !== origin) return 'missing'
    const file = site.lookUp(keyLocation.pathname, keyLocation.search.slice(1))
    if (file.status !== 200) return 'missing'
    return Buffer.from(file.body).toString('utf8').trim() === key ? 'ok' : 'wrong'
  }

  function judge(submission: Submission): Verdict {
    const problem = brokenRule(submission, keyFileState(submission))
    if (problem) return acceptsNothing(problem)
    const status = knownKeys.has(submission.key) ? 200 : firstTimeStatus
    knownKeys.add(submission.key)
    return { answer: empty(status), accepted: submission.urls }
  }

  return {
    handle(request) {
      if (!['GET', 'POST'].includes(request.method)) return acceptsNothing(wrongVerb('GET, POST'))
      const submission = request.method === 'GET' ? fromQuery(request, origin) : fromBody(request, origin)
      return 'status' in submission ? acceptsNothing(submission) : judge(submission)
    },
    reset() {
      knownKeys.clear()
    },
  }
}

function fromQuery({ query }: SandboxRequest, origin: string): Submission | Answer {
  const url = query.get('url')
  const key = query.get('key')
  if (!url || !key) return malformed('The url and key parameters are needed')
  return withKeyLocation({ key, host: null, urls: [url] }, query.get('keyLocation'), origin)
}

function fromBody({ body }: SandboxRequest, origin: string): Submission | Answer {
  const given = parseJson(body)
  if (!isRecord(given)) return malformed('The body is not a JSON object')
  const { host, key, keyLocation, urlList } = given
  if (typeof host !== 'string' || typeof key !== 'string' || host === '' || key === '')
    return malformed('The host and key members are needed')
  if (!Array.isArray(urlList)) return malformed('The urlList member has to be an array')
  const urls = urlList.map((url: unknown) => (typeof url === 'string' ? url : JSON.stringify(url)))
  return withKeyLocation({ key, host, urls }, keyLocation ?? null, origin)
}

function withKeyLocation(
  submission: Omit<Submission, 'keyLocation'>,
  given: unknown,
  origin: string,
): Submission | Answer {
  // encodeURIComponent: a badly shaped key must still reach the rule that names it.
  const location = given ?? `${origin}/${encodeURIComponent(submission.key)}.txt`
  if (typeof location !== 'string' || !URL.canParse(location))
    return unprocessable('The keyLocation is not a URL')
  return { ...submission, keyLocation: new URL(location) }
}
