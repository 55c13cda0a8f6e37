import { type AlertReason, alertBody } from '../alerts/alert'
import { createAlertSender } from '../alerts/alert-sender'
import type { ExecutionRecord } from '../domain/execution-record'
import type { Settings } from '../domain/settings'
import { createHttpClient } from '../net/http-client'
import type { Budget, Ports } from '../ports'
import { createSiteStates, type SiteState, type WaitingAlert } from '../records/site-state'

/** KV takes one write per key and second. */
const MIN_WRITE_GAP_MS = 1_000
const ALERT_TRIES = 3

export interface RunAlertsOptions {
  readonly ports: Ports
  readonly settings: Settings
  readonly budget: Budget
}

/** What a run tells people, and what earlier ones could not tell them yet. */
export function createRunAlerts({ ports, settings, budget }: RunAlertsOptions) {
  const { clock, sleep, logger, random } = ports
  const states = createSiteStates(ports)

  return {
    /** Those of earlier runs that have a try left and the one of this run, each with this run's try counted. */
    toSend(
      record: ExecutionRecord,
      reasons: readonly AlertReason[],
      { alerts }: Pick<SiteState, 'alerts'>,
    ): WaitingAlert[] {
      if (settings.webhookUrl === null) return []
      const waiting = alerts.filter(({ tries }) => tries < ALERT_TRIES)
      const body = alertBody(record, reasons, clock.now())
      const own = reasons.length === 0 ? [] : [{ id: random.id(), body, tries: 0 }]
      return [...own, ...waiting].map((alert) => ({ ...alert, tries: alert.tries + 1 }))
    },

    /** After everything is saved, so that a webhook that hangs keeps nobody waiting. */
    async deliver({ siteId, runId }: ExecutionRecord, alerts: readonly WaitingAlert[]): Promise<void> {
      const savedAt = clock.now()
      const { webhookUrl: url, webhookSecret: secret, requestTimeoutMs: timeoutMs } = settings
      if (url === null || alerts.length === 0) return
      // Its request was kept free for this, and the time of the run does not bind what tells of it.
      const client = createHttpClient({
        ...ports,
        ...settings,
        budget: { ...budget, takeRequest: () => budget.takeLast() },
      })
      const send = createAlertSender({ url, secret, client, clock, logger, timeoutMs })
      const done = await Promise.all(alerts.map(send))
      if (!done.includes(true)) return
      await sleep(Math.max(0, savedAt + MIN_WRITE_GAP_MS - clock.now()))
      const now = await states.read(siteId)
      // A run that began meanwhile has its own copy. It sends again what it holds; the id tells the receiver.
      if (now.finishedRunId !== runId) return
      const delivered = alerts.filter((_, index) => done[index]).map(({ id }) => id)
      await states.write(siteId, { ...now, alerts: now.alerts.filter(({ id }) => !delivered.includes(id)) })
    },
  }
}
