import { z } from 'zod'
import type { KeyValueStore, Logger } from '../ports'
import { keys } from './keys'
import { readJson } from './read-json'

const MAX_ENTRIES = 500
/** So often a failed URL goes first. After that it goes last: hopeless ones must not eat every run. */
const ATTEMPTS_IN_FRONT = 3

const entrySchema = z.object({
  channel: z.string(),
  engine: z.string(),
  url: z.string(),
  /** Why the last attempt failed, as a stable code. */
  reason: z.string(),
  /** Times it was sent and not accepted; 0 when it was refused before sending. */
  attempts: z.number(),
  /** The last answer's HTTP status; null when there was none. */
  status: z.number().nullable(),
  lastAttempt: z.string(),
  /** The marks say so too: it is not sent again before it changes or its mark expires. */
  final: z.literal(true).optional(),
})

const schema = z.object({
  entries: z.array(entrySchema),
  /** Failures that found no place in the list. */
  overflow: z.number(),
})

export type PendingEntry = z.infer<typeof entrySchema>
export type PendingList = z.infer<typeof schema>

export const EMPTY_PENDING: PendingList = { entries: [], overflow: 0 }

export interface PendingUrls {
  read(siteId: string): Promise<PendingList>
  write(siteId: string, list: PendingList): Promise<void>
}

/** The URLs that were tried and not accepted, with reasons. It orders and explains; what is pending the marks alone decide. */
export function createPendingUrls(store: KeyValueStore, logger: Logger): PendingUrls {
  return {
    read: async (siteId) => (await readJson(store, keys.pending(siteId), schema, logger)) ?? EMPTY_PENDING,
    async write(siteId, list) {
      await store.put(keys.pending(siteId), JSON.stringify(list))
    },
  }
}

export interface Failure {
  readonly channel: string
  readonly engine: string
  readonly url: string
  readonly reason: string
  readonly status: number | null
  readonly lastAttempt: string
  /** False when it was refused before sending. */
  readonly sent: boolean
}

type Place = Pick<PendingEntry, 'channel' | 'engine' | 'url'>

/** The list in the hands of one run. */
export class PendingBook {
  readonly #entries = new Map<string, PendingEntry>()
  /** Those this run came across, whatever became of them. */
  readonly #met = new Set<string>()
  #overflow = 0
  #changed = false

  constructor(private readonly before: PendingList) {
    for (const entry of before.entries) this.#entries.set(placeOf(entry), entry)
  }

  /** Negative for a URL that goes first, positive for one that goes last. */
  rank(place: Place): number {
    const known = this.#entries.get(placeOf(place))
    if (known === undefined) return 0
    return known.attempts < ATTEMPTS_IN_FRONT ? -1 : 1
  }

  get isEmpty(): boolean {
    return this.#entries.size === 0
  }

  fail({ sent, ...failure }: Failure): void {
    const place = placeOf(failure)
    const known = this.#entries.get(place)
    this.#met.add(place)
    if (known === undefined && this.#entries.size >= MAX_ENTRIES) {
      this.#overflow++
      return
    }
    this.#entries.set(place, { ...failure, attempts: (known?.attempts ?? 0) + (sent ? 1 : 0) })
    this.#changed = true
  }

  accept(place: Place): void {
    if (this.#entries.delete(placeOf(place))) this.#changed = true
  }

  /** Still to be sent: it keeps its place. */
  defer(place: Place): void {
    const key = placeOf(place)
    if (this.#entries.has(key)) this.#met.add(key)
  }

  /** Refused for good: nothing will come across it any more, and its reason is kept as long as its mark. */
  settle(place: Place): void {
    const known = this.#entries.get(placeOf(place))
    if (known !== undefined) this.#entries.set(placeOf(place), { ...known, final: true })
  }

  /** Lets go of what a whole and clean crawl for these channels did not come across. */
  forgetUnmet(channels: readonly string[]): void {
    this.#forget((entry, isMet) => channels.includes(entry.channel) && !isMet && !entry.final)
  }

  /** Lets go of refusals whose marks were made before this. */
  forgetSettledBefore(moment: string): void {
    this.#forget(({ final, lastAttempt }, isMet) => final === true && !isMet && lastAttempt < moment)
  }

  /** Lets go of every channel but these. */
  keepOnly(channels: readonly string[]): void {
    this.#forget(({ channel }) => !channels.includes(channel))
  }

  #forget(isOver: (entry: PendingEntry, isMet: boolean) => boolean): void {
    for (const [place, entry] of this.#entries) {
      if (!isOver(entry, this.#met.has(place))) continue
      this.#entries.delete(place)
      this.#changed = true
    }
  }

  /** What to store, or null when nothing changed. */
  changes(): PendingList | null {
    if (!this.#changed && this.#overflow === this.before.overflow) return null
    return { entries: [...this.#entries.values()], overflow: this.#overflow }
  }

  get count(): number {
    return this.#entries.size + this.#overflow
  }
}

const placeOf = ({ channel, engine, url }: Place): string => `${channel} ${engine} ${url}`
