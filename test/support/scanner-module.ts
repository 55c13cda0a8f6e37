import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ScannerModule } from '../../src/ports'

declare const WebAssembly: { readonly Module: new (bytes: Uint8Array) => ScannerModule }

/** The compiled core, as Node gets it. */
export function readScannerModule(): ScannerModule {
  const path = fileURLToPath(new URL('../../src/generated/scanner.wasm', import.meta.url))
  return new WebAssembly.Module(readFileSync(path))
}
