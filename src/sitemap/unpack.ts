import { Readable } from 'node:stream'
import { createGunzip } from 'node:zlib'

const GZIP_MAGIC = [0x1f, 0x8b] as const
const CHUNK_BYTES = 256 * 1024

/** The bytes, gunzipped when their first two say so: names and headers lie. */
export async function* unpack(
  chunks: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  const { head, rest } = await peek(chunks, GZIP_MAGIC.length)
  if (head[0] !== GZIP_MAGIC[0] || head[1] !== GZIP_MAGIC[1]) {
    yield* rest
    return
  }
  // node:zlib, not DecompressionStream: real files come in several members, which the latter refuses.
  const source = Readable.from(copied(rest))
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  source.on('error', (error) => gunzip.destroy(error))
  for await (const chunk of source.pipe(gunzip)) yield chunk as Uint8Array
}

export function isGzipError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && String(error.code).startsWith('Z_')
}

/** At least so many of the first bytes, unless there are fewer, and the whole once more. */
async function peek(
  chunks: AsyncGenerator<Uint8Array, void, void>,
  bytes: number,
): Promise<{ head: Uint8Array; rest: AsyncGenerator<Uint8Array, void, void> }> {
  const first = await chunks.next()
  let head = first.done ? new Uint8Array(0) : first.value
  while (head.length < bytes) {
    head = head.slice()
    const part = await chunks.next()
    if (part.done) break
    const joined = new Uint8Array(head.length + part.value.length)
    joined.set(head)
    joined.set(part.value, head.length)
    head = joined
  }
  async function* rest() {
    if (head.length > 0) yield head
    yield* chunks
  }
  return { head, rest: rest() }
}

/** zlib reads ahead, so that a piece must outlive the next one. */
async function* copied(chunks: AsyncGenerator<Uint8Array, void, void>) {
  for await (const chunk of chunks) yield chunk.slice()
}
