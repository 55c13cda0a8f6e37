import type { Secret } from '../domain/secret'
import type { HttpClient } from '../net/http-client'
import type { Clock, Logger } from '../ports'
import { webhookHeaders } from './sign'

/** A receiver that says so wants no more of them. */
const GONE = 410

export interface Alert {
  /** The same on every try, so that the receiver can tell a repeat. */
  readonly id: string
  readonly body: string
}

/** Tries once to deliver; true when the alert is done with. Never throws: an alert must not harm the run it tells of. */
export type AlertSender = (alert: Alert) => Promise<boolean>

export function createAlertSender(options: {
  readonly url: string
  readonly secret: Secret | null
  readonly client: HttpClient
  readonly clock: Clock
  readonly logger: Logger
  readonly timeoutMs: number
}): AlertSender {
  const { url, secret, client, clock, logger, timeoutMs } = options
  return async (alert) => {
    const headers = await webhookHeaders(alert, secret?.reveal() ?? null, clock.now())
    const answer = await client.send(
      {
        method: 'POST',
        url,
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        body: alert.body,
        timeoutMs,
        redirects: 0,
      },
      async (response) => void (await response.body?.cancel()),
    )
    const status = answer.kind === 'answer' ? answer.status : null
    if (status !== null && status >= 200 && status < 300) {
      logger.info('alert delivered', { id: alert.id, status })
      return true
    }
    const detail = answer.kind === 'failure' ? answer.detail : `HTTP ${status}`
    logger.warn('an alert could not be delivered', { id: alert.id, detail })
    return status === GONE
  }
}
