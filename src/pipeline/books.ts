import type { Endpoint } from '../channels/channel'
import type { BatchFigures, EngineFigures, RunError } from '../domain/execution-record'
import type { Ending, Trouble } from '../domain/outcome'

/** The reason of URLs that the day had no room for: a site may well have more pages than its quota. */
export const BEYOND_QUOTA = 'beyond_quota'

interface Account {
  readonly endings: Record<Ending, number>
  /** Of the rejected: those that are marked, and will not be sent again. */
  forGood: number
  requests: number
  ms: number
}

/** The books of one channel in one run: each URL ends once per endpoint, and everything shown later is a sum of these. */
export class Books {
  readonly batches: BatchFigures[] = []
  readonly #accounts = new Map<string, Account>()
  readonly #troubles = new Map<string, { count: number; engine: string; trouble: Trouble }>()

  constructor(endpoints: readonly Endpoint[]) {
    for (const { name } of endpoints) {
      this.#accounts.set(name, {
        endings: { accepted: 0, failed: 0, rejected: 0, deferred: 0 },
        forGood: 0,
        requests: 0,
        ms: 0,
      })
    }
  }

  settle(engine: string, ending: Ending, urls: number, trouble?: Trouble): void {
    const account = this.#accounts.get(engine)
    if (account === undefined || urls === 0) return
    account.endings[ending] += urls
    if (trouble === undefined) return
    const key = `${engine} ${ending} ${trouble.reason}`
    const known = this.#troubles.get(key)
    this.#troubles.set(key, { count: (known?.count ?? 0) + urls, engine, trouble })
  }

  /** So many of those rejected there are marked as such. */
  rejectedForGood(engine: string, urls: number): void {
    const account = this.#accounts.get(engine)
    if (account !== undefined) account.forGood += urls
  }

  /** Whether this endpoint still has to hear of any URL of this run. */
  isSettled(engine: string): boolean {
    const account = this.#accounts.get(engine)
    if (account === undefined) return true
    const { failed, rejected, deferred } = account.endings
    return failed + deferred + rejected - account.forGood === 0
  }

  answered(engine: string, elapsedMs: number): void {
    const account = this.#accounts.get(engine)
    if (account === undefined) return
    account.requests++
    account.ms += elapsedMs
  }

  count(ending: Ending): number {
    let sum = 0
    for (const { endings } of this.#accounts.values()) sum += endings[ending]
    return sum
  }

  /** Whether anything ended for this reason. */
  knows(reason: string): boolean {
    return [...this.#troubles.values()].some(({ trouble }) => trouble.reason === reason)
  }

  /** How much of what engines decided on went wrong, from 0 to 1. What was put off says nothing about them. */
  failureRate(): number {
    const bad = this.count('failed') + this.count('rejected')
    return bad === 0 ? 0 : bad / (bad + this.count('accepted'))
  }

  engines(): Record<string, EngineFigures> {
    return Object.fromEntries(
      [...this.#accounts].map(([name, { endings, requests, ms }]) => {
        const total = endings.accepted + endings.failed + endings.rejected + endings.deferred
        return [name, { total, ...endings, averageMs: requests === 0 ? 0 : Math.round(ms / requests) }]
      }),
    )
  }

  /** Everything that went wrong; what waits for its turn in the ordinary course of things did not. */
  errors(): RunError[] {
    const wrong = [...this.#troubles.values()].filter(({ trouble }) => trouble.reason !== BEYOND_QUOTA)
    return wrong.map(({ count, engine, trouble: { reason, detail, advice } }) => ({
      code: reason,
      message: `${engine}: ${count} ${count === 1 ? 'URL' : 'URLs'}, ${reason}${detail === undefined ? '' : ` (${detail})`}`,
      ...(advice === undefined ? {} : { advice }),
    }))
  }
}
