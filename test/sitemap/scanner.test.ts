import { describe, expect, it } from 'vitest'
import { fingerprinter } from '../../src/marks/fingerprint'
import { MarkTable } from '../../src/marks/mark-table'
import { parseLastmod } from '../../src/sitemap/lastmod'
import { ORIGIN, openScanner, scan, scanPieces, TODAY, TTL } from '../support/scan'

const NS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
const urlset = (inside: string) => `<?xml version="1.0" encoding="UTF-8"?>\n<urlset ${NS}>${inside}</urlset>`
const page = (loc: string, rest = '') => `<url><loc>${loc}</loc>${rest}</url>`
const dated = (lastmod: string) => page(`${ORIGIN}/1`, `<lastmod>${lastmod}</lastmod>`)
const ONE = page(`${ORIGIN}/1`)
const TWO = page(`${ORIGIN}/2`)
const FOUND_ONE = { problem: null, locs: [`${ORIGIN}/1`] }

/** Everything String.trim calls white space. */
const BLANKS =
  '\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff'

describe('documents as they are met', () => {
  it.each([
    ['5 UTF-8 byte order mark', `\ufeff${urlset(ONE)}`],
    ['6 blank lines before the declaration', `\n \r\n\t${urlset(ONE)}`],
    ['6 blank lines after a byte order mark', `\ufeff\n${urlset(ONE)}`],
    ['7 no declaration', `<urlset ${NS}>${ONE}</urlset>`],
    ['8 no namespace', `<urlset>${ONE}</urlset>`],
    ['8 a wrong namespace', `<urlset xmlns="https://google.example/0.84">${ONE}</urlset>`],
    [
      '9 prefixed elements',
      `<sm:urlset xmlns:sm="x"><sm:url><sm:loc>${ORIGIN}/1</sm:loc></sm:url></sm:urlset>`,
    ],
    ['10 white space around loc', urlset(page(`\n\t  ${ORIGIN}/1 \r\n`))],
    ['11 CDATA', urlset(page(`<![CDATA[${ORIGIN}/1]]>`))],
    ['11 CDATA between white space', urlset(page(`\n<![CDATA[\n${ORIGIN}/1 ]]>\n`))],
    ['11 CDATA in part', urlset(page(`https://<![CDATA[a.example]]>/1`))],
    ['15 a DOCTYPE', `<!DOCTYPE urlset SYSTEM "sitemap.dtd">${urlset(ONE).slice(39)}`],
    [
      '15 a DOCTYPE with a subset',
      `<!DOCTYPE urlset [<!ENTITY a "]>"><!-- ' ]> --><?x ]> ?>]>${urlset(ONE).slice(39)}`,
    ],
    ['33 upper-case names', `<URLSET><URL><LOC>${ORIGIN}/1</LOC></URL></URLSET>`],
    ['33 names in mixed case that end in another', `<UrlSet><Url><Loc>${ORIGIN}/1</loc></url></urlset>`],
    ['37 comments', `<!-- a -->${urlset(`<!-- <url> -->${page(`${ORIGIN}<!-- - -->/1`)}<!---->`)}<!-- z -->`],
    ['37 instructions', urlset(`<?a b?>${page(`${ORIGIN}/<?c ?d?>1`)}`)],
    ['39 a single entry', urlset(ONE)],
    ['attributes with > in quotes', urlset(`<url a=">" b='/>'><loc c="--> ]]>">${ORIGIN}/1</loc></url>`)],
    ['white space in tags', urlset(`<url\n><loc\t >${ORIGIN}/1</loc\n></url >`)],
    ['elements nobody knows', urlset(`<x/><x a="b"/><y><url><loc>no</loc></url></y>${ONE}`)],
    ['a loc beyond the entry', urlset(`<loc>no</loc>${ONE}<url/>`)],
    ['an element within loc', urlset(page(`${ORIGIN}/<b>no</b>1`))],
    ['of two locs the first', urlset(`<url><loc>${ORIGIN}/1</loc><loc>${ORIGIN}/2</loc></url>`)],
    ['entities', urlset(page('&#104;&#x74;&#x74;ps://a.example/1'))],
    ['a name with more than 16 letters', urlset(`<averyveryverylongurl>${ONE}</averyveryverylongurl>${ONE}`)],
    ['nesting beyond 64 levels', urlset(`${'<a>'.repeat(500)}<b c=""/>${'</a>'.repeat(500)}${ONE}`)],
  ])('%s', (_, text) => {
    expect(scan(text)).toMatchObject(FOUND_ONE)
  })

  it.each(
    [...BLANKS].map((blank) => [`U+${blank.charCodeAt(0).toString(16).padStart(4, '0')}`, blank]),
  )('12 %s around values: loc is trimmed by admit at the latest, lastmod is read', (_, blank) => {
    const text = urlset(
      `<url><loc>${blank}${ORIGIN}/1${blank}</loc><lastmod>${blank}2025-01-15${blank}</lastmod></url>`,
    )
    const { rows } = scan(text)
    expect(rows.map(({ loc, lastmod }) => ({ loc: loc.trim(), lastmod }))).toEqual([
      { loc: `${ORIGIN}/1`, lastmod: Date.UTC(2025, 0, 15) / 1000 },
    ])
  })

  it('reads an index as children, never as pages', () => {
    const text = `<sitemapindex ${NS}><sitemap><loc>/s1.xml</loc><lastmod>2025</lastmod></sitemap><url><loc>no</loc></url></sitemapindex>`
    expect(scan(text)).toMatchObject({
      root: 'sitemapindex',
      problem: null,
      rows: [{ kind: 'child', loc: '/s1.xml', lastmod: Date.UTC(2025, 0) / 1000 }],
    })
  })

  it('18 an empty urlset is no problem', () => {
    expect(scan(urlset(''))).toMatchObject({ root: 'urlset', problem: null, entries: 0, rows: [] })
    expect(scan('<urlset/>')).toMatchObject({ root: 'urlset', problem: null, entries: 0, rows: [] })
  })
})

describe('what is left out is counted', () => {
  const extensions = `<image:image><image:loc>${ORIGIN}/i.png</image:loc></image:image><image:loc>${ORIGIN}/j.png</image:loc>
    <video:video><video:content_loc>${ORIGIN}/v</video:content_loc></video:video><news:news><loc>no</loc></news:news>
    <xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}/de"/><xhtml:link href="/fr"/><other:loc>no</other:loc>`

  it('35 images, videos, news and alternates are never pages', () => {
    expect(scan(urlset(`<url>${extensions}<loc>${ORIGIN}/1</loc></url>`))).toMatchObject({
      ...FOUND_ONE,
      leftOut: { image: 2, video: 1, news: 1, alternate: 2, foreign_loc: 1 },
    })
    expect(scan(urlset(`<url>${extensions}</url>`))).toMatchObject({ rows: [], leftOut: { no_loc: 1 } })
  })

  it.each([
    '<url></url>',
    '<url/>',
    '<url><lastmod>2025</lastmod></url>',
    '<url><loc/></url>',
    '<url><loc> \n</loc></url>',
  ])('36 an entry without loc: %s', (entry) => {
    expect(scan(urlset(entry + ONE))).toMatchObject({ ...FOUND_ONE, entries: 2, leftOut: { no_loc: 1 } })
  })

  it.each([
    `${ORIGIN}/${'x'.repeat(2_031)}`,
    `${ORIGIN}/${'x'.repeat(300_000)}`,
    `${ORIGIN}/${'é'.repeat(5_000)}`,
  ])('38 an over-long loc', (loc) => {
    expect(scan(urlset(page(loc) + ONE))).toMatchObject({ ...FOUND_ONE, leftOut: { too_long: 1 } })
  })

  it('38 one of exactly 2,048 characters stays', () => {
    const loc = `${ORIGIN}/${'x'.repeat(2_048 - ORIGIN.length - 1)}`
    expect(scan(urlset(page(loc)))).toMatchObject({ locs: [loc], leftOut: {} })
  })

  it('24 duplicates, also between documents of a crawl', () => {
    const scanner = openScanner()
    expect(scanPieces(scanner, [urlset(ONE + TWO + ONE)]).report).toMatchObject({ entries: 3, duplicates: 1 })
    expect(scanPieces(scanner, [urlset(ONE + ONE)])).toMatchObject({ rows: [], report: { duplicates: 2 } })
    expect(scanner.ask(`${ORIGIN}/2`, null)).toBe('duplicate')
    expect(scanner.ask(`${ORIGIN}/3`, null)).toMatchObject({ kind: 'pending', missing: { indexnow: 1 } })
    expect(scanner.report.duplicates).toBe(3)
  })

  it('15 what only a DOCTYPE could explain is never expanded', () => {
    const bomb = '<!DOCTYPE urlset [<!ENTITY a "x"><!ENTITY b "&a;&a;">]>'
    const entries = page(`${ORIGIN}/&b;`) + page('&x;') + ONE
    expect(scan(bomb + urlset(entries).slice(39))).toMatchObject({ ...FOUND_ONE, leftOut: { entity: 2 } })
  })

  it.each([
    '&#0;',
    '&#xd800;',
    '&#x110000;',
    '&#99999999999999;',
    '&#1;',
  ])('%s is no character', (reference) => {
    expect(scan(urlset(page(`${ORIGIN}/${reference}`) + ONE))).toMatchObject({
      ...FOUND_ONE,
      leftOut: { entity: 1 },
    })
  })

  it('an unknown entity in a lastmod costs the lastmod alone', () => {
    expect(scan(urlset(dated('2025&nbsp;')))).toMatchObject({ ...FOUND_ONE, lastmods: [null] })
  })
})

describe('references', () => {
  it.each([
    ['?a=1&amp;b=2', '?a=1&b=2', 0],
    ['?a=1&#38;b&#x3d;2', '?a=1&b=2', 0],
    ['&#000000000000000000000038;', '&', 0],
    ['&apos;&quot;&lt;&gt;', `'"<>`, 0],
    ['&#233;&#x4e2D;&#x1F680;', 'é中🚀', 0],
    ['?a=1&b=2&c', '?a=1&b=2&c', 2],
    ['?a=1&&amp;&', '?a=1&&&', 2],
    ['&;&#;&#x;&#xg;&#1a;& amp;', '&;&#;&#x;&#xg;&#1a;& amp;', 6],
    ['?copy&copy=1', '?copy&copy=1', 1],
    ['&amp<![CDATA[;]]>', '&amp;', 1],
    ['<![CDATA[&amp;]]>', '&amp;', 0],
    ['<![CDATA[]]]]><![CDATA[>]]>', ']]>', 0],
  ])('%s', (written, meant, bareAmpersands) => {
    const { rows, ...report } = scan(urlset(page(`${ORIGIN}/${written}`)))
    expect(rows.map(({ loc }) => loc)).toEqual([`${ORIGIN}/${meant}`])
    expect(report).toMatchObject({ problem: null, bareAmpersands })
  })
})

describe('documents that are no whole sitemap', () => {
  it.each([
    ['', 'it is empty'],
    [' \n\t ', 'it is empty: there is no element in it'],
    ['<?xml version="1.0"?>\n<!-- nothing -->', 'it is empty: there is no element in it'],
  ])('18 empty: "%s"', (text, detail) => {
    expect(scan(text)).toMatchObject({ problem: { code: 'empty', detail }, root: null, truncated: false })
  })

  it.each([
    [
      '<html><body><url><loc>no</loc></url></body></html>',
      'it is an HTML page, not a sitemap: its root is <html>',
    ],
    ['<!doctype html>\n<HTML lang=en>', 'it is an HTML page, not a sitemap: its root is <HTML>'],
    [
      '<rss version="2.0"></rss>',
      'it is not a sitemap: its root is <rss>, neither <urlset> nor <sitemapindex>',
    ],
    [
      `<${'a'.repeat(90)}>`,
      `it is not a sitemap: its root is <${'a'.repeat(40)}>, neither <urlset> nor <sitemapindex>`,
    ],
    ['<urlsets/>', 'it is not a sitemap: its root is <urlsets>, neither <urlset> nor <sitemapindex>'],
  ])('19 another root: %s', (text, detail) => {
    expect(scan(text)).toMatchObject({ problem: { code: 'not_a_sitemap', detail }, root: null, rows: [] })
    expect(scan(...text)).toMatchObject({ problem: { code: 'not_a_sitemap', detail } })
  })

  it.each([
    ['Not found', 'text where only tags may be at byte 0'],
    ['{"error":404}', 'text where only tags may be at byte 0'],
    [`<urlset>${ONE}</url>`, 'an end tag that matches no open element at byte 55'],
    [`<urlset>${ONE}<url><loc>a</url>${TWO}</urlset>`, 'an end tag that matches no open element at byte 66'],
    [`<urlset>${ONE}<1>`, 'a tag that is not well-formed at byte 50'],
    [`<urlset>${ONE}<a <b>`, 'a tag that is not well-formed at byte 52'],
    [`<urlset>${ONE}<a b="<">`, 'a tag that is not well-formed at byte 55'],
    [`<urlset>${ONE}<!ELEMENT>`, 'a declaration that XML does not know at byte 51'],
    [`<urlset>${ONE}<!DOCTYPE a>`, 'a declaration that XML does not know at byte 51'],
    [`<urlset>${ONE}</urlset>trailing`, 'text where only tags may be at byte 58'],
    [`<urlset>${ONE}</urlset><urlset>${TWO}`, 'a second root element at byte 66'],
    ['<urlset></urlset></urlset>', 'an end tag that matches no open element at byte 26'],
  ])('14 malformed: %s', (text, place) => {
    const locs = text.includes('/1') ? [`${ORIGIN}/1`] : []
    const problem = { code: 'malformed', detail: `it is malformed: ${place}` }
    expect(scan(text)).toMatchObject({ problem, locs, truncated: false })
    expect(scan(...text)).toMatchObject({ problem, locs })
  })

  it('13 cut off anywhere: whole entries are kept, and it says so', () => {
    const text = urlset(ONE + TWO)
    for (let end = 1; end < text.length; end++) {
      const { problem, truncated, locs } = scan(text.slice(0, end))
      const isPrologue = end >= 38 && end <= 39
      expect([problem?.code, truncated]).toEqual(isPrologue ? ['empty', false] : ['truncated', true])
      expect(locs).toEqual(wholeEntries(text, end))
    }
    const problem = { code: 'truncated', detail: 'it is cut off: it ends in the middle, after 120 bytes' }
    expect(scan(text.slice(0, 120))).toMatchObject({ problem })
  })

  function wholeEntries(text: string, end: number): string[] {
    return [1, 2]
      .filter((nth) => text.indexOf(`/${nth}</loc></url>`) + 14 <= end)
      .map((nth) => `${ORIGIN}/${nth}`)
  }

  it('a problem of one document is not the next one\u2019s', () => {
    const scanner = openScanner()
    expect(scanPieces(scanner, ['<urlset><url><loc>https://a.ex']).report.truncated).toBe(true)
    expect(scanPieces(scanner, ['<html>']).report.problem?.code).toBe('not_a_sitemap')
    expect(scanPieces(scanner, [urlset(ONE)])).toMatchObject({ report: { problem: null, entries: 1 } })
  })
})

describe('16, 17 lastmod is read as the reference reads it', () => {
  it.each([
    ...[
      '2025',
      '2025-03',
      '2025-03-09',
      '2025-03-09T14:05Z',
      '2025-03-09T14:05:30+02:00',
      '2025-03-09T14:05:30.123Z',
    ],
    ...[
      '2025-03-09T23:30:00-05:30',
      '2025-03-09T14:05:30',
      '2025-03-09 14:05:30',
      '2025-03-09T14:05:30+0200',
    ],
    ...[
      '2024-02-29',
      '2025-02-29',
      '2000-02-29',
      '1900-02-29',
      '1970-01-01',
      '1969-12-31T23:59:59Z',
      '0000-01-01',
    ],
    ...[
      '9999-12-31T23:59:59Z',
      '0001-01-01T00:00:00+00:00',
      '2025-01-29',
      '2025-01-31',
      '2025-04-31',
      '2025-12-30',
    ],
    ...[
      '',
      'yesterday',
      '0',
      '1741528800',
      '2025-3-9',
      '2025-13-01',
      '2025-00-01',
      '2025-01-00',
      '2025-01-32',
    ],
    ...[
      '2025-01-15T24:00:00Z',
      '2025-01-15T10:60:00Z',
      '2025-01-15T10:00:60Z',
      '2025-01-15T10Z',
      '2025-01-15T',
    ],
    ...[
      '2025-01-15T10:00:00+00:01',
      '2025-01-15T10:00:00-00:00',
      '2025-01-15t10:00:00z',
      '2025-01-15T10:00:00x',
    ],
    ...[
      '2025/01/15',
      '15.01.2025',
      '2025-01-15T10:00:00 CET',
      '2021-06-18T112:13:04+00:00',
      '2025-01-15T1:00:00Z',
    ],
    ...[
      '2025-01-15T10:00:00+24:00',
      '2025-01-15T10:00:0aZ',
      '2025-01-15T10:00:00+0000:',
      '٢٠٢٥',
      '2025-01-15T10:00:00.Z',
    ],
  ])('%s', (text) => {
    expect(scan(urlset(dated(text)))).toMatchObject({ ...FOUND_ONE, lastmods: [parseLastmod(text)] })
  })

  it('every day of four hundred years, and every second of a day', () => {
    const days = Array.from({ length: 146_097 }, (_, day) => day - 36_524)
    const wrong: string[] = []
    const read = (texts: readonly string[]) => {
      const entries = texts.map((text, index) => page(`${ORIGIN}/${index}`, `<lastmod>${text}</lastmod>`))
      const { lastmods } = scan(urlset(entries.join('')))
      for (const [index, text] of texts.entries()) {
        if (lastmods[index] !== Date.parse(text) / 1000) wrong.push(text)
      }
      expect(lastmods).toHaveLength(texts.length)
    }
    read(days.map((day) => new Date(day * 86_400_000).toISOString().slice(0, 10)))
    read(
      Array.from({ length: 86_400 }, (_, second) => `${new Date(second * 1000).toISOString().slice(0, 19)}Z`),
    )
    expect(wrong).toEqual([])
  })
})

describe('URLs in normal form', () => {
  /** Rows come out as pending only when `URL` would not change a byte. */
  const isLeftAlone = (loc: string) => {
    if (!URL.canParse(loc)) return false
    const url = new URL(loc)
    url.hash = ''
    return url.href === loc && url.origin === ORIGIN
  }
  const kindOf = (loc: string) => scan(urlset(page(`<![CDATA[${loc}]]>`))).rows[0]?.kind

  it('no byte at any place makes a URL pass that URL would change', () => {
    const frames = [
      ...[
        ['', ''] as const,
        ['a', 'b'] as const,
        ['a/', '/b'] as const,
        ['a/', ''] as const,
        ['a?', 'b'] as const,
      ],
      ...[['a?b=/', '/c'] as const, ['0123456789abcde', ''] as const, ['0123456789abcdef/', '/'] as const],
      ...[
        ['..', ''] as const,
        ['.', '/'] as const,
        ['a/.', '.'] as const,
        ['%2', '/'] as const,
        ['a/%2', 'b'] as const,
      ],
    ]
    const taken: string[] = []
    for (const [before, after] of frames) {
      for (let code = 0x20; code < 0x180; code++) {
        const loc = `${ORIGIN}/${before}${String.fromCharCode(code)}${after}`
        const [row] = scan(urlset(page(`<![CDATA[${loc}]]>`))).rows
        if (row?.kind !== 'pending') continue
        taken.push(loc)
        expect(isLeftAlone(row.loc), loc).toBe(true)
      }
    }
    expect(taken.length).toBeGreaterThan(600)
  })

  it.each([
    ...[
      `${ORIGIN}`,
      `${ORIGIN}?a`,
      `${ORIGIN}.evil.example/`,
      `${ORIGIN}:443/`,
      'https://A.example/',
      'http://a.example/',
    ],
    ...[
      `${ORIGIN}/a/../b`,
      `${ORIGIN}/./`,
      `${ORIGIN}/.`,
      `${ORIGIN}/a/..`,
      `${ORIGIN}/%2e%2E/`,
      `${ORIGIN}/a#b`,
    ],
    ...[
      `${ORIGIN}/a b`,
      `${ORIGIN}/a\tb`,
      `${ORIGIN}/é`,
      `${ORIGIN}/a?b='`,
      `${ORIGIN}\\a`,
      '/a',
      'mailto:a@a.example',
    ],
  ])('%s goes through admit', (loc) => {
    expect(kindOf(loc)).toBe('raw')
  })

  it.each([
    '',
    'a',
    'a/',
    '?',
    'a?b=c../d',
    '%E4%B8%AD',
    'a.html',
    'a..b/c.',
    '//',
    'a/%',
    '[x]@:!$()*+,;=~',
    '%zz',
  ])('/%s is taken in place, with the fingerprint of the marks', (path) => {
    const loc = `${ORIGIN}/${path}`
    const [row] = scan(urlset(page(loc))).rows
    expect(row).toMatchObject({ kind: 'pending', loc, fingerprint: fingerprinter('a.example')(loc) })
  })

  it('fingerprints of every length are those of the marks', () => {
    const fingerprint = fingerprinter('a.example')
    const locs = Array.from({ length: 300 }, (_, length) => `${ORIGIN}/${'x'.repeat(length)}`)
    for (const row of scan(urlset(locs.map((loc) => page(loc)).join(''))).rows) {
      expect(row).toMatchObject({ kind: 'pending', fingerprint: fingerprint(row.loc) })
    }
  })
})

describe('marks', () => {
  const url = `${ORIGIN}/1`
  const fingerprint = fingerprinter('a.example')
  const LASTMOD = TODAY * 86_400
  const channelOf = (table: MarkTable, bits: readonly number[], id = 'x') => {
    return { id, recent: table.bytes, buckets: [], bits, today: TODAY, ttlDays: TTL }
  }

  it('counts known, changed and the oldest day, and says what is missing per channel in its own order', () => {
    const table = MarkTable.empty()
    const [a, b] = [table.bitOf(1n, [1n, 2n]), table.bitOf(2n, [1n, 2n])]
    const marked = (nth: number, lastmod: number | null, bit: number, day: number) =>
      table.accept(fingerprint(`${ORIGIN}/${nth}`), lastmod, bit, { today: day, ttlDays: TTL })
    for (const bit of [a, b]) {
      marked(1, null, bit, TODAY - 5)
      marked(2, LASTMOD, bit, TODAY - 3)
      marked(3, null, bit, TODAY - TTL)
    }
    marked(4, null, a, TODAY)
    const scanner = openScanner({ channels: [channelOf(table, [b, a]), channelOf(table, [a], 'y')] })
    const entries = [1, 2, 3, 4].map((nth) =>
      page(
        `${ORIGIN}/${nth}`,
        nth === 2 ? `<lastmod>${new Date((LASTMOD + 1) * 1000).toISOString()}</lastmod>` : '',
      ),
    )
    const { rows, report } = scanPieces(scanner, [urlset(entries.join(''))])
    expect(rows).toMatchObject([
      { loc: `${ORIGIN}/2`, missing: { x: 3, y: 1 } },
      { loc: `${ORIGIN}/3`, missing: { x: 3, y: 1 } },
      { loc: `${ORIGIN}/4`, missing: { x: 1 } },
    ])
    expect(rows[2]).not.toHaveProperty('missing.y')
    expect(report).toMatchObject({
      entries: 4,
      known: 1,
      changed: 1,
      channels: { x: { missing: 3, oldestDay: TODAY - 5 }, y: { missing: 1, oldestDay: TODAY - 5 } },
    })
    expect(scanPieces(scanner, [urlset('')]).report.channels).toEqual({
      x: { missing: 0, oldestDay: null },
      y: { missing: 0, oldestDay: null },
    })
  })

  it('an endpoint that is not asked is not missing', () => {
    const scanner = openScanner({ channels: [channelOf(MarkTable.empty(), [0, 2, 0])] })
    expect(scanPieces(scanner, [urlset(ONE)]).rows).toMatchObject([{ missing: { x: 2 } }])
    const nobody = openScanner({ channels: [channelOf(MarkTable.empty(), [])] })
    expect(scanPieces(nobody, [urlset(ONE)])).toMatchObject({ rows: [], report: { known: 1 } })
  })

  it('finds 50,000 marks in two channels, one of eight buckets', () => {
    const bucketOf = (mark: bigint) => Number(mark >> 61n)
    const life = { today: TODAY, ttlDays: TTL }
    const tables = Array.from({ length: 8 }, () => MarkTable.empty())
    const recent = MarkTable.empty()
    const single = MarkTable.empty()
    const locs = Array.from({ length: 50_000 }, (_, nth) => `${ORIGIN}/page/${nth}`)
    for (const loc of locs) {
      const mark = fingerprint(loc)
      const many = mark % 5n === 0n ? recent : tables[bucketOf(mark)]
      many?.accept(mark, null, 1, life)
      single.accept(mark, null, 1, life)
    }
    const buckets = tables.map((table) => table.bytes)
    const channels = [channelOf(single, [1]), { ...channelOf(recent, [1], 'many'), buckets }]
    const text = urlset([...locs, `${url}?new`].map((loc) => page(loc)).join(''))
    const { rows, report } = scanPieces(openScanner({ channels }), [text])
    expect(report).toMatchObject({ known: 50_000, entries: 50_001, duplicates: 0 })
    expect(rows).toMatchObject([{ loc: `${url}?new`, missing: { x: 1, many: 1 } }])
    const again = scanPieces(openScanner({ channels }), [text, ' '])
    expect(again.report.known).toBe(50_000)
  })

  it('refuses a number of buckets that leading bits cannot choose from', () => {
    const { bytes } = MarkTable.empty()
    const channel = { ...channelOf(MarkTable.empty(), [1]), buckets: [bytes, bytes, bytes] }
    expect(() => openScanner({ channels: [channel] })).toThrow('3 buckets')
  })
})

describe('URLs met before', () => {
  it.each([
    'as the only table',
    'as a recent one over buckets',
  ])('are told after the set has grown several times, known ones (%s) and new ones alike', (place) => {
    const table = MarkTable.empty()
    const locs = Array.from({ length: 40_000 }, (_, nth) => `${ORIGIN}/${nth}`)
    for (const loc of locs.slice(0, 10_000))
      table.accept(fingerprinter('a.example')(loc), null, 1, { today: TODAY, ttlDays: TTL })
    const buckets = place === 'as the only table' ? [] : [MarkTable.empty().bytes, MarkTable.empty().bytes]
    const channel = { id: 'x', recent: table.bytes, buckets, bits: [1], today: TODAY, ttlDays: TTL }
    const scanner = openScanner({ channels: [channel] })
    const text = urlset(locs.map((loc) => page(loc)).join(''))
    expect(scanPieces(scanner, [text]).report).toMatchObject({ known: 10_000, duplicates: 0 })
    expect(scanPieces(scanner, [text])).toMatchObject({ rows: [], report: { known: 0, duplicates: 40_000 } })
  })
})

describe('a full output', () => {
  it('pauses the scan and drops nothing', () => {
    const locs = Array.from({ length: 25_000 }, (_, nth) => `${ORIGIN}/${'x'.repeat(nth % 1_500)}/${nth}`)
    const scanner = openScanner()
    const text = new TextEncoder().encode(urlset(locs.map((loc) => page(loc)).join('')))
    const found: string[] = []
    for (const rows of scanner.write(text)) {
      expect(rows.length).toBeLessThanOrEqual(1_000)
      found.push(...rows.map(({ loc }) => loc))
    }
    expect(found).toEqual(locs)
    expect(scanner.end()).toMatchObject({ problem: null, entries: 25_000 })
  })

  it('a raw row ends its batch, so that the first spelling of a URL counts', () => {
    const scanner = openScanner()
    const text = urlset(page(`${ORIGIN}/a/../1`, '<lastmod>2025</lastmod>') + ONE + TWO)
    const batches: number[] = []
    for (const rows of scanner.write(new TextEncoder().encode(text))) {
      batches.push(rows.length)
      for (const row of rows) if (row.kind === 'raw') scanner.ask(`${ORIGIN}/1`, row.lastmod)
    }
    expect(batches).toEqual([1, 1])
    expect(scanner.end()).toMatchObject({ duplicates: 1, entries: 3 })
  })
})

describe('the lastmod of an index child', () => {
  const HOUR = 3_600
  const DAY = 24 * HOUR
  it.each([
    ['2026', Date.UTC(2026, 0), 366 * DAY + 12 * HOUR],
    ['2026-03', Date.UTC(2026, 2), 31 * DAY + 12 * HOUR],
    ['2026-03-01', Date.UTC(2026, 2, 1), DAY + 12 * HOUR],
    [' 2026-03-01 ', Date.UTC(2026, 2, 1), DAY + 12 * HOUR],
    ['2026-03-31', Date.UTC(2026, 2, 31), DAY + 12 * HOUR],
    ['2026-03-01T10:00Z', Date.UTC(2026, 2, 1, 10), 60],
    ['2026-03-01T10:00:07Z', Date.UTC(2026, 2, 1, 10, 0, 7), 1],
    ['2026-03-01T10:00:07+00:00', Date.UTC(2026, 2, 1, 10, 0, 7), 1],
    ['2026-03-01T10:00:07.5+02:00', Date.UTC(2026, 2, 1, 8, 0, 7), 1],
    ['2026-03-01T10:00:07', Date.UTC(2026, 2, 1, 10, 0, 7), 12 * HOUR + 1],
  ])('%s names a period that has ended everywhere', (text, start, seconds) => {
    // One of another form before it: nothing of it may stay.
    const child = (lastmod: string) =>
      `<sitemap><loc>${ORIGIN}/${lastmod.trim()}</loc><lastmod>${lastmod}</lastmod></sitemap>`
    const { rows } = scan(
      `<sitemapindex>${child('2020')}${child('2020-01-01T00:00Z')}${child(text)}</sitemapindex>`,
    )
    expect(rows[2]).toMatchObject({ lastmod: start / 1000, lastChange: start + seconds * 1000 })
  })

  it('none, or a bad one, names nothing', () => {
    const { rows } = scan(
      `<sitemapindex><sitemap><loc>${ORIGIN}/1</loc></sitemap><sitemap><loc>${ORIGIN}/2</loc><lastmod>soon</lastmod></sitemap></sitemapindex>`,
    )
    expect(rows).toMatchObject([{ lastChange: null }, { lastChange: null }])
  })
})
