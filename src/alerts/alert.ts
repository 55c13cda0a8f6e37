import type { ExecutionRecord } from '../domain/execution-record'

const MAX_REASONS = 20
const MAX_TEXT_LENGTH = 500

export interface AlertReason {
  readonly code: string
  readonly message: string
  /** How many submissions it concerns. */
  readonly count?: number
  readonly advice?: string
}

type Told = Pick<
  ExecutionRecord,
  | 'siteId'
  | 'runId'
  | 'channel'
  | 'trigger'
  | 'status'
  | 'newUrls'
  | 'submittedUrls'
  | 'failedUrls'
  | 'engines'
>

/** The body of an alert: small, whole in itself, in the envelope of Standard Webhooks. */
export function alertBody(record: Told, reasons: readonly AlertReason[], now: number): string {
  const { siteId, runId, channel, trigger, status, newUrls, submittedUrls, failedUrls, engines } = record
  return JSON.stringify({
    type: 'site.alert',
    timestamp: new Date(now).toISOString(),
    data: {
      siteId,
      runId,
      channel,
      trigger,
      status,
      reasons: reasons.slice(0, MAX_REASONS).map(({ code, message, count, advice }) => ({
        code,
        message: message.slice(0, MAX_TEXT_LENGTH),
        ...(count === undefined ? {} : { count }),
        ...(advice === undefined ? {} : { advice: advice.slice(0, MAX_TEXT_LENGTH) }),
      })),
      counts: { newUrls, submittedUrls, failedUrls },
      engines,
    },
  })
}
