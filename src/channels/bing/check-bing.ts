import { bad, type Finding, good } from '../../domain/finding'
import { readText } from '../../net/read-text'
import type { SubmitterContext } from '../channel'
import { classify } from './response-policy'

const NAME = 'bingKey'

/** Does Bing take the key, and does its account hold the site? Asking for the account's sites spends no quota. */
export async function checkBing(
  { key, siteUrl }: { readonly key: string; readonly siteUrl: string },
  { client, clock, timeoutMs, reserve, bingApiBase }: SubmitterContext,
): Promise<Finding> {
  const url = `${bingApiBase}/GetUserSites?apikey=${encodeURIComponent(key)}`
  const answer = await client.send({ method: 'GET', url, timeoutMs, reserve, redirects: 0 }, readText)
  if (answer.kind === 'failure') {
    return bad(NAME, `bing_${answer.reason}`, `Bing does not answer: ${answer.reason}`, 'try again later')
  }
  const sites = answer.status === 200 ? sitesIn(answer.value) : null
  if (sites === null) {
    const outcome = classify({
      status: answer.status,
      body: answer.value,
      retryAfter: null,
      now: clock.now(),
    })
    const advice = (outcome.kind === 'rejected' ? outcome.advice : undefined) ?? 'try again later'
    const code = outcome.kind === 'accepted' ? 'unreadable_answer' : outcome.reason
    return bad(NAME, code, `Bing answers ${answer.status} (${code})`, advice)
  }
  const found = sites.find(({ Url }) => hostOf(Url) === hostOf(siteUrl))
  if (found === undefined) {
    const advice = 'add and verify the site in Bing Webmaster Tools, or set bingSiteUrl to its address there'
    return bad(NAME, 'site_refused', `the account of this key does not hold ${siteUrl}`, advice)
  }
  if (found.IsVerified === false) {
    const detail = `the account of this key holds ${siteUrl}, but it is not verified`
    return bad(NAME, 'site_refused', detail, 'verify the site in Bing Webmaster Tools')
  }
  return good(NAME, `Bing takes the key, and its account holds ${siteUrl}`)
}

interface BingSite {
  readonly Url: string
  readonly IsVerified?: unknown
}

function sitesIn(body: string): readonly BingSite[] | null {
  try {
    const { d } = JSON.parse(body) as { d?: unknown }
    return Array.isArray(d) ? d.filter((site): site is BingSite => typeof site?.Url === 'string') : null
  } catch {
    return null
  }
}

const hostOf = (url: string): string | null => (URL.canParse(url) ? new URL(url).host : null)
