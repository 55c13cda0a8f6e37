import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import type { Product } from './isolate'
import type { Edit, PlantedBug } from './planted-bugs'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The product as it would be with this bug. */
export async function plant({ edits }: PlantedBug): Promise<Product> {
  const folder = await mkdtemp(join(tmpdir(), 'beckon-planted-'))
  const path = join(folder, 'product.mjs')
  try {
    const { outputFiles } = await build({
      stdin: {
        contents: "export * from './src/compose'; export * from './src/logger'",
        resolveDir: ROOT,
        loader: 'ts',
      },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'node',
      plugins: [
        {
          name: 'plant',
          setup({ onLoad }) {
            onLoad({ filter: /[\\/]src[\\/].*\.ts$/ }, async ({ path: loaded }) => {
              const own = edits.filter(({ file }) => loaded === join(ROOT, 'src', file))
              if (own.length === 0) return undefined
              return { contents: own.reduce(edited, await readFile(loaded, 'utf8')), loader: 'ts' }
            })
          },
        },
      ],
    })
    await writeFile(path, outputFiles[0]?.contents ?? '')
    return (await import(/* @vite-ignore */ pathToFileURL(path).href)) as Product
  } finally {
    await rm(folder, { recursive: true })
  }
}

function edited(text: string, { file, instead: [right, wrong] }: Edit): string {
  if (text.split(right).length !== 2) throw new Error(`${file} does not say once: ${right}`)
  return text.replace(right, () => wrong)
}
