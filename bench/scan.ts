import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atLeast, atMost, type BenchLine, median } from './bench-line'
import { EXTRACTORS } from './extractors'

const URLS = 10_000
const PASSES = 5
const ROUNDS = 9

/** Scan and look-up of known URLs against peers: one process each, interleaved, the median of the ratios per round. */
export async function benchScan(): Promise<BenchLine[]> {
  const times = await measure(Object.keys(EXTRACTORS).map((name) => ({ name, urls: URLS })))
  const [ours = [], large = []] = await measure([
    { name: 'scanner', urls: URLS },
    { name: 'scanner', urls: URLS * 5 },
  ])
  const against = (peer: string) => times[Object.keys(EXTRACTORS).indexOf(peer)] ?? []
  const faster = (peer: string) => ratio(against(peer), against('scanner'))
  return [
    atLeast('scan + look up, times the speed of saxes', faster('saxes'), 8),
    atLeast('scan + look up, times the speed of fast-xml-parser', faster('fast-xml-parser'), 40),
    atLeast('scan + look up, times the speed of sitemapper', faster('sitemapper'), 50),
    atMost('scan + look up, times the time of a bare sweep for <', 1 / faster('sweep'), 1.5),
    atMost('scan + look up, growth from 10,000 to 50,000 URLs', ratio(large, ours), 5.5),
  ]
}

/** Milliseconds per round, for each of these in a process of its own, in turns. */
async function measure(subjects: readonly { name: string; urls: number }[]): Promise<number[][]> {
  const path = fileURLToPath(new URL('./scan-process.ts', import.meta.url))
  const children: ChildProcess[] = []
  for (const { name, urls } of subjects) {
    const child = fork(path, [name, String(urls), String(PASSES)])
    await once(child, 'message')
    children.push(child)
  }
  const times: number[][] = subjects.map(() => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, child] of children.entries()) {
      child.send('run')
      const [ms] = (await once(child, 'message')) as [number]
      times[index]?.push(ms)
    }
  }
  for (const child of children) child.disconnect()
  return times
}

function ratio(over: readonly number[], under: readonly number[]): number {
  return median(over.map((ms, round) => ms / (under[round] ?? Number.NaN)))
}
