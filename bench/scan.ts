// Scan and look-up of 10,000 known URLs against peers: one process each, interleaved, the median of per-round ratios.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { EXTRACTORS } from './extractors'

const URLS = 10_000
const PASSES = 5
const ROUNDS = 9

export interface BenchLine {
  readonly name: string
  readonly value: number
  readonly target: string
  readonly ok: boolean
}

/** Ours against a peer's time; a floor is how many times faster, a ceiling how many times slower we may be. */
const TARGETS = [
  { peer: 'saxes', times: 8, kind: 'floor' },
  { peer: 'fast-xml-parser', times: 40, kind: 'floor' },
  { peer: 'sitemapper', times: 50, kind: 'floor' },
  { peer: 'sweep', times: 1.5, kind: 'ceiling' },
] as const

/** Milliseconds per round and implementation. */
async function measure(): Promise<Record<string, number[]>> {
  const path = fileURLToPath(new URL('./scan-process.ts', import.meta.url))
  const children: Record<string, ChildProcess> = {}
  const times: Record<string, number[]> = {}
  for (const name of Object.keys(EXTRACTORS)) {
    const child = fork(path, [name, String(URLS), String(PASSES)])
    await once(child, 'message')
    children[name] = child
    times[name] = []
  }
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, child] of Object.entries(children)) {
      child.send('run')
      const [ms] = (await once(child, 'message')) as [number]
      times[name]?.push(ms)
    }
  }
  for (const child of Object.values(children)) child.disconnect()
  return times
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN
}

function judge(times: Record<string, number[]>): BenchLine[] {
  const ours = times.scanner ?? []
  return TARGETS.map(({ peer, times: limit, kind }) => {
    const ratios = ours.map((ms, round) => {
      const theirs = times[peer]?.[round] ?? Number.NaN
      return kind === 'floor' ? theirs / ms : ms / theirs
    })
    const value = Math.round(median(ratios) * 100) / 100
    return kind === 'floor'
      ? { name: `scan + look up, times faster than ${peer}`, value, target: `≥ ${limit}`, ok: value >= limit }
      : { name: `scan + look up, times the ${peer}`, value, target: `≤ ${limit}`, ok: value <= limit }
  })
}

const times = await measure()
if (process.argv.includes('--json')) {
  console.log(JSON.stringify(judge(times)))
} else {
  for (const [name, ms] of Object.entries(times)) console.log(`${name}: ${median(ms).toFixed(2)} ms`)
  for (const { name, value, target, ok } of judge(times)) {
    console.log(`${ok ? 'ok  ' : 'MISS'} ${name}: ${value} (target ${target})`)
  }
}
