import type { SiteState } from '../records/site-state'
import type { CrawlReport } from '../sitemap/crawl-books'
import type { Participant } from './open-channels'
import type { RunRequest } from './run-site'

export type Left = Pick<SiteState, 'rounds' | 'unfinished' | 'notBefore' | 'keyCheck'>

/**
 * What a run leaves to later ones. A channel that took no part keeps what it had: a run of Bing alone must neither end
 * nor forget what IndexNow still has to do.
 */
export function whatIsLeft(
  { site, state, channel: asked, channels, startedAt }: RunRequest,
  participants: readonly Participant[],
  { cutShort, cursor }: Pick<CrawlReport, 'cutShort' | 'cursor'>,
): Left {
  const { [asked]: before, ...rounds } = state.rounds
  // A channel that was switched off would otherwise keep its site due for ever.
  const kept = ([id]: [string, number]) => asked !== 'all' || channels.some((channel) => channel.id === id)
  const unfinished = Object.fromEntries(Object.entries(state.unfinished).filter(kept))
  const keyCheck = { ...state.keyCheck }
  const owing: Record<string, number> = {}
  for (const { id } of channels) {
    const run = participants.find(({ channel }) => channel.id === id)?.run
    // Files read earlier in the round may hold what had to wait; once it ends they are read again for that.
    const times = [run?.resumeAt ?? null, run === undefined ? null : (before?.owing[id] ?? null)]
    const resumeAt = times.reduce((a, b) => (a === null || b === null ? (a ?? b) : Math.min(a, b)))
    delete unfinished[id]
    if (run !== undefined && cutShort) unfinished[id] = 0
    else if (resumeAt !== null) unfinished[id] = resumeAt
    if (resumeAt !== null) owing[id] = resumeAt

    const checked = run?.keyCheck
    if (checked === null) delete keyCheck[id]
    else if (checked !== undefined) keyCheck[id] = checked
  }
  return {
    rounds: roundsAfter(),
    unfinished,
    keyCheck,
    notBefore: Object.assign({}, ...othersNotBefore(), ...participants.map(({ run }) => run.notBefore)),
  }

  function roundsAfter(): SiteState['rounds'] {
    if (participants.length === 0) return state.rounds
    return cursor === null ? rounds : { ...rounds, [asked]: { cursor, owing } }
  }

  /** The waits of endpoints that took no part in this run: they still hold. */
  function othersNotBefore(): Record<string, number>[] {
    const asked = participants.flatMap(({ channel }) => channel.endpoints(site).map(({ address }) => address))
    return Object.entries(state.notBefore)
      .filter(([address, until]) => until > startedAt && !asked.includes(address))
      .map(([address, until]) => ({ [address]: until }))
  }
}
