/** The runtime's own chunks have 4 KiB, and handing them over one by one costs more than everything done with them. */
const CHUNK_BYTES = 256 * 1024

/** The reader of a runtime that fills whole buffers by itself. */
interface FillingReader {
  readAtLeast(bytes: number, view: Uint8Array): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<void>
}

/** A body in large pieces. A piece is overwritten by the next one: whoever keeps it copies it. */
export async function* bodyChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = fillingReaderOf(body)
  if (reader === null) {
    yield* plainChunks(body)
    return
  }
  try {
    let buffer = new ArrayBuffer(CHUNK_BYTES)
    for (;;) {
      const { done, value } = await reader.readAtLeast(CHUNK_BYTES, new Uint8Array(buffer))
      if (value !== undefined && value.byteLength > 0) yield value
      if (done || value === undefined) return
      buffer = value.buffer as ArrayBuffer
    }
  } finally {
    await reader.cancel()
  }
}

/**
 * Null for a stream that cannot fill a buffer of ours. `read(view, { min })` would be the standard's way, but by the standard
 * it throws the rest of a body away when less than `min` of it is left: so Node does.
 */
function fillingReaderOf(body: ReadableStream<Uint8Array>): FillingReader | null {
  try {
    const reader = body.getReader({ mode: 'byob' })
    if ('readAtLeast' in reader) return reader as unknown as FillingReader
    reader.releaseLock()
  } catch {
    // No byte stream: it comes from elsewhere than the network.
  }
  return null
}

async function* plainChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel()
  }
}
