import type { Channel } from '../channels/channel'
import type { RunError } from '../domain/execution-record'
import type { PendingUrl } from '../domain/outcome'
import type { Site } from '../domain/site'
import { UrlCache } from '../marks/url-cache'
import type { HttpClient } from '../net/http-client'
import { keys } from '../records/keys'
import type { PendingBook } from '../records/pending-urls'
import { createQuotaManager, quotaDate } from '../records/quota-manager'
import { leavingTime, RESERVE, reserveFor } from './budget'
import { isolate } from './isolate'
import { type LastingRefusal, refusalFor, watchRefusals } from './refusals'
import { ChannelRun } from './run-channel'
import type { RunContext, RunRequest } from './run-site'
import { sayExhausted, withinQuota } from './within-quota'

/** One channel in this run: it submits each slice at once or, with a daily quota, keeps the best of them for the end. */
export interface Participant {
  readonly channel: Channel
  readonly run: ChannelRun
  readonly marks: UrlCache
  take(slice: readonly PendingUrl[]): Promise<void>
  finish(): Promise<void>
  /** Addresses of the endpoints that have not settled everything they were to hear of. */
  unsettled(): string[]
  /** Set once the engine refused it for good. */
  refused(): LastingRefusal | null
}

interface Opening {
  readonly request: RunRequest
  readonly context: RunContext
  readonly client: HttpClient
  readonly pending: PendingBook
  /** What keeps a channel from taking part is told here; the others go on. */
  readonly errors: RunError[]
}

export async function openChannels(opening: Opening): Promise<Participant[]> {
  const { request, context, errors } = opening
  const participants: Participant[] = []
  // The last one first: what a channel leaves to those after it depends on which of them really take part.
  for (const channel of request.channels.toReversed()) {
    const { step, broken } = isolate({ site: request.site.id, channel, logger: context.ports.logger, errors })
    const participant = await step(() => openChannel(channel, participants, opening))
    if (participant === null) continue
    participants.unshift({
      ...participant,
      take: async (slice) => void (await step(() => participant.take(slice))),
      finish: async () => void (await step(() => participant.finish())),
      unsettled: () => (broken() ? addressesOf(channel, request.site) : participant.unsettled()),
    })
  }
  return participants
}

async function openChannel(
  channel: Channel,
  later: readonly Participant[],
  opening: Opening,
): Promise<Participant | null> {
  const { request, context, client, pending, errors } = opening
  const { site, startedAt } = request
  const { ports, settings, gate } = context
  const { logger } = ports
  const stayOut = (error: Omit<RunError, 'channel'>) => {
    logger.error(error.message, { site: site.id, channel: channel.id, code: error.code })
    errors.push({ ...error, channel: channel.id })
    return null
  }

  const refusal = refusalFor(channel, request, context.resolveKey)
  if (refusal !== null) {
    const { reason, at, advice } = refusal
    const message = `${channel.title} is off for ${site.id} since ${at}: ${reason}`
    // Told once as an error when it happened; asking for this very channel is asking why.
    if (request.channel === channel.id) {
      return stayOut({ code: `${channel.id}_off`, message, ...(advice === undefined ? {} : { advice }) })
    }
    logger.info(message, { site: site.id })
    return null
  }

  const quota = channel.quota?.(site)
  const quotas = createQuotaManager({ ...ports, channelId: channel.id })
  const date = quotaDate(startedAt)
  const day = quota === undefined ? null : await quotas.read(site.id, date, quota.perDay)
  if (day?.unreadable) {
    const message = `the record of what ${channel.title} took today is unreadable: nothing more is sent there today`
    const advice = `delete the key ${keys.quota(channel.id, site.id, date)} to go on before tomorrow`
    return stayOut({ code: `${channel.id}_quota_unreadable`, message, advice })
  }
  if (day?.remaining === 0) {
    sayExhausted(logger, channel, site)
    return null
  }

  const reserve = RESERVE.ALERT + reserveFor(later, site)
  const submitterContext = {
    client,
    clock: ports.clock,
    timeoutMs: settings.requestTimeoutMs,
    reserve,
    bingApiBase: settings.bingApiBase,
    allowPlainKeyFile: settings.allowPrivateNetwork,
    resolveKey: context.resolveKey,
  }
  const submitter = channel.createSubmitter(site, submitterContext)
  if (!submitter.ok) {
    const { code, detail } = submitter.problem
    return stayOut({ code, message: detail })
  }

  const marks = await UrlCache.open({
    ...ports,
    keyOf: (bucket) => keys.marks(channel.cachePrefix, site.id, bucket),
    ttlDays: site.cacheTtlDays,
    endpoints: channel.endpoints(site).map(({ address }) => address),
  })
  const { submit, refused } = watchRefusals(submitter.value)
  const run = new ChannelRun({
    ...ports,
    channel,
    site,
    submit,
    keyProof: channel.keyProof?.(site, submitterContext) ?? null,
    keyCheck: request.state.keyCheck[channel.id] ?? null,
    marks,
    pending,
    budget: leavingTime(context.budget, settings.runTimeBudgetMs, later.length),
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
      if (quota !== undefined && accepted > 0) await quotas.add(site.id, date, accepted, quota.perDay)
    },
  })
  const own = (rows: readonly PendingUrl[]) => rows.filter(({ missing }) => (missing[channel.id] ?? 0) !== 0)
  const unsettled = () => {
    const left = channel.endpoints(site).filter(({ name }) => !run.books.isSettled(name))
    return left.map(({ address }) => address)
  }
  const opened = { channel, run, marks, refused, unsettled }
  if (quota === undefined || day === null) {
    return { ...opened, take: (slice) => run.submit(own(slice)), finish: async () => {} }
  }
  const choosing = withinQuota({
    ...ports,
    channel,
    site,
    run,
    quota,
    left: day.remaining,
    date,
    quotas,
    askQuota: () => channel.askQuota?.(site, submitterContext) ?? null,
    startedAt,
  })
  return { ...opened, take: (slice) => choosing.take(own(slice)), finish: choosing.finish }
}

const addressesOf = (channel: Channel, site: Site) => channel.endpoints(site).map(({ address }) => address)
