export const MASK = '****...****'

/** A key or token. It prints masked wherever it ends up; only `reveal()` gives it away. */
export class Secret {
  readonly #value: string

  constructor(value: string) {
    this.#value = value
  }

  reveal(): string {
    return this.#value
  }

  toString(): string {
    return MASK
  }

  toJSON(): string {
    return MASK
  }
}

/** What a log line may show of a key: enough to tell two apart. */
export function hint(value: string): string {
  return `${value.slice(0, 4)}****`
}
