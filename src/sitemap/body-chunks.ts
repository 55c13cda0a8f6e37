/** The runtime's own chunks have 4 KiB, and handing them over one by one costs more than everything done with them. */
const CHUNK_BYTES = 256 * 1024

interface ByobReader {
  read(view: Uint8Array, options: { min: number }): Promise<{ done: boolean; value?: Uint8Array }>
  cancel(): Promise<void>
}

/** A body in large pieces. A piece is overwritten by the next one: whoever keeps it copies it. */
export async function* bodyChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = byobReaderOf(body)
  if (reader === null) {
    yield* plainChunks(body)
    return
  }
  try {
    let buffer = new ArrayBuffer(CHUNK_BYTES)
    for (;;) {
      // A runtime that does not know `min` hands out what it has.
      const { done, value } = await reader.read(new Uint8Array(buffer), { min: CHUNK_BYTES })
      if (value !== undefined && value.byteLength > 0) yield value
      if (done || value === undefined) return
      buffer = value.buffer as ArrayBuffer
    }
  } finally {
    await reader.cancel()
  }
}

/** Null for a stream that cannot fill a buffer of ours, as those are that come from elsewhere than the network. */
function byobReaderOf(body: ReadableStream<Uint8Array>): ByobReader | null {
  try {
    return body.getReader({ mode: 'byob' }) as unknown as ByobReader
  } catch {
    return null
  }
}

async function* plainChunks(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  const reader = body.getReader()
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value
  } finally {
    await reader.cancel()
  }
}
