import type { Random } from '../../src/ports'

/** Makes up well-formed sitemaps that use all XML offers and all that writers of URLs and dates get wrong. */
export class Generator {
  constructor(private readonly random: Random) {}

  below(count: number): number {
    return Math.floor(this.random.next() * count)
  }

  chance(odds: number): boolean {
    return this.random.next() < odds
  }

  pick<T>(choices: readonly [T, ...T[]]): T {
    return choices[this.below(choices.length)] ?? choices[0]
  }

  document(): string {
    const prefix = this.chance(0.15) ? this.pick(['s:', 'SM:', 'image:', 'ns1:']) : ''
    const isIndex = this.chance(0.1)
    const root = this.#cased(isIndex ? 'sitemapindex' : 'urlset')
    const item = isIndex ? 'sitemap' : 'url'
    let body = ''
    for (let left = this.below(6); left > 0; left--) body += this.#item(prefix, item) + this.#gap()
    const tag = `${prefix}${root}`
    return `${this.#prolog()}<${tag}${this.#attributes()}>${this.#gap()}${body}</${tag}${this.#blanks(0.1)}>${this.#blanks(0.3)}${this.chance(0.1) ? this.#aside() : ''}`
  }

  #prolog(): string {
    const start = `${this.chance(0.1) ? '\ufeff' : ''}${this.#blanks(0.1)}`
    const declaration = this.chance(0.7) ? '<?xml version="1.0" encoding="UTF-8"?>' : ''
    const doctype = this.chance(0.1)
      ? this.pick([
          '<!DOCTYPE urlset>',
          '<!DOCTYPE urlset SYSTEM "a>b.dtd">',
          `<!DOCTYPE urlset [<!ENTITY a "<b>]>"> <!-- don't ]> --> <?p ]> "?>]>`,
        ])
      : ''
    return `${start}${declaration}${this.#blanks(0.5)}${this.chance(0.1) ? this.#aside() : ''}${doctype}${this.#blanks(0.3)}`
  }

  #item(prefix: string, name: string): string {
    if (this.chance(0.04)) return this.#other(1)
    const tag = `${prefix}${this.#cased(name)}`
    if (this.chance(0.03)) return `<${tag}${this.#attributes()}/>`
    const children: string[] = []
    if (!this.chance(0.05)) children.push(this.#field(prefix, 'loc', this.location()))
    if (this.chance(0.7)) children.push(this.#field(prefix, 'lastmod', this.lastmod()))
    if (this.chance(0.05)) children.push(this.#field(prefix, 'loc', this.location()))
    if (this.chance(0.05)) children.push(this.#field(prefix, 'lastmod', this.lastmod()))
    if (this.chance(0.3)) children.push(`<${prefix}changefreq>daily</${prefix}changefreq>`)
    for (let left = this.chance(0.25) ? this.below(4) : 0; left > 0; left--) children.push(this.#extra())
    if (this.chance(0.2)) children.sort(() => this.random.next() - 0.5)
    const inside = children.map((child) => `${this.#gap()}${child}`).join('')
    return `<${tag}${this.#attributes()}>${inside}${this.#gap()}</${tag}${this.#blanks(0.1)}>`
  }

  #field(prefix: string, name: string, value: string): string {
    const tag = `${prefix}${this.#cased(name)}`
    if (value === '' && this.chance(0.5)) return `<${tag}/>`
    const padded = this.chance(0.2) ? `${this.#pad()}${value}${this.#pad()}` : value
    return `<${tag}${this.#attributes()}>${this.#written(padded)}</${tag}${this.#blanks(0.05)}>`
  }

  #extra(): string {
    return this.pick<() => string>([
      () =>
        `<image:image><image:loc>${ORIGIN}/i.png</image:loc><image:title>a &amp; b</image:title></image:image>`,
      () => `<image:loc>${ORIGIN}/i.png</image:loc>`,
      () => `<xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}/de?a>b"/>`,
      () => '<news:news><news:lastmod>2020-01-01</news:lastmod></news:news>',
      () => '<video:video><loc>nested</loc><lastmod>2020-01-01</lastmod></video:video>',
      () => this.#other(1),
      () => '<priority>0.5</priority>',
    ])()
  }

  /** Something unknown, nested, with a loc that is nobody's. */
  #other(depth: number): string {
    const name = this.pick([
      'x',
      'foo:bar',
      'locs',
      'lo',
      'urls',
      'ur',
      'a-very-long-name-of-an-element',
      'ü',
    ])
    const inside =
      depth < 4 && this.chance(0.5) ? this.#other(depth + 1) : this.pick(['', 'text', '<loc>no</loc>'])
    return `<${name}${this.#attributes()}>${inside}${this.#gap()}</${name}>`
  }

  /** Each character as itself, as a reference or in CDATA, with comments and instructions in between. */
  #written(value: string): string {
    if (this.chance(0.5)) return escaped(value)
    let text = ''
    for (const character of this.#pieces(value)) {
      text += this.pick([
        () => escaped(character),
        () => escaped(character),
        () => `<![CDATA[${character.replaceAll(']]>', ']]]]><![CDATA[>')}]]>`,
        () => [...character].map((c) => `&#${c.codePointAt(0)};`).join(''),
        () => [...character].map((c) => `&#x${(c.codePointAt(0) ?? 0).toString(16)};`).join(''),
        () => `${this.#aside()}${escaped(character)}`,
        () => `${escaped(character)}<b>inside</b>`,
      ])()
    }
    return text
  }

  #pieces(value: string): string[] {
    const characters = [...value]
    const pieces: string[] = []
    while (characters.length > 0) pieces.push(characters.splice(0, 1 + this.below(12)).join(''))
    return pieces
  }

  location(): string {
    if (this.chance(0.02)) return ''
    if (this.chance(0.01)) return `${ORIGIN}/${'x'.repeat(2_020 + this.below(20))}`
    const start = this.chance(0.75)
      ? `${ORIGIN}/`
      : this.pick([
          ...([
            '/',
            '',
            '//a.example/',
            'http://a.example/',
            'HTTPS://A.example/',
            'https://b.example/',
          ] as const),
          ...([
            `${ORIGIN}:443/`,
            `${ORIGIN}:8080/`,
            `${ORIGIN}?`,
            'https://u:p@a.example/',
            'mailto:a@',
          ] as const),
          ...([
            'https://a.examplé/',
            `${ORIGIN}`,
            `${ORIGIN}.`,
            'ftp://a.example/',
            'https://',
            '?',
          ] as const),
        ])
    let path = ''
    for (let left = this.below(4); left > 0; left--) path += this.pick(SEGMENTS)
    return `${start}${path}${this.chance(0.6) ? this.below(40) : ''}`
  }

  lastmod(): string {
    const two = (count: number) => String(this.below(count)).padStart(2, '0')
    const year = String(this.chance(0.9) ? 1960 + this.below(80) : this.below(10_000)).padStart(4, '0')
    const date = `${year}-${two(14)}-${two(33)}`
    const zone = this.pick([
      'Z',
      'z',
      '',
      '+00:00',
      `+${two(26)}:${two(62)}`,
      `-${two(24)}${two(60)}`,
      ' Z',
      ' CET',
    ])
    const time = `${this.pick(['T', 't', ' '])}${two(25)}:${two(61)}`
    const seconds = `:${two(61)}${this.pick(['', '', '.5', '.123456789', '.'])}`
    const text = this.pick([
      ...([year, `${year}-${two(14)}`, date, `${date}${time}${zone}`] as const),
      ...([`${date}${time}${seconds}${zone}`, `${date}${time}${seconds}${zone}`] as const),
    ])
    if (this.chance(0.9)) return text
    const at = this.below(text.length + 1)
    return this.pick([
      `${text.slice(0, at)}${text.slice(at + 1)}`,
      `${text.slice(0, at)}${this.pick(['0', '-', ':', ' ', 'T', 'é', '\u00a0'])}${text.slice(at)}`,
      '',
      'yesterday',
    ])
  }

  #cased(name: string): string {
    if (this.chance(0.93)) return name
    return this.chance(0.5) ? name.toUpperCase() : `${name[0]?.toUpperCase()}${name.slice(1)}`
  }

  #attributes(): string {
    if (this.chance(0.85)) return this.#blanks(0.1)
    return this.pick([
      ' xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"',
      ` a="/>" b='"'`,
      ' xmlns:image="x>y"\n  c = "1" ',
      ` z='it is > that' `,
      ` slash="/" `,
    ])
  }

  #aside(): string {
    return this.pick([
      '<!---->',
      '<!-- <loc>no</loc> & -->',
      '<!-- - -> ]]> -->',
      '<?php echo "?" > ?>',
      '<?a??>',
      '<!--\u00e9-->',
    ])
  }

  #gap(): string {
    return `${this.#blanks(0.6)}${this.chance(0.05) ? `${this.#aside()}${this.#blanks(0.5)}` : ''}`
  }

  #blanks(odds: number): string {
    return this.chance(odds) ? this.pick(['\n', ' ', '\n  ', '\r\n\t', '                      ']) : ''
  }

  #pad(): string {
    return this.pick(['', ' ', '\n\t', '\u00a0', ' \u00a0\u3000', '\u2003', '\ufeff', '\u2028 '])
  }
}

const ORIGIN = 'https://a.example'

const SEGMENTS: readonly [string, ...string[]] = [
  ...([
    'p',
    'a/b/',
    'a-rather-long-name-of-a-page-with-hyphens/',
    'x.html',
    '.',
    '..',
    './',
    '../',
    '/.',
  ] as const),
  ...(['%2e', '%2E/', '%2e%2e/', '/%2e./', '.well-known/', 'a..b', '%E4%B8%AD', '%zz', '%', '%20'] as const),
  ...([
    '?q=1',
    '&b=2',
    '?',
    '#f',
    '#',
    "'",
    '"',
    '<',
    '>',
    '\\',
    '^',
    '|',
    '`',
    '{',
    '}',
    '[x]',
    ' ',
  ] as const),
  ...([
    '\t',
    '\n',
    'é',
    '中文',
    '🚀',
    '\u00a0',
    '~',
    '!$()*+,;=:@',
    '//',
    '?a=/../',
    '?a=\'"',
    ']]',
    ']',
    '&&',
  ] as const),
]

function escaped(text: string): string {
  // A > after two brackets must not stand as it is, and the brackets may end the piece before this one.
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replace(/(^|])>/g, '$1&gt;')
}
