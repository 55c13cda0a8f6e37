import type { ScanChannel } from './scanner'
import type { ScannerCore } from './scanner-core'

export interface ScanProblem {
  readonly code: 'empty' | 'malformed' | 'not_a_sitemap' | 'truncated'
  /** Goes on from the address of the file: "…: it is empty". */
  readonly detail: string
}

export interface ChannelReport {
  /** One bit per endpoint, in the channel's order, that at least one URL of the document is missing at. */
  readonly missing: number
  /** The day of the oldest mark that still holds for a URL of the document; null when there is none. */
  readonly oldestDay: number | null
}

/** What was found in one document, up to now. */
export interface ScanReport {
  readonly root: 'urlset' | 'sitemapindex' | null
  /** What is wrong with it; all whole entries before that have been handed out. */
  readonly problem: ScanProblem | null
  readonly truncated: boolean
  /** Every `<url>` or `<sitemap>`, whatever became of it. */
  readonly entries: number
  readonly known: number
  /** A mark is there, but the sitemap's lastmod is newer. */
  readonly changed: number
  readonly duplicates: number
  readonly leftOut: Readonly<Record<string, number>>
  /** Taken literally, as their writers mean them. */
  readonly bareAmpersands: number
  readonly channels: Readonly<Record<string, ChannelReport>>
}

/** The order of `Count` in wasm/layout.ts. */
const COUNTS = [
  'entries',
  'known',
  'changed',
  'duplicates',
  'image',
  'video',
  'news',
  'alternate',
  'foreign_loc',
  'entity',
  'too_long',
  'no_loc',
  'bareAmpersands',
  'problem',
  'root',
  'rootName',
] as const
const LEFT_OUT = COUNTS.slice(COUNTS.indexOf('image'), COUNTS.indexOf('bareAmpersands'))

const ROOTS = [null, 'urlset', 'sitemapindex'] as const
const NOT_A_SITEMAP = 1
/** By the number of `Problem` in wasm/scanner.ts, from 2 on. */
const MALFORMED = [
  'text where only tags may be',
  'a tag that is not well-formed',
  'an end tag that matches no open element',
  'a declaration that XML does not know',
  'a second root element',
]
const HTML_NAMES = ['html', 'head', 'body', 'script', 'div', 'meta', 'title', 'center', 'p', 'h1', 'br']

export function readReport(core: ScannerCore, channels: readonly ScanChannel[], ended: boolean): ScanReport {
  const { REPORT, CHANNELS, CHANNEL_BYTES } = core.exports
  const count = (name: (typeof COUNTS)[number]) =>
    core.view.getUint32(REPORT.value + COUNTS.indexOf(name) * 4, true)
  const leftOut: Record<string, number> = {}
  for (const name of LEFT_OUT) if (count(name) > 0) leftOut[name] = count(name)
  const perChannel: Record<string, ChannelReport> = {}
  for (const [index, { id }] of channels.entries()) {
    const at = CHANNELS.value + index * CHANNEL_BYTES.value
    const oldest = core.view.getUint32(at + 20, true)
    perChannel[id] = {
      missing: core.view.getUint32(at + 16, true),
      oldestDay: oldest === 0xffffffff ? null : oldest,
    }
  }
  const root = ROOTS[count('root')] ?? null
  const problem = problemOf(core, { number: count('problem'), nameLength: count('rootName'), root, ended })
  return {
    root,
    problem,
    truncated: problem?.code === 'truncated',
    entries: count('entries'),
    known: count('known'),
    changed: count('changed'),
    duplicates: count('duplicates'),
    leftOut,
    bareAmpersands: count('bareAmpersands'),
    channels: perChannel,
  }
}

function problemOf(
  core: ScannerCore,
  found: { number: number; nameLength: number; root: ScanReport['root']; ended: boolean },
): ScanProblem | null {
  const place = core.exports.place()
  if (found.number === NOT_A_SITEMAP) return notASitemap(core, found.nameLength)
  if (found.number > 0) {
    const what = MALFORMED[found.number - 2]
    return { code: 'malformed', detail: `it is malformed: ${what} at byte ${place}` }
  }
  if (!found.ended) return null
  if (core.exports.openElements() > 0) {
    return { code: 'truncated', detail: `it is cut off: it ends in the middle, after ${place} bytes` }
  }
  if (found.root !== null) return null
  const detail = place === 0 ? 'it is empty' : 'it is empty: there is no element in it'
  return { code: 'empty', detail }
}

function notASitemap(core: ScannerCore, nameLength: number): ScanProblem {
  const at = core.exports.ROOT_NAME.value
  const name = new TextDecoder().decode(core.bytes.slice(at, at + nameLength))
  const detail = HTML_NAMES.includes(name.toLowerCase())
    ? `it is an HTML page, not a sitemap: its root is <${name}>`
    : `it is not a sitemap: its root is <${name}>, neither <urlset> nor <sitemapindex>`
  return { code: 'not_a_sitemap', detail }
}
