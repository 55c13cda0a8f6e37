import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { atMost, type BenchLine } from './bench-line'

const LIMIT_MIB = 24

/** The peak of a process that reads a file of 47 MB with 50,000 URLs, above what it had before. */
export async function benchMemory(): Promise<BenchLine[]> {
  const child = fork(fileURLToPath(new URL('./memory-process.ts', import.meta.url)))
  const [mib] = (await once(child, 'message')) as [number]
  child.disconnect()
  return [atMost('memory above the start, 47 MB file with 50,000 known URLs, MiB', mib, LIMIT_MIB)]
}
