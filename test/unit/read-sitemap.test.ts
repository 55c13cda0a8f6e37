import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { MAX_SITEMAP_BYTES, readSitemap } from '../../src/sitemap/read-sitemap'
import { openScanner } from '../support/scan'

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

async function readBody(body: ReadableStream<Uint8Array> | null) {
  const locs: string[] = []
  const trouble = await readSitemap(body, openScanner(), new AbortController().signal, async (rows) => {
    locs.push(...rows.map(({ loc }) => loc))
  })
  return { locs, wrong: trouble?.detail ?? null }
}

const read = (pieces: readonly Uint8Array[] | null) => readBody(pieces === null ? null : bodyOf(pieces))

describe('reading a body', () => {
  it.each([1, 2, 3, 7, 64, 10_000])('plain, in pieces of %d bytes', async (size) => {
    expect(await read(inPieces(BYTES, size))).toEqual({ locs: READ, wrong: null })
  })

  it.each([1, 2, 5, 10_000])('gzip, in pieces of %d bytes', async (size) => {
    expect(await read(inPieces(gzipSync(BYTES), size))).toEqual({ locs: READ, wrong: null })
  })

  it('larger than any buffer, all of it there at once', async () => {
    const padded = XML.replace('<urlset>', `<urlset>${' '.repeat(600_000)}`)
    expect(await readBody(new Response(padded).body)).toEqual({ locs: READ, wrong: null })
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
      wrong: 'it is empty: there is no element in it',
    })
  })

  it('D04 a truncated one keeps its whole entries', async () => {
    const { locs, wrong } = await read([BYTES.subarray(0, BYTES.length - 20)])
    expect(locs).toEqual(READ.slice(0, 2))
    expect(wrong).toContain('cut off')
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
      await expect(readBody(body)).rejects.toThrow('reset by peer')
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

  it('a 1 GB gzip bomb ends early', async () => {
    const megabyte = new Uint8Array(2 ** 20).fill(0x20)
    const member = gzipSync(megabyte, { level: 9 })
    let sent = 0
    const bomb = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (sent++ === 1024) controller.close()
        else controller.enqueue(new Uint8Array(member))
      },
    })
    const { wrong } = await readBody(bomb)
    expect(wrong).toContain('larger than')
    // A little is read ahead; far from all of it.
    expect(sent).toBeLessThan(120)
  })

  it('gzip padded with zeros', async () => {
    expect(await read([Buffer.concat([gzipSync(BYTES), Buffer.alloc(512)])])).toEqual({
      locs: READ,
      wrong: null,
    })
  })

  it.each([
    ['UTF-16 LE', Buffer.from(`\ufeff${XML}`, 'utf16le')],
    ['UTF-16 BE', Buffer.from(`\ufeff${XML}`, 'utf16le').swap16()],
    ['UTF-16 LE without a mark', Buffer.from(XML, 'utf16le')],
  ])('%s, in any pieces', async (_, bytes) => {
    for (const size of [1, 3, 64, 10_000]) {
      expect(await read(inPieces(new Uint8Array(bytes), size))).toEqual({ locs: READ, wrong: null })
    }
  })

  it('the encoding that the declaration names, unless it cannot be true', async () => {
    const said = (name: string) =>
      `<?xml version="1.0" encoding="${name}"?><urlset><url><loc>https://a.example/café</loc></url></urlset>`
    const locs = ['https://a.example/café']
    const latin = said('ISO-8859-1')
    expect(await read([new Uint8Array(Buffer.from(latin, 'latin1'))])).toEqual({ locs, wrong: null })
    for (const name of ['utf-8', 'UTF-16', 'x-nobody-knows']) {
      expect(await read([new TextEncoder().encode(said(name))])).toEqual({ locs, wrong: null })
    }
  })
})
