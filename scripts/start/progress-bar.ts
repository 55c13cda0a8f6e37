const WIDTH = 30

/** Follows a run by the Worker's own log lines: how many submissions there are, and how many are done. */
export class ProgressBar {
  #total = 0
  #done = 0
  #shown = ''
  #ended = false
  readonly #live: boolean

  constructor(private readonly out: NodeJS.WriteStream) {
    this.#live = out.isTTY === true
  }

  readLine(line: string): void {
    const entry = this.#ended ? null : parse(line)
    if (entry === null) return
    if (entry.message === 'submitting' && typeof entry.submissions === 'number')
      this.#total += entry.submissions
    else if (entry.message === 'url') this.#done++
    else return
    this.#show()
  }

  /** Leaves the cursor on a line of its own. Runs that come later, by the API, are not followed. */
  end(): void {
    if (this.#ended) return
    this.#ended = true
    if (this.#live && this.#shown !== '') this.out.write('\n')
  }

  #show(): void {
    const share = this.#total === 0 ? 0 : Math.min(1, this.#done / this.#total)
    const filled = Math.round(share * WIDTH)
    const bar = '█'.repeat(filled) + '░'.repeat(WIDTH - filled)
    const text = `Submitting ${bar} ${this.#done}/${this.#total}`
    if (this.#live) {
      this.out.write(`\r${text}`)
    } else if (filled !== Number(this.#shown) || this.#done === this.#total) {
      // Not a terminal: one line per step of the bar, not one per URL.
      this.out.write(`${text}\n`)
      this.#shown = String(filled)
      return
    }
    if (this.#live) this.#shown = text
  }
}

function parse(line: string): Record<string, unknown> | null {
  if (!line.startsWith('{')) return null
  try {
    return JSON.parse(line) as Record<string, unknown>
  } catch {
    return null
  }
}
