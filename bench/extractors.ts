import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { XMLParser } from 'fast-xml-parser'
import { SaxesParser } from 'saxes'
import Sitemapper from 'sitemapper'
import { fingerprinter } from '../src/marks/fingerprint'
import { MarkTable } from '../src/marks/mark-table'
import type { ScannerModule } from '../src/ports'
import { type ScanChannel, Scanner } from '../src/sitemap/scanner'
import { BENCH_ORIGIN, sampleLastmod, sampleUrl } from './sample-sitemap'

declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => ScannerModule }

/** Goes once over a document and returns how many URLs it found. */
export type Extractor = (document: Uint8Array) => number | Promise<number>

const CHUNK_BYTES = 262_144
const SITE_ID = 'www.example.com'
const LIFE = { today: 20_500, ttlDays: 30 }

/** Made before the clock runs; `urls` is how many the marks know. */
export const EXTRACTORS: Readonly<Record<string, (urls: number) => Extractor | Promise<Extractor>>> = {
  /** The limit: the engine's own search for `<`, and nothing else. */
  sweep: () => (document) => {
    let found = 0
    for (let at = document.indexOf(60); at >= 0; at = document.indexOf(60, at + 1)) found++
    // Ten tags per URL, two for the root, one for the declaration.
    return Math.round((found - 3) / 10)
  },
  /** Scan, fingerprint, parse lastmod and look up in two tables that know everything. */
  scanner: (urls) => {
    const module = new WebAssembly.Module(
      readFileSync(fileURLToPath(new URL('../src/generated/scanner.wasm', import.meta.url))),
    )
    const channels = ['indexnow', 'bing'].map((id) => fullChannel(id, urls))
    return (document) => {
      const scanner = new Scanner(module, { siteId: SITE_ID, origin: BENCH_ORIGIN, channels })
      let pending = 0
      for (let at = 0; at < document.length; at += CHUNK_BYTES) {
        for (const rows of scanner.write(document.subarray(at, at + CHUNK_BYTES))) pending += rows.length
      }
      const { known } = scanner.end()
      return pending === 0 ? known : -1
    }
  },
  saxes: () => (document) => {
    const parser = new SaxesParser()
    const entries: { loc: string; lastmod: string }[] = []
    let text = ''
    let loc = ''
    let lastmod = ''
    parser.on('opentag', () => {
      text = ''
    })
    parser.on('text', (some) => {
      text += some
    })
    parser.on('closetag', ({ name }) => {
      if (name === 'loc') loc = text
      else if (name === 'lastmod') lastmod = text
      else if (name === 'url') entries.push({ loc, lastmod })
    })
    const decoder = new TextDecoder()
    for (let at = 0; at < document.length; at += CHUNK_BYTES) {
      parser.write(decoder.decode(document.subarray(at, at + CHUNK_BYTES), { stream: true }))
    }
    parser.close()
    return entries.length
  },
  'fast-xml-parser': () => (document) => {
    const parser = new XMLParser()
    const parsed = parser.parse(new TextDecoder().decode(document)) as { urlset: { url: { loc: string }[] } }
    return parsed.urlset.url.length
  },
  /** It parses only what it fetched itself, so the document comes from a server on loopback in the same process. */
  sitemapper: async () => {
    let body = new Uint8Array(0)
    const server = createServer((_, response) => response.end(body))
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
    server.unref()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sitemap.xml`
    return async (document) => {
      body = document as Uint8Array<ArrayBuffer>
      const { sites } = await new Sitemapper({ url, fields: { loc: true, lastmod: true } }).fetch()
      return sites.length
    }
  },
}

/** A table in which both of a channel's endpoints have accepted every URL of the sample. */
function fullChannel(id: string, urls: number): ScanChannel {
  const table = MarkTable.empty()
  const endpoints = [11n, 22n]
  const bits = endpoints.map((endpoint) => table.bitOf(endpoint, endpoints))
  const fingerprint = fingerprinter(SITE_ID)
  for (let index = 0; index < urls; index++) {
    const url = fingerprint(sampleUrl(index))
    for (const bit of bits) table.accept(url, sampleLastmod(index), bit, LIFE)
  }
  return { id, recent: table.bytes, buckets: [], bits, ...LIFE }
}
