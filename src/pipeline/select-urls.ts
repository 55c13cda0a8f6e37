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

/** Keeps the best `size` of a stream and nothing else: newest first, or at random. */
export class UrlSelection {
  readonly #options: SelectionOptions
  /** A heap with the worst on top: what a better one pushes out. */
  readonly #heap: Candidate[] = []
  #considered = 0

  constructor(options: SelectionOptions) {
    this.#options = options
  }

  get considered(): number {
    return this.#considered
  }

  /** How many are kept at this moment. */
  get held(): number {
    return this.#heap.length
  }

  add(rows: readonly PendingUrl[]): void {
    for (const row of rows) {
      this.#considered++
      const lastmod = this.#usableLastmod(row)
      // Among URLs with a date the first seen wins a tie; those without come in any order.
      const order = lastmod > 0 ? this.#considered : this.#options.random.next()
      this.#offer({ row, lastmod, order })
    }
  }

  /** The best first. */
  chosen(): readonly PendingUrl[] {
    return this.#heap.toSorted(byRank).map(({ row }) => row)
  }

  #offer(candidate: Candidate): void {
    const heap = this.#heap
    if (heap.length < this.#options.size) {
      heap.push(candidate)
      this.#rise(heap.length - 1)
      return
    }
    const worst = heap[0]
    if (worst === undefined || byRank(candidate, worst) > 0) return
    heap[0] = candidate
    this.#sink()
  }

  #rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1
      if (!this.#swapIfWorse(at, parent)) return
      at = parent
    }
  }

  #sink(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1
      const child = this.#isWorse(left + 1, left) ? left + 1 : left
      if (!this.#swapIfWorse(child, at)) return
      at = child
    }
  }

  #swapIfWorse(child: number, parent: number): boolean {
    const heap = this.#heap
    const [lower, upper] = [heap[child], heap[parent]]
    if (lower === undefined || upper === undefined || !this.#isWorse(child, parent)) return false
    heap[child] = upper
    heap[parent] = lower
    return true
  }

  #isWorse(at: number, than: number): boolean {
    const [one, other] = [this.#heap[at], this.#heap[than]]
    return one !== undefined && other !== undefined && byRank(one, other) > 0
  }

  /** Zero when there is none, or one from the future that nobody can have meant. */
  #usableLastmod({ lastmod }: PendingUrl): number {
    const { priority, nowSeconds } = this.#options
    if (priority === 'random' || lastmod === null || lastmod > nowSeconds + DAY_SECONDS) return 0
    return lastmod
  }
}

function byRank(a: Candidate, b: Candidate): number {
  return b.lastmod - a.lastmod || a.order - b.order
}
