import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** What the tests import is written first, also when they are run without `npm test`. */
export default function build(): void {
  execFileSync(process.execPath, [fileURLToPath(new URL('../../scripts/build.mjs', import.meta.url))])
}
