import type { BingFault } from './bing-dialect'
import { bingRefusal } from './bing-dialect'
import { createBingQuota } from './bing-quota'
import type { SandboxRequest } from './http-kit'
import { html, json, parseJson, wrongVerb } from './http-kit'
import { BING } from './limits'
import type { BingChange, BingDialect } from './shapes'
import { isRecord } from './submitted-urls'
import type { Verdict } from './verdict'
import { acceptsNothing } from './verdict'

export const BING_BASE = '/bing/webmaster/api.svc/json'

export interface PretendBing {
  handle(request: SandboxRequest): Verdict
  refuse(fault: BingFault): Verdict
  change(change: BingChange): void
  reset(): void
}

interface Method {
  verb: 'GET' | 'POST'
  run(request: SandboxRequest): Verdict
}

export function createPretendBing(setup: { origin: string; apiKey: string; quota: number }): PretendBing {
  const quota = createBingQuota(setup.quota)
  let dialect: BingDialect = 'real'

  const refuse = (fault: BingFault): Verdict => acceptsNothing(bingRefusal(dialect, fault))
  const isOurSite = (siteUrl: string) => originOf(siteUrl) === setup.origin

  function submit(siteUrl: unknown, urls: unknown): Verdict {
    if (typeof siteUrl !== 'string' || !isListOfText(urls)) return refuse({ name: 'InvalidParameter' })
    if (!isOurSite(siteUrl)) return refuse({ name: 'NotAuthorized' })
    if (urls.length > BING.MAX_URLS_PER_REQUEST) return refuse({ name: 'TooManyUrls' })
    if (urls.some((url) => originOf(url) !== originOf(siteUrl))) return refuse({ name: 'InvalidUrl' })
    const left = quota.left().daily
    if (left === 0) return refuse({ name: 'QuotaUsedUp', allowance: quota.allowance })
    if (urls.length > left) return refuse({ name: 'QuotaTooSmall', left, submitted: urls.length })
    quota.spend(urls.length)
    return { answer: json(200, { d: null }), accepted: urls }
  }

  function submitBatch({ body }: SandboxRequest): Verdict {
    const given = parseJson(body)
    return isRecord(given) ? submit(given.siteUrl, given.urlList) : refuse({ name: 'InvalidParameter' })
  }

  function submitOne({ body }: SandboxRequest): Verdict {
    const given = parseJson(body)
    return isRecord(given) ? submit(given.siteUrl, [given.url]) : refuse({ name: 'InvalidParameter' })
  }

  function tellQuota({ query }: SandboxRequest): Verdict {
    const siteUrl = query.get('siteUrl')
    if (siteUrl === null) return refuse({ name: 'InvalidParameter' })
    if (!isOurSite(siteUrl)) return refuse({ name: 'NotAuthorized' })
    const { daily, monthly } = quota.left()
    const type = 'UrlSubmissionQuota:#Microsoft.Bing.Webmaster.Api'
    return acceptsNothing(json(200, { d: { __type: type, DailyQuota: daily, MonthlyQuota: monthly } }))
  }

  function listSites(): Verdict {
    const site = { AuthenticationCode: 'SANDBOX', DnsVerificationCode: 'sandbox.invalid', IsVerified: true }
    return acceptsNothing(json(200, { d: [{ ...site, Url: `${setup.origin}/` }] }))
  }

  const methods = new Map<string, Method>([
    ['SubmitUrlbatch', { verb: 'POST', run: submitBatch }],
    ['SubmitUrlBatch', { verb: 'POST', run: submitBatch }],
    ['SubmitUrl', { verb: 'POST', run: submitOne }],
    ['GetUrlSubmissionQuota', { verb: 'GET', run: tellQuota }],
    ['GetUserSites', { verb: 'GET', run: listSites }],
  ])

  return {
    refuse,
    handle(request) {
      const method = methods.get(request.path.slice(BING_BASE.length + 1))
      if (!method) return acceptsNothing(html(404, 'Endpoint not found'))
      if (request.method !== method.verb) return acceptsNothing(wrongVerb(method.verb))
      if (request.query.get('apikey') !== setup.apiKey) return refuse({ name: 'InvalidApiKey' })
      return method.run(request)
    },
    change(change) {
      dialect = change.dialect ?? dialect
      if (change.quota !== undefined) quota.restart(change.quota)
      if (change.newDay) quota.newDay()
    },
    reset() {
      dialect = 'real'
      quota.restart(setup.quota)
    },
  }
}

function originOf(url: string): string | null {
  return URL.canParse(url) ? new URL(url).origin : null
}

function isListOfText(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string')
}
