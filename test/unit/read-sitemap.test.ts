import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX_SITEMAP_BYTES, readSitemap } from '../../src/sitemap/read-sitemap'

const LOCS = ['https://a.example/1', 'https://a.example/中', 'https://a.example/🚀?a=1&amp;b=2']
const XML = `<?xml version="1.0"?><urlset>${LOCS.map((loc) => `<url><loc>${loc}</loc></url>`).join('')}</urlset>`
const READ = LOCS.map((loc) => loc.replace('&amp;', '&'))
const BYTES = new TextEncoder().encode(XML)

/** A body that arrives in these pieces. */
function bodyOf(pieces: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  const rest = [...pieces]
  return new ReadableStream({
    pull(controller) {
      const piece = rest.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
}

const inPieces = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size))

async function read(pieces: readonly Uint8Array[] | null) {
  const locs: string[] = []
  const response = new Response(pieces === null ? null : bodyOf(pieces))
  const wrong = await readSitemap(response, { page: ({ loc }) => locs.push(loc), child: () => {} })
  return { locs, wrong }
}

describe('reading a body', () => {
  it.each([1, 2, 3, 7, 64, 10_000])('plain, in pieces of %d bytes', async (size) => {
    expect(await read(inPieces(BYTES, size))).toEqual({ locs: READ, wrong: null })
  })

  it.each([1, 2, 5, 10_000])('gzip, in pieces of %d bytes', async (size) => {
    expect(await read(inPieces(gzipSync(BYTES), size))).toEqual({ locs: READ, wrong: null })
  })

  it('gzip of two members', async () => {
    const half = Math.floor(BYTES.length / 2)
    const members = [gzipSync(BYTES.subarray(0, half)), gzipSync(BYTES.subarray(half))]
    expect(await read(members)).toEqual({ locs: READ, wrong: null })
    expect(await read(inPieces(Buffer.concat(members), 3))).toEqual({ locs: READ, wrong: null })
  })

  it('with a byte order mark, in one piece or in several', async () => {
    const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...BYTES])
    expect(await read([marked])).toEqual({ locs: READ, wrong: null })
    expect(await read(inPieces(marked, 1))).toEqual({ locs: READ, wrong: null })
    expect(await read([gzipSync(marked)])).toEqual({ locs: READ, wrong: null })
  })

  it('an empty one is told', async () => {
    expect(await read(null)).toEqual({ locs: [], wrong: 'it is empty' })
    expect(await read([])).toEqual({ locs: [], wrong: 'it is empty' })
    expect(await read([new Uint8Array(0), new Uint8Array([0x20])])).toEqual({
      locs: [],
      wrong: 'it is empty',
    })
  })

  it('D04 a truncated one keeps its whole entries', async () => {
    const { locs, wrong } = await read([BYTES.subarray(0, BYTES.length - 20)])
    expect(locs).toEqual(READ.slice(0, 2))
    expect(wrong).toContain('malformed')
  })

  it('D04 a broken or truncated gzip is the fault of the file, not of the network', async () => {
    const whole = new Uint8Array(gzipSync(BYTES))
    const broken = whole.slice()
    broken.fill(0xff, 12, 40)
    for (const bytes of [whole.subarray(0, whole.length - 12), broken, whole.subarray(0, 2)]) {
      expect((await read([bytes])).wrong).toContain('gzip')
    }
  })

  it('a connection that breaks is a matter of the network, plain or gzip', async () => {
    for (const bytes of [BYTES.subarray(0, 40), gzipSync(BYTES).subarray(0, 40)]) {
      let sent = false
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (sent) controller.error(new TypeError('reset by peer'))
          else controller.enqueue(bytes)
          sent = true
        },
      })
      const reading = readSitemap(new Response(body), { page: () => {}, child: () => {} })
      await expect(reading).rejects.toThrow('reset by peer')
    }
  })

  it('D04 stops at 50 MB, unpacked, and keeps what came before', async () => {
    const filler = new Uint8Array(MAX_SITEMAP_BYTES).fill(0x20)
    const { locs, wrong } = await read([
      gzipSync(Buffer.concat([BYTES.subarray(0, -9), filler]), { level: 1 }),
    ])
    expect(locs).toEqual(READ)
    expect(wrong).toContain('larger than')
  })
})
