export interface BenchLine {
  readonly name: string
  readonly value: number
  readonly target: string
  readonly ok: boolean
}

export const atLeast = (name: string, value: number, limit: number): BenchLine => ({
  name,
  value: rounded(value),
  target: `≥ ${limit}`,
  ok: value >= limit,
})

export const atMost = (name: string, value: number, limit: number): BenchLine => ({
  name,
  value: rounded(value),
  target: `≤ ${limit}`,
  ok: value <= limit,
})

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

const rounded = (value: number) => Math.round(value * 100) / 100
