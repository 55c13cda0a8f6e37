// `npm run bench`: every figure with its target and verdict; `--json` for machines.
import type { BenchLine } from './bench-line'
import { benchHostile } from './hostile'
import { benchMemory } from './memory'
import { benchScan } from './scan'
import { benchWholeRuns } from './workerd/whole-runs'

const asJson = process.argv.includes('--json')
const lines: BenchLine[] = []
for (const bench of [benchScan, benchHostile, benchMemory, benchWholeRuns]) {
  for (const line of await bench()) {
    lines.push(line)
    if (asJson) continue
    const { name, value, target, ok } = line
    console.log(`${ok ? 'ok  ' : 'MISS'}  ${name.padEnd(90)} ${String(value).padStart(8)}   target ${target}`)
  }
}
if (asJson) console.log(JSON.stringify(lines, null, 2))
