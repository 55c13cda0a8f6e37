import { describe, expect, it } from 'vitest'
import { Transcoder } from '../../src/sitemap/transcoder'
import { cut } from '../support/scan'

const utf8 = (text: string) => new TextEncoder().encode(text)
const bytes = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0))

function utf16(text: string, littleEndian: boolean): Uint8Array {
  const view = new DataView(new ArrayBuffer(text.length * 2))
  for (let at = 0; at < text.length; at++) view.setUint16(at * 2, text.charCodeAt(at), littleEndian)
  return new Uint8Array(view.buffer)
}

function transcode(...pieces: readonly Uint8Array[]): string {
  const transcoder = new Transcoder()
  const parts = [...pieces.map((piece) => transcoder.write(piece)), transcoder.end()]
  return new TextDecoder().decode(Uint8Array.from(parts.flatMap((part) => [...part])))
}

const TEXT =
  '<?xml version="1.0" encoding="UTF-16"?><urlset><url><loc>https://a.example/é🚀中</loc></url></urlset>'

describe('the transcoder', () => {
  it.each([
    ['UTF-16, little end first, with a byte order mark', utf16(`\ufeff${TEXT}`, true)],
    ['UTF-16, big end first, with a byte order mark', utf16(`\ufeff${TEXT}`, false)],
    ['UTF-16, little end first, without', utf16(TEXT, true)],
    ['UTF-16, big end first, without', utf16(TEXT, false)],
    ['UTF-8 that calls itself UTF-16', utf8(TEXT)],
  ])('reads %s, in any two pieces', (_, document) => {
    expect(transcode(document)).toBe(TEXT)
    for (let at = 1; at < document.length; at++) expect(transcode(...cut(document, [at]))).toBe(TEXT)
    expect(transcode(...cut(document, [...document.keys()]))).toBe(TEXT)
  })

  it.each([
    ['ISO-8859-1', '\xe9', 'é'],
    ['windows-1251', '\xe9', 'й'],
    ['Shift_JIS', '\x93\xfa', '日'],
    ['us-ascii', 'e', 'e'],
  ])('reads what is declared as %s', (encoding, written, meant) => {
    const start = `<?xml version="1.0" encoding='${encoding}' ?><a>`
    expect(transcode(bytes(`${start}${written}`))).toBe(`${start}${meant}`)
  })

  it.each(['UTF-8', 'utf8', 'no-such-thing'])('leaves what is declared as %s alone', (encoding) => {
    const document = utf8(`<?xml version="1.0" encoding="${encoding}"?><a>é</a>`)
    expect(new Transcoder().write(document)).toBe(document)
  })

  it('hands on the very bytes of UTF-8, and holds back no more than a declaration', () => {
    const transcoder = new Transcoder()
    const chunk = utf8(`<urlset>${' '.repeat(500)}`)
    expect(transcoder.write(chunk)).toBe(chunk)
    const next = utf8('<url>')
    expect(transcoder.write(next)).toBe(next)
    expect(transcoder.end()).toHaveLength(0)
  })

  it.each(['', '<', '<a', '\ufeff'])('"%s" comes out at the end', (text) => {
    expect(transcode(utf8(text))).toBe(text.replace('\ufeff', ''))
  })
})
