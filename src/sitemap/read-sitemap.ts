import { bodyChunks } from './body-chunks'
import type { Row, Scanner } from './scanner'
import { Transcoder } from './transcoder'
import { isGzipError, unpack } from './unpack'

/** The protocol's own limit for one file, decompressed. */
export const MAX_SITEMAP_BYTES = 50 * 1024 * 1024

export interface SitemapTrouble {
  readonly code: string
  /** Goes on from the address of the file: "…: it is empty". */
  readonly detail: string
}

/** Reads one body through the scanner. Returns what was wrong, or null; whatever came before the trouble has been taken. */
export async function readSitemap(
  body: ReadableStream<Uint8Array> | null,
  scanner: Scanner,
  signal: AbortSignal,
  take: (rows: readonly Row[]) => Promise<void>,
): Promise<SitemapTrouble | null> {
  scanner.begin()
  const transcoder = new Transcoder()
  let bytes = 0
  try {
    for await (const chunk of body === null ? [] : unpack(bodyChunks(body))) {
      // Given up meanwhile: the scanner may be reading something else by now.
      signal.throwIfAborted()
      bytes += chunk.length
      if (bytes > MAX_SITEMAP_BYTES) {
        return { code: 'too_large', detail: `it is larger than ${MAX_SITEMAP_BYTES} bytes: split it` }
      }
      for (const rows of scanner.write(transcoder.write(chunk))) await take(rows)
      // Beyond this point there is nothing to find: the rest need not be fetched.
      if (scanner.report.problem !== null) break
    }
    for (const rows of scanner.write(transcoder.end())) await take(rows)
  } catch (error) {
    // Broken gzip is the file's own fault: asking again would bring the same bytes. Anything else is the network's.
    if (isGzipError(error)) return { code: 'malformed', detail: 'its gzip data is broken or cut off' }
    throw error
  }
  return scanner.end().problem
}
