import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'
import { Scanner, type SitemapSink } from './saxes-scanner'

/** The protocol's own limit for one file, decompressed. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

const GZIP_MAGIC = [0x1f, 0x8b] as const

/** Reads one body into the sink. Returns what was wrong, or null; whatever came before the trouble has been handed out. */
export async function readSitemap(response: Response, sink: SitemapSink): Promise<string | null> {
  if (response.body === null) return 'it is empty'
  const scanner = new Scanner(sink)
  const decoder = new TextDecoder()
  let bytes = 0
  try {
    for await (const chunk of unpacked(response.body)) {
      bytes += chunk.length
      if (bytes > MAX_SITEMAP_BYTES) return `it is larger than ${MAX_SITEMAP_BYTES} bytes`
      scanner.write(decoder.decode(chunk, { stream: true }))
      if (scanner.error !== null) return scanner.error
    }
  } catch (error) {
    // Broken gzip is the file's own fault: asking again would bring the same bytes. Anything else is the network's.
    if (isZlibError(error)) return 'its gzip data is broken or cut off'
    throw error
  }
  scanner.write(decoder.decode())
  scanner.end()
  return scanner.error
}

function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** The body's bytes, gunzipped when its first two say so: names and headers lie. */
async function* unpacked(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = chunksOf(body)
  const head = await firstBytes(chunks)
  const whole = prepend(head, chunks)
  if (head[0] !== GZIP_MAGIC[0] || head[1] !== GZIP_MAGIC[1]) {
    yield* whole
    return
  }
  // node:zlib, not DecompressionStream: real files come in several members, which the latter refuses.
  const source = Readable.from(whole)
  const gunzip = createGunzip()
  source.on('error', (error) => gunzip.destroy(error))
  for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array
}

async function* chunksOf(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel()
  }
}

async function firstBytes(chunks: AsyncGenerator<Uint8Array, void, void>): Promise<Uint8Array> {
  let head = new Uint8Array(0)
  while (head.length < GZIP_MAGIC.length) {
    const part = await chunks.next()
    if (part.done) return head
    const joined = new Uint8Array(head.length + part.value.length)
    joined.set(head)
    joined.set(part.value, head.length)
    head = joined
  }
  return head
}

async function* prepend(head: Uint8Array, rest: AsyncGenerator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (head.length > 0) yield head
  yield* rest
}
