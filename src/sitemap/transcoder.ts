/** The XML declaration ends within this many bytes or names no encoding. */
const DECLARATION_BYTES = 256

type Decoder = InstanceType<typeof TextDecoder>

const encoder = new TextEncoder()

/** A document's bytes in UTF-8, whatever encoding it comes in. What is UTF-8 already passes through untouched. */
export class Transcoder {
  #held = new Uint8Array(0)
  #decoder: Decoder | 'utf-8' | null = null

  write(chunk: Uint8Array): Uint8Array {
    if (this.#decoder === 'utf-8') return chunk
    if (this.#decoder !== null) return encoder.encode(this.#decoder.decode(chunk, { stream: true }))
    const head = this.#held.length === 0 ? chunk : joined(this.#held, chunk)
    if (head.length < DECLARATION_BYTES && !endsDeclaration(head)) {
      this.#held = head.slice()
      return new Uint8Array(0)
    }
    return this.#start(head)
  }

  /** What was still held back. */
  end(): Uint8Array {
    if (this.#decoder === null) return this.#start(this.#held)
    return this.#decoder === 'utf-8' ? new Uint8Array(0) : encoder.encode(this.#decoder.decode())
  }

  #start(head: Uint8Array): Uint8Array {
    this.#held = new Uint8Array(0)
    this.#decoder = decoderFor(encodingOf(head))
    return this.write(head)
  }
}

function endsDeclaration(head: Uint8Array): boolean {
  return head.indexOf(0x3e) >= 4
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const both = new Uint8Array(first.length + second.length)
  both.set(first)
  both.set(second, first.length)
  return both
}

/** By the byte order mark, by where the zeros of the first `<` are, or by what the declaration says. */
function encodingOf(head: Uint8Array): string {
  const [first, second] = head
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0x3c && second === 0) return 'utf-16le'
  if (first === 0 && second === 0x3c) return 'utf-16be'
  const start = String.fromCharCode(...head.subarray(0, DECLARATION_BYTES))
  const declared = /^(?:\xef\xbb\xbf)?\s*<\?xml[^>]*?\sencoding\s*=\s*["']([\w.:-]+)["']/i.exec(start)?.[1]
  // A declaration that can be read byte by byte is not in UTF-16, whatever it says of itself.
  return declared === undefined || /^(?:utf|ucs|iso-10646|unicode)/i.test(declared) ? 'utf-8' : declared
}

function decoderFor(encoding: string): Decoder | 'utf-8' {
  try {
    const decoder = new TextDecoder(encoding)
    return decoder.encoding === 'utf-8' ? 'utf-8' : decoder
  } catch {
    // No such encoding: the ASCII in it is still readable.
    return 'utf-8'
  }
}
