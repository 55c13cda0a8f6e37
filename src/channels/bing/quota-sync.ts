import { z } from 'zod'
import { readText } from '../../net/read-text'
import type { QuotaAnswer, SubmitterContext } from '../channel'
import type { BingAccess } from './bing-submitter'
import { classify } from './response-policy'

const count = z.int().min(0)
const schema = z.object({ d: z.object({ DailyQuota: count, MonthlyQuota: count.optional() }) })

/** What Bing says is left of the day and of the month: the smaller of both is what it still takes. */
export async function askBingQuota(options: SubmitterContext & BingAccess): Promise<QuotaAnswer> {
  const { client, clock, timeoutMs, reserve, bingApiBase, key, siteUrl } = options
  const query = `siteUrl=${encodeURIComponent(siteUrl)}&apikey=${encodeURIComponent(key)}`
  const url = `${bingApiBase}/GetUrlSubmissionQuota?${query}`
  const answer = await client.send({ method: 'GET', url, timeoutMs, reserve, redirects: 0 }, readText)
  if (answer.kind === 'failure') return { reason: answer.reason }
  const left = answer.status === 200 ? leftIn(answer.value) : null
  if (left !== null) return { left }
  const outcome = classify({
    status: answer.status,
    body: answer.value,
    retryAfter: null,
    now: clock.now(),
  })
  return { reason: outcome.kind === 'accepted' ? 'unreadable_answer' : outcome.reason }
}

function leftIn(body: string): number | null {
  try {
    const { d } = schema.parse(JSON.parse(body))
    return Math.min(d.DailyQuota, d.MonthlyQuota ?? d.DailyQuota)
  } catch {
    return null
  }
}
