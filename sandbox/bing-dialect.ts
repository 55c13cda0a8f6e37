import type { Answer } from './http-kit'
import { json } from './http-kit'
import { BING } from './limits'
import type { BingDialect } from './shapes'

export type BingFault =
  | { name: 'InvalidApiKey' }
  | { name: 'InvalidUrl' }
  | { name: 'InvalidParameter' }
  | { name: 'NotAuthorized' }
  | { name: 'ThrottleUser' }
  | { name: 'TooManyUrls' }
  | { name: 'QuotaTooSmall'; left: number; submitted: number }
  | { name: 'QuotaUsedUp'; allowance: number }

interface Wording {
  code: number
  documentedCode: string
  documentedStatus: number
}

const WORDINGS: Record<BingFault['name'], Wording> = {
  InvalidApiKey: { code: 3, documentedCode: 'ERROR_INVALID_API_KEY', documentedStatus: 401 },
  InvalidUrl: { code: 7, documentedCode: 'ERROR_INVALID_URL', documentedStatus: 400 },
  InvalidParameter: { code: 8, documentedCode: 'ERROR_INVALID_PARAMETER', documentedStatus: 400 },
  NotAuthorized: { code: 14, documentedCode: 'ERROR_NOT_AUTHORIZED', documentedStatus: 400 },
  ThrottleUser: { code: 4, documentedCode: 'ERROR_THROTTLE_USER', documentedStatus: 429 },
  TooManyUrls: { code: 8, documentedCode: 'ERROR_INVALID_PARAMETER', documentedStatus: 400 },
  QuotaTooSmall: { code: 2, documentedCode: 'ERROR_QUOTA_EXCEEDED', documentedStatus: 403 },
  QuotaUsedUp: { code: 2, documentedCode: 'ERROR_QUOTA_EXCEEDED', documentedStatus: 403 },
}

export function bingRefusal(dialect: BingDialect, fault: BingFault): Answer {
  const wording = WORDINGS[fault.name]
  const message = messageOf(fault)
  return dialect === 'real'
    ? json(400, { ErrorCode: wording.code, Message: `ERROR!!! ${message}` })
    : json(wording.documentedStatus, { ErrorCode: wording.documentedCode, Message: message })
}

function messageOf(fault: BingFault): string {
  switch (fault.name) {
    case 'QuotaTooSmall':
      return `Quota remaining for today: ${fault.left}, Submitted: ${fault.submitted}`
    case 'QuotaUsedUp':
      return `You have exceeded your daily url submission quota : ${fault.allowance}`
    case 'TooManyUrls':
      return `Max Urls quota is ${BING.MAX_URLS_PER_REQUEST} at a time`
    default:
      return fault.name
  }
}
