// Reads a long sitemap as a run does, from a stream that makes it as it goes, and says how much memory that took.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { fingerprinter } from '../src/marks/fingerprint'
import { MarkTable } from '../src/marks/mark-table'
import type { ScannerModule } from '../src/ports'
import { readSitemap } from '../src/sitemap/read-sitemap'
import { Scanner } from '../src/sitemap/scanner'

declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => ScannerModule }

const URLS = 50_000
const FILLER = `<!--${'x'.repeat(860)}-->`
const LIFE = { today: 20_500, ttlDays: 30 }
const ORIGIN = 'https://www.example.com'
const loc = (n: number) => `${ORIGIN}/page-${n}`

interface Controller {
  readonly byobRequest: { respond(bytes: number): void } | null
  enqueue(chunk: Uint8Array): void
  close(): void
}

function body(urls: number): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let next = 0
  const source = {
    type: 'bytes',
    pull(controller: Controller) {
      let text = next === 0 ? '<urlset>' : ''
      for (let left = 100; left > 0 && next < urls; left--)
        text += `<url><loc>${loc(next++)}</loc>${FILLER}</url>`
      if (text !== '') return controller.enqueue(encoder.encode(next < urls ? text : `${text}</urlset>`))
      controller.close()
      controller.byobRequest?.respond(0)
    },
  }
  return new ReadableStream(source as never)
}

async function read(urls: number, table: MarkTable): Promise<number> {
  const channel = { id: 'x', recent: table.bytes, buckets: [], bits: [1], ...LIFE }
  const scanner = new Scanner(module, { siteId: 'a.example', origin: ORIGIN, channels: [channel] })
  await readSitemap(body(urls), scanner, new AbortController().signal, async () => {})
  return scanner.report.known
}

const module = new WebAssembly.Module(
  readFileSync(fileURLToPath(new URL('../src/generated/scanner.wasm', import.meta.url))),
)
const table = MarkTable.empty()
const fingerprint = fingerprinter('a.example')
for (let n = 0; n < URLS; n++) table.accept(fingerprint(loc(n)), null, 1, LIFE)
await read(100, MarkTable.empty())
const before = process.memoryUsage().rss
let peak = before
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage().rss)
}, 5)
const known = await read(URLS, table)
clearInterval(timer)
peak = Math.max(peak, process.memoryUsage().rss)
if (known !== URLS) throw new Error(`only ${known} URLs were known`)
process.send?.((peak - before) / 2 ** 20)
