import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MarkTable } from '../src/marks/mark-table'
import type { ScannerModule } from '../src/ports'
import { Scanner } from '../src/sitemap/scanner'
import { atMost, type BenchLine, median } from './bench-line'

declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => ScannerModule }

const MIB = 2 ** 20
const ROUNDS = 7
const HEAD = '<urlset><url><loc>'

/** Each makes a document of about this many bytes. */
const SHAPES: Readonly<Record<string, (bytes: number) => string>> = {
  'an unterminated comment': (bytes) => `<urlset><!--${' -'.repeat(bytes / 2)}`,
  'a run of <': (bytes) => `<urlset>${'<'.repeat(bytes)}`,
  'a run of &': (bytes) => HEAD + '&'.repeat(bytes),
  'a giant loc': (bytes) => HEAD + 'x'.repeat(bytes),
}

/** Twice the document must not take much more than twice the time. */
export function benchHostile(): BenchLine[] {
  const path = fileURLToPath(new URL('../src/generated/scanner.wasm', import.meta.url))
  const module = new WebAssembly.Module(readFileSync(path))
  return Object.entries(SHAPES).map(([name, shape]) => {
    const [small, large] = [shape(4 * MIB), shape(8 * MIB)].map((text) => new TextEncoder().encode(text))
    const ratios = Array.from({ length: ROUNDS }, () => timeOf(module, large) / timeOf(module, small))
    return atMost(`hostile input, 4 MB to 8 MB: ${name}`, median(ratios), 2.5)
  })
}

function timeOf(module: ScannerModule, document: Uint8Array = new Uint8Array(0)): number {
  const channel = {
    id: 'x',
    recent: MarkTable.empty().bytes,
    buckets: [],
    bits: [1],
    today: 20_500,
    ttlDays: 30,
  }
  const scanner = new Scanner(module, {
    siteId: 'a.example',
    origin: 'https://a.example',
    channels: [channel],
  })
  const started = performance.now()
  let rows = 0
  for (let at = 0; at < document.length; at += 262_144) {
    for (const some of scanner.write(document.subarray(at, at + 262_144))) rows += some.length
  }
  scanner.end()
  if (rows > 1) throw new Error(`${rows} rows out of a document that has none`)
  return performance.now() - started
}
