// Writes what the source needs from outside itself. Run by wrangler before it bundles, and by every npm command.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { buildScanner } from './build-scanner.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const { version, homepage } = JSON.parse(readFileSync(`${root}package.json`, 'utf8'))
const source = `// Written by scripts/build.mjs from package.json.
export const VERSION = '${version}'
export const HOMEPAGE = '${homepage}'
`
mkdirSync(`${root}src/generated`, { recursive: true })
// An unchanged file is left alone, so that a watching build does not start over for ever.
const target = `${root}src/generated/product.ts`
let current = ''
try {
  current = readFileSync(target, 'utf8')
} catch {
  // First build.
}
if (current !== source) writeFileSync(target, source)
await buildScanner(root)
