import { posix } from 'node:path'

/** A file of src/, its path relative to that folder. */
export interface SourceFile {
  readonly path: string
  readonly text: string
}

const ENTRIES = ['worker', 'node', 'cli']
const GROUND = ['domain', 'ports', 'generated']
const BELOW_PIPELINE = ['channels', 'records', 'marks', 'sitemap', 'alerts']

/** What each folder, or file at the top, may import besides itself. Entries may import everything. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  domain: [],
  ports: ['domain'],
  net: GROUND,
  ...Object.fromEntries(BELOW_PIPELINE.map((folder) => [folder, ['net', ...GROUND]])),
  pipeline: [...BELOW_PIPELINE, 'net', ...GROUND],
  api: ['pipeline', 'channels', 'records', 'net', ...GROUND],
  settings: ['settings-reader', 'net', ...GROUND],
  'settings-reader': ['net', ...GROUND],
  logger: ['net', ...GROUND],
  compose: ['settings', 'logger', 'api', 'pipeline', ...BELOW_PIPELINE, 'net', ...GROUND],
  drivers: ['ports', 'domain'],
}

const CLOUDFLARE_FILES = ['worker.ts', 'drivers/cloudflare-kv.ts']

/** The clock, chance, waiting and the network come in as arguments; only drivers and entries know the real ones. */
const WORLD: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['Date.now', /\bDate\.now\b/],
  ['new Date()', /\bnew Date(?:\(\s*\)|(?!\s*\())/],
  ['performance.now', /\bperformance\.now\b/],
  ['Math.random', /\bMath\.random\b/],
  ['setTimeout', /\bsetTimeout\b/],
  ['setInterval', /\bsetInterval\b/],
  ['AbortSignal.timeout', /\bAbortSignal\.timeout\b/],
  ['crypto.randomUUID', /\bcrypto\.randomUUID\b/],
  // A method of that name is declared with a typed parameter; a port's is called with a dot before it.
  ['bare fetch', /(?<![.\w#])fetch\((?!\w+\??:)|\b(?:globalThis|self)\.fetch\b/],
]

/** Every module named in a static, type-only, dynamic or re-exporting import. */
export function importsOf(text: string): string[] {
  const found = withoutComments(text).matchAll(/\b(?:from|import|require)\s*\(?\s*(['"`])([^'"`]+)\1/g)
  return [...found].map(([, , specifier]) => specifier ?? '')
}

/** One sentence per broken rule; empty when all is well. */
export function violations(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [...wrongImports(file), ...wrongWords(file)])
}

function wrongImports({ path, text }: SourceFile): string[] {
  const layer = layerOf(path)
  if (ENTRIES.includes(layer)) return []
  const allowed = MAY_IMPORT[layer]
  if (allowed === undefined)
    return [`${path} is in no known layer: give ${layer} its place in import-rules.ts`]
  const wrong: string[] = []
  for (const specifier of importsOf(text)) {
    if (!specifier.startsWith('.')) continue
    const target = posix.join(posix.dirname(path), specifier)
    const targetLayer = layerOf(target)
    if (targetLayer !== layer && !allowed.includes(targetLayer)) wrong.push(`${path} imports ${target}`)
  }
  return wrong
}

function wrongWords({ path, text }: SourceFile): string[] {
  const code = withoutComments(text)
  const wrong: string[] = []
  if (!CLOUDFLARE_FILES.includes(path) && /@cloudflare\/workers-types|cloudflare:/.test(code)) {
    wrong.push(`${path} mentions Cloudflare`)
  }
  const layer = layerOf(path)
  if (layer === 'drivers' || ENTRIES.includes(layer)) return wrong
  for (const [name, pattern] of WORLD) if (pattern.test(code)) wrong.push(`${path} uses ${name}`)
  return wrong
}

/** The folder, or the name of a file at the top. */
function layerOf(path: string): string {
  const [first = ''] = path.split('/')
  return first.replace(/\.[jt]s$/, '')
}

/** A `//` inside a string follows a colon, not a space or the start of a line. */
function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
