import type { Channel, DailyQuota } from '../channels/channel'
import type { RunError } from '../domain/execution-record'
import type { PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import { UrlCache } from '../marks/url-cache'
import type { HttpClient } from '../net/http-client'
import { keys } from '../records/keys'
import { type QuotaManager, quotaDate } from '../records/quota-manager'
import { RESERVE, reserveFor } from './budget'
import { ChannelRun } from './run-channel'
import type { RunContext, RunRequest } from './run-site'
import { UrlSelection } from './select-urls'

/** One channel in this run: it submits each slice at once or, with a daily quota, keeps the best of them for the end. */
export interface Participant {
  readonly channel: Channel
  readonly run: ChannelRun
  readonly marks: UrlCache
  take(slice: readonly PendingUrl[]): Promise<void>
  finish(): Promise<void>
  /** Addresses of the endpoints that have not settled everything they were to hear of. */
  unsettled(): string[]
}

interface Opening {
  readonly request: RunRequest
  readonly context: RunContext
  readonly client: HttpClient
  readonly quotas: QuotaManager
  /** What keeps a channel from taking part is told here; the others go on. */
  readonly errors: RunError[]
}

export async function openChannels(opening: Opening): Promise<Participant[]> {
  const participants: Participant[] = []
  for (const [index, channel] of opening.request.channels.entries()) {
    const participant = await openChannel(channel, index, opening)
    if (participant !== null) participants.push(participant)
  }
  return participants
}

async function openChannel(channel: Channel, index: number, opening: Opening): Promise<Participant | null> {
  const { request, context, client, quotas, errors } = opening
  const { site, startedAt } = request
  const { ports, settings, budget, gate } = context
  const quota = channel.quota?.(site)
  const date = quotaDate(startedAt)
  const left = quota === undefined ? Infinity : await quotas.remaining(site.id, date, quota.perDay)
  if (left === 0) {
    ports.logger.info(`${channel.title} quota exhausted, skipping`, { site: site.id })
    return null
  }

  const later = request.channels.slice(index + 1).map((one) => ({ channel: one }))
  const reserve = RESERVE.ALERT + reserveFor(later, site)
  const submitter = channel.createSubmitter(site, {
    client,
    clock: ports.clock,
    timeoutMs: settings.requestTimeoutMs,
    reserve,
    bingApiBase: settings.bingApiBase,
    allowPlainKeyFile: settings.allowPrivateNetwork,
    resolveKey: context.resolveKey,
  })
  if (!submitter.ok) {
    const { code, detail } = submitter.problem
    ports.logger.error(detail, { site: site.id, code })
    errors.push({ code, message: detail })
    return null
  }

  const marks = await UrlCache.open({
    ...ports,
    keyOf: (bucket) => keys.marks(channel.cachePrefix, site.id, bucket),
    ttlDays: site.cacheTtlDays,
    endpoints: channel.endpoints(site).map(({ address }) => address),
  })
  const run = new ChannelRun({
    ...ports,
    channel,
    site,
    submit: submitter.value,
    marks,
    budget,
    gate,
    policy: {
      maxRetries: site.maxRetries,
      waitMs: (cause, nth) =>
        cause === 'throttled' ? settings.waits.rateLimitMs : settings.waits.retryBaseMs * 2 ** nth,
    },
    batchPauseMs: settings.waits.batchPauseMs,
    reserve,
    notBefore: request.state.notBefore,
    afterBatch: async (accepted) => {
      if (quota !== undefined && accepted > 0) await quotas.add(site.id, date, accepted)
    },
  })
  const own = (rows: readonly PendingUrl[]) => rows.filter(({ missing }) => (missing[channel.id] ?? 0) !== 0)
  if (quota === undefined) {
    return {
      channel,
      run,
      marks,
      take: (slice) => run.submit(own(slice)),
      finish: async () => {},
      unsettled: () => unsettledIn(run, channel, site),
    }
  }
  const selection = select(quota, left, opening)
  return {
    channel,
    run,
    marks,
    take: async (slice) => selection.add(own(slice)),
    finish: async () => {
      await run.submit(selection.chosen())
      if (run.books.knows('quota')) await quotas.markExhausted(site.id, date)
    },
    unsettled: () =>
      selection.considered > left
        ? channel.endpoints(site).map(({ address }) => address)
        : unsettledIn(run, channel, site),
  }
}

function select({ priority }: DailyQuota, size: number, { request, context }: Opening): UrlSelection {
  const nowSeconds = Math.floor(request.startedAt / 1000)
  return new UrlSelection({ size, priority, random: context.ports.random, nowSeconds })
}

/** Addresses of the endpoints for which a URL of this run is left. */
function unsettledIn(run: ChannelRun, channel: Channel, site: Site): string[] {
  const figures = run.books.engines()
  return channel
    .endpoints(site)
    .filter(({ name }) => {
      const { failed = 0, rejected = 0, deferred = 0 } = figures[name] ?? {}
      return failed + rejected + deferred > 0
    })
    .map(({ address }) => address)
}
