/** Numbers that look random and are the same for the same seed (mulberry32). */
export class Chance {
  #state: number
  #ids = 0

  constructor(private readonly seed: number) {
    this.#state = Math.imul(seed + 1, 0x9e3779b1) | 0
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
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
