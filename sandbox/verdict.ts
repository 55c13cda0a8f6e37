import type { Answer } from './http-kit'

export interface Verdict {
  answer: Answer
  accepted: readonly string[]
}

export const acceptsNothing = (answer: Answer): Verdict => ({ answer, accepted: [] })
