import type { Channel, Submitter } from '../channels/channel'
import type { RunError } from '../domain/execution-record'
import type { SubmissionOutcome } from '../domain/outcome'
import { digestOf, type Refusal, type Refusals, standingRefusal } from '../records/refusals'
import type { Participant } from './open-channels'
import type { RunContext, RunRequest } from './run-site'

export type LastingRefusal = Extract<SubmissionOutcome, { kind: 'rejected' }>

/** The same submitter; what it meets that outlives the run is kept for later. */
export function watchRefusals(submit: Submitter): {
  submit: Submitter
  refused: () => LastingRefusal | null
} {
  let refusal: LastingRefusal | null = null
  return {
    refused: () => refusal,
    submit: async (endpoint, urls) => {
      const answer = await submit(endpoint, urls)
      if (answer.outcome.kind === 'rejected' && answer.outcome.lasting) refusal = answer.outcome
      return answer
    },
  }
}

/** Why this channel has nothing to do for this site until somebody changes something; null when it may try. */
export function refusalFor(
  channel: Channel,
  { site, state }: Pick<RunRequest, 'site' | 'state'>,
  resolveKey: RunContext['resolveKey'],
): Refusal | null {
  return standingRefusal(state.refusals, channel.id, channel.credentials?.(site, resolveKey) ?? null)
}

/** What the state keeps after this run. A refusal of this run is told as an error, once: later runs stay silent. */
export function refusalsAfter(
  request: RunRequest,
  { ports, resolveKey }: RunContext,
  participants: readonly Participant[],
  errors: RunError[],
): Refusals {
  const { site, state, channels } = request
  const kept = Object.entries(state.refusals ?? {}).filter(([id]) => {
    const tried = participants.some(({ channel }) => channel.id === id)
    // Switched off by its owner meanwhile: switching it on is a new try.
    const gone = request.channel === 'all' && !channels.some((channel) => channel.id === id)
    return !tried && !gone
  })
  const refusals = Object.fromEntries(kept)
  for (const { channel, refused } of participants) {
    const outcome = refused()
    const credentials = channel.credentials?.(site, resolveKey) ?? null
    if (outcome === null || credentials === null) continue
    const { reason, code, detail, advice } = outcome
    const said = {
      ...(code === undefined ? {} : { code }),
      ...(detail === undefined ? {} : { detail }),
      ...(advice === undefined ? {} : { advice }),
    }
    const at = new Date(ports.clock.now()).toISOString()
    refusals[channel.id] = { reason, ...said, at, digest: digestOf(credentials) }
    const message = `${channel.title} is now off for ${site.id}: ${reason}${detail === undefined ? '' : ` (${detail})`}`
    errors.push({
      channel: channel.id,
      code: `${channel.id}_switched_off`,
      message,
      advice: `${advice === undefined ? '' : `${advice}; `}it stays off until that changes or it is switched on again`,
    })
    ports.logger.error(message, { site: site.id, channel: channel.id, reason, ...said })
  }
  return refusals
}
