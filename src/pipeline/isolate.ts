import type { RunError } from '../domain/execution-record'
import type { Logger } from '../ports'

/** Where a channel's own failures end, so that no other channel hears of them. */
export interface Isolation {
  readonly site: string
  readonly channel: { readonly id: string; readonly title: string }
  readonly logger: Logger
  readonly errors: RunError[]
}

/**
 * Runs steps of one channel. Only bugs and a store that fails get here as exceptions: the first is told, and from then on
 * the channel does nothing more in this run.
 */
export function isolate({ site, channel, logger, errors }: Isolation) {
  let broken = false
  const step = async <T>(work: () => Promise<T>): Promise<T | null> => {
    if (broken) return null
    try {
      return await work()
    } catch (error) {
      broken = true
      const message = `${channel.title} broke off: the other channels went on`
      logger.error(message, { site, channel: channel.id, detail: String(error) })
      errors.push({
        channel: channel.id,
        code: 'channel_broke_off',
        message,
        advice: 'its URLs stay pending; if the next run says the same, see the log',
      })
      return null
    }
  }
  return { step, broken: () => broken }
}
