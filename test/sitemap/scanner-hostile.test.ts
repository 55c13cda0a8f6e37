import { describe, expect, it } from 'vitest'
import { ORIGIN, openScanner } from '../support/scan'

const encoder = new TextEncoder()
const MEGABYTE = 1_048_576
const SIZE = 8 * MEGABYTE
const CHUNK = 1_024

const START = `<urlset><url><loc>${ORIGIN}/1</loc></url>`

/**
 * What comes after one good entry, over and over up to 8 MiB. Looking again at what came before would take minutes, far more
 * than a test may.
 */
const SHAPES: readonly (readonly [name: string, head: string, repeated: string, code: string])[] = [
  ['an unterminated comment', '<!--', 'x', 'truncated'],
  ['a comment of dashes', '<!-- ', '- --', 'truncated'],
  ['less-than signs', '', '<', 'malformed'],
  ['opening tags', '', '<a>', 'truncated'],
  ['opening tags with attributes', '', '<a b="c">', 'truncated'],
  ['empty elements', '', '<a/>', 'truncated'],
  ['ampersands in a loc', '<url><loc>', '&', 'truncated'],
  ['references in a loc', '<url><loc>', '&amp;', 'truncated'],
  ['a reference without end', '<url><loc>&', 'a', 'truncated'],
  ['a number without end', '<url><loc>&#', '0', 'truncated'],
  ['a giant loc', '<url><loc>', 'x', 'truncated'],
  ['a giant loc in pieces', '<url><loc>', 'x<!---->', 'truncated'],
  ['a loc of blanks', '<url><loc>', ' ', 'truncated'],
  ['a giant lastmod', '<url><lastmod>', '1', 'truncated'],
  ['CDATA without end', '<url><loc><![CDATA[', 'x', 'truncated'],
  ['CDATA of brackets', '<url><loc><![CDATA[', ']', 'truncated'],
  ['many CDATA sections', '<url><loc>', '<![CDATA[x]]>', 'truncated'],
  ['a giant name', '<', 'a', 'truncated'],
  ['a giant end tag', '</', 'a', 'truncated'],
  ['a giant attribute', '<a b="', 'c', 'truncated'],
  ['many attributes', '<a ', 'b="c" ', 'truncated'],
  ['slashes in a tag', '<a ', '/', 'truncated'],
  ['an instruction of question marks', '<?a ', '?', 'truncated'],
  ['blank text', '', ' ', 'truncated'],
  ['entries without loc', '', '<url></url>', 'truncated'],
  ['images', '<url>', '<image:loc>x</image:loc>', 'truncated'],
]

function scanHostile(text: string) {
  const bytes = encoder.encode(text)
  const scanner = openScanner()
  const found: string[] = []
  for (let at = 0; at < bytes.length; at += CHUNK) {
    for (const rows of scanner.write(bytes.subarray(at, at + CHUNK)))
      found.push(...rows.map(({ loc }) => loc))
  }
  return { report: scanner.end(), found }
}

describe('8 MiB in pieces of 1 KiB', () => {
  it.each(
    SHAPES,
  )('of %s: the good entry is kept and nothing is looked at twice', (_, head, repeated, code) => {
    const text = `${START}${head}${repeated.repeat(Math.ceil(SIZE / repeated.length))}`
    const { report, found } = scanHostile(text)
    expect(found).toEqual([`${ORIGIN}/1`])
    expect(report.problem?.code).toBe(code)
  })

  it.each([
    ['a DOCTYPE without end', '<!DOCTYPE a [', '<!ENTITY b "c">'],
    ['a DOCTYPE with a comment without end', '<!DOCTYPE a [<!--', '- '],
    ['white space', '', '\n'],
    ['comments', '', '<!-- -->'],
  ])('of %s before the root', (_, head, repeated) => {
    const { report, found } = scanHostile(`${head}${repeated.repeat(SIZE / repeated.length)}`)
    expect(found).toEqual([])
    expect(report.root).toBeNull()
  })
})
