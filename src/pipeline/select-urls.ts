import type { PendingUrl } from '../domain/outcome'
import type { Random } from '../ports'

const DAY_SECONDS = 86_400

interface Candidate {
  readonly row: PendingUrl
  readonly lastmod: number
  readonly order: number
}

export interface SelectionOptions {
  readonly size: number
  readonly priority: 'newest' | 'random'
  readonly random: Random
  readonly nowSeconds: number
}

/** Keeps the best `size` of a stream, in memory of twice that: newest first, or at random. */
export class UrlSelection {
  readonly #options: SelectionOptions
  #candidates: Candidate[] = []
  #considered = 0

  constructor(options: SelectionOptions) {
    this.#options = options
  }

  get considered(): number {
    return this.#considered
  }

  add(rows: readonly PendingUrl[]): void {
    const { size, random } = this.#options
    for (const row of rows) {
      this.#considered++
      if (size === 0) continue
      const lastmod = this.#usableLastmod(row)
      // Among URLs with a date the first seen wins a tie; those without come in any order.
      const order = lastmod > 0 ? this.#considered : random.next()
      this.#candidates.push({ row, lastmod, order })
      if (this.#candidates.length >= size * 2) this.#prune()
    }
  }

  chosen(): readonly PendingUrl[] {
    this.#prune()
    return this.#candidates.map(({ row }) => row)
  }

  #prune(): void {
    this.#candidates.sort((a, b) => b.lastmod - a.lastmod || a.order - b.order)
    this.#candidates.length = Math.min(this.#candidates.length, this.#options.size)
  }

  /** Zero when there is none, or one from the future that nobody can have meant. */
  #usableLastmod({ lastmod }: PendingUrl): number {
    const { priority, nowSeconds } = this.#options
    if (priority === 'random' || lastmod === null || lastmod > nowSeconds + DAY_SECONDS) return 0
    return lastmod
  }
}
