import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'

const OPTIONS = [
  ...['--runtime', 'stub', '--use', 'abort=', '--noAssert', '--initialMemory', '10'],
  ...['-O3', '--enable', 'simd', '--enable', 'bulk-memory'],
]

/** Compiles wasm/ into src/generated/scanner.wasm, unless that is already what these sources give. */
export async function buildScanner(root) {
  const target = `${root}src/generated/scanner.wasm`
  const types = `${target}.d.ts`
  const declaration = `// Written by scripts/build-scanner.mjs from sources with the digest ${digestOf(root)}.
declare const module: object
export default module
`
  if (existsSync(target) && existsSync(types) && readFileSync(types, 'utf8') === declaration) return
  // The compiler is large: it is loaded only when there is something to compile.
  const { main } = await import('assemblyscript/asc')
  // Several commands may build at once; a rename shows the others a whole file or none.
  const output = `src/generated/scanner.${process.pid}.wasm`
  const { error, stderr } = await main(['wasm/scanner.ts', '-o', output, '--baseDir', root, ...OPTIONS])
  if (error !== null) throw new Error(`wasm/ does not compile:\n${stderr.toString()}`)
  renameSync(`${root}${output}`, target)
  writeFileSync(types, declaration)
}

function digestOf(root) {
  const hash = createHash('sha256').update(OPTIONS.join(' '))
  hash.update(JSON.parse(readFileSync(`${root}package.json`, 'utf8')).devDependencies.assemblyscript)
  for (const name of readdirSync(`${root}wasm`).sort())
    hash.update(name).update(readFileSync(`${root}wasm/${name}`))
  return hash.digest('hex').slice(0, 16)
}
