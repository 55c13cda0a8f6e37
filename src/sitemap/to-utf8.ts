import { peek } from './unpack'

/** Enough for an XML declaration with everything it may say. */
const DECLARATION_BYTES = 256
const DECLARED = /^\s*<\?xml[^>]*?\sencoding\s*=\s*["']([A-Za-z0-9._:-]{1,40})["']/

const WIDE = /^(?:utf-?16|utf-?32|ucs|iso-10646)/

/** The same document in UTF-8, whatever its byte order mark or its declaration names. UTF-8 passes as it is. */
export async function* toUtf8(
  chunks: AsyncGenerator<Uint8Array, void, void>,
): AsyncGenerator<Uint8Array, void, void> {
  const { head, rest } = await peek(chunks, DECLARATION_BYTES)
  const decoder = decoderFor(encodingOf(head))
  if (decoder === null) {
    yield* rest
    return
  }
  const encoder = new TextEncoder()
  for await (const chunk of rest) yield encoder.encode(decoder.decode(chunk, { stream: true }))
  yield encoder.encode(decoder.decode())
}

function encodingOf(head: Uint8Array): string {
  const [a, b, c, d] = head
  if (a === 0xff && b === 0xfe) return 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  // No mark, but `<` as two bytes: nothing else begins like that.
  if (a === 0x3c && b === 0 && c !== 0 && d === 0) return 'utf-16le'
  if (a === 0 && b === 0x3c && c === 0 && d !== 0) return 'utf-16be'
  const text = String.fromCharCode(...head.subarray(0, DECLARATION_BYTES))
  const declared = DECLARED.exec(text)?.[1]?.toLowerCase() ?? 'utf-8'
  // What could be read byte by byte is not in UTF-16, whatever was left standing in its declaration.
  return WIDE.test(declared) ? 'utf-8' : declared
}

/** Null where nothing is to be done: for UTF-8, and for a name nobody knows, which is a slip more often than not. */
function decoderFor(encoding: string): InstanceType<typeof TextDecoder> | null {
  try {
    const decoder = new TextDecoder(encoding)
    return decoder.encoding === 'utf-8' ? null : decoder
  } catch {
    return null
  }
}
