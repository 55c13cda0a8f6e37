import { createSeededRandom } from '../support/memory-application'

/** Whatever happens by chance, the same for the same seed. */
export class Chance {
  readonly next: () => number
  #ids = 0

  constructor(private readonly seed: number) {
    this.next = createSeededRandom(Math.imul(seed + 1, 0x9e3779b1) | 0).next
  }

  id(): string {
    return `run-${this.seed}-${++this.#ids}`
  }

  happens(probability: number): boolean {
    return this.next() < probability
  }

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.next() * (max - min + 1))
  }

  pick<T>(things: readonly T[]): T {
    return things[Math.floor(this.next() * things.length)] as T
  }

  /** A stream of its own, so that what one part draws does not change what another sees. */
  fork(): Chance {
    return new Chance(Math.floor(this.next() * 2 ** 31))
  }
}
