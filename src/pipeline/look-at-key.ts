import type { KeyProof } from '../channels/channel'
import type { Trouble } from '../domain/outcome'
import { retry } from '../net/retry'
import type { ChannelRunOptions } from './run-channel'

/** A site that cannot show its key file is left alone for so long. */
const UNREACHABLE_WAIT_MS = 3_600_000

export type KeyFinding =
  | { readonly kind: 'right' }
  | { readonly kind: 'wrong'; readonly trouble: Trouble }
  /** It could not be seen: nothing is sent before it was. */
  | { readonly kind: 'unknown'; readonly trouble: Trouble; readonly notBefore: number }

/** Sees for itself, with retries, what the engines will be asked to believe. */
export async function lookAtKey(
  proof: KeyProof,
  options: Pick<ChannelRunOptions, 'policy' | 'clock' | 'sleep' | 'budget' | 'logger' | 'channel' | 'site'>,
): Promise<KeyFinding> {
  const { policy, clock, logger, channel, site } = options
  const attempted = await retry(
    policy,
    { ...options, subject: `${channel.title} key file of ${site.id}` },
    proof.look,
    (outcome) => (outcome.kind === 'retryable' ? outcome : null),
  )
  const outcome = attempted.value
  if (outcome.kind === 'accepted') return { kind: 'right' }
  if (outcome.kind === 'rejected') {
    const { reason, detail, advice } = outcome
    logger.error(`${channel.title}: ${detail ?? reason}; nothing is sent in this run`, {
      site: site.id,
      code: reason,
      advice,
    })
    return { kind: 'wrong', trouble: { reason, detail, advice } }
  }
  const spent = outcome.kind === 'deferred'
  const reason = spent ? outcome.reason : 'key_file_unreachable'
  logger.warn(`${channel.title}: the key file could not be looked at; nothing is sent in this run`, {
    site: site.id,
    code: reason,
    detail: outcome.detail ?? outcome.reason,
  })
  const advice = 'the key file must answer before anything is submitted: check that the site is up'
  const waits = spent
    ? 0
    : attempted.kind === 'postponed'
      ? attempted.notBefore
      : clock.now() + UNREACHABLE_WAIT_MS
  return {
    kind: 'unknown',
    trouble: spent ? { reason } : { reason, detail: outcome.detail ?? outcome.reason, advice },
    notBefore: waits,
  }
}
