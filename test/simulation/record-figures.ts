import type { ExecutionRecord } from '../../src/domain/execution-record'
import { BING, type RunTrack } from './judge'

/** I10: whether the figures of a record add up, and are those of the engines. */
export function* figureFaults(
  record: ExecutionRecord,
  run: RunTrack | undefined,
  endpoints: readonly string[],
): Generator<string> {
  const { newUrls, engines, status, errors } = record
  const brokeOff = errors.some(({ code }) => code === 'channel_broke_off' || code === 'internal_error')
  for (const [name, { total, accepted, failed, rejected, deferred }] of Object.entries(engines)) {
    const sum = accepted + failed + rejected + deferred
    if (total !== sum && status !== 'interrupted') yield `${name}: ${total} is not ${sum}`
    if (total > newUrls) yield `${name}: ${total} of ${newUrls} new URLs`
    if (run === undefined || status === 'interrupted') continue
    const endpoint = endpoints.find((address) => address.includes(name)) ?? BING
    const really = run.accepted.get(endpoint) ?? 0
    if (accepted > really) yield `${name}: booked ${accepted}, accepted ${really}`
    if (accepted < really && !run.unknown && !brokeOff)
      yield `${name}: booked ${accepted} of ${really} accepted`
  }
}
