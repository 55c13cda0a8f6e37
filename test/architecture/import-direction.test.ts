import { readdirSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { importsOf, type SourceFile, violations } from './import-rules'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

function readSource(): SourceFile[] {
  return readdirSync(SRC, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({
      path: relative(SRC, file).split(sep).join('/'),
      text: readFileSync(file, 'utf8'),
    }))
}

const check = (path: string, text: string) => violations([{ path, text }])

describe('src/', () => {
  const files = readSource()

  it('is read whole', () => {
    expect(files.length).toBeGreaterThan(50)
    expect(files.map(({ path }) => path)).toContain('channels/bing/bing.ts')
  })

  it('imports in one direction and leaves the world to drivers and entries', () => {
    expect(violations(files)).toEqual([])
  })
})

describe('the checker', () => {
  it.each([
    ["import { a } from './a'", './a'],
    ["import type { A } from '../a'", '../a'],
    ["import {\n  a,\n  type B,\n} from './many'", './many'],
    ["export * from './again'", './again'],
    ["import './effect'", './effect'],
    ["const a = await import('./late')", './late'],
    ['const a = await import(`./ticked`)', './ticked'],
    ["let a: import('./inline').A", './inline'],
    ['import a from "./double"', './double'],
  ])('finds the module in %s', (text, specifier) => {
    expect(importsOf(text)).toEqual([specifier])
  })

  it('does not take comments for imports', () => {
    expect(importsOf("// import './a'\n/* from './b' */\nconst url = 'https://a.example/'")).toEqual([])
  })

  it.each([
    ['net/pool.ts', '../records/keys', 'net/pool.ts imports records/keys'],
    ['net/pool.ts', '../compose', 'net/pool.ts imports compose'],
    ['domain/site.ts', '../net/guard', 'domain/site.ts imports net/guard'],
    ['domain/site.ts', '../ports', 'domain/site.ts imports ports'],
    ['channels/bing/bing.ts', '../../records/keys', 'channels/bing/bing.ts imports records/keys'],
    ['marks/url-cache.ts', '../sitemap/admit', 'marks/url-cache.ts imports sitemap/admit'],
    ['records/keys.ts', '../pipeline/budget', 'records/keys.ts imports pipeline/budget'],
    ['pipeline/run-site.ts', '../api/app', 'pipeline/run-site.ts imports api/app'],
    ['pipeline/run-site.ts', '../drivers/system', 'pipeline/run-site.ts imports drivers/system'],
    ['api/routes/a.ts', '../../drivers/system', 'api/routes/a.ts imports drivers/system'],
    ['api/app.ts', '../marks/url-cache', 'api/app.ts imports marks/url-cache'],
    ['compose.ts', './drivers/memory-store', 'compose.ts imports drivers/memory-store'],
    ['compose.ts', './worker', 'compose.ts imports worker'],
    ['logger.ts', './settings', 'logger.ts imports settings'],
    ['drivers/memory-store.ts', '../net/pool', 'drivers/memory-store.ts imports net/pool'],
    ['net/pool.ts', '../../sandbox/limits', 'net/pool.ts imports ../sandbox/limits'],
  ])('refuses %s importing %s', (path, specifier, sentence) => {
    expect(check(path, `import { a } from '${specifier}'`)).toEqual([sentence])
    expect(check(path, `const a = await import('${specifier}')`)).toEqual([sentence])
  })

  it.each([
    ['worker.ts', './drivers/system'],
    ['node.ts', './compose'],
    ['compose.ts', './api/app'],
    ['api/routes/a.ts', '../../pipeline/scheduler'],
    ['pipeline/a.ts', '../marks/url-cache'],
    ['channels/indexnow/a.ts', '../channel'],
    ['net/a.ts', './guard'],
    ['ports.ts', './domain/site'],
    ['settings.ts', './generated/product'],
    ['net/a.ts', 'zod'],
  ])('allows %s importing %s', (path, specifier) => {
    expect(check(path, `import { a } from '${specifier}'`)).toEqual([])
  })

  it('refuses a folder nobody gave a place', () => {
    expect(check('helpers/a.ts', '')).toHaveLength(1)
  })

  it.each([
    ['Date.now()', 'Date.now'],
    ['new Date()', 'new Date()'],
    ['new Date', 'new Date()'],
    ['Math.random()', 'Math.random'],
    ['setTimeout(f, 1)', 'setTimeout'],
    ['setInterval(f, 1)', 'setInterval'],
    ['AbortSignal.timeout(1)', 'AbortSignal.timeout'],
    ['crypto.randomUUID()', 'crypto.randomUUID'],
    ['performance.now()', 'performance.now'],
    ['await fetch(url, init)', 'bare fetch'],
    ['globalThis.fetch(url)', 'bare fetch'],
  ])('refuses %s outside drivers and entries', (code, name) => {
    expect(check('net/a.ts', code)).toEqual([`net/a.ts uses ${name}`])
    expect(check('compose.ts', code)).toEqual([`compose.ts uses ${name}`])
    expect(check('drivers/system.ts', code)).toEqual([])
    expect(check('worker.ts', code)).toEqual([])
  })

  it.each([
    'new Date(clock.now())',
    'options.fetch(url, init)',
    'fetch(request: Request): Promise<Response>',
    '{ fetch: (request) => app(request) }',
    'fetchSitemap(url)',
    '// Date.now() is for drivers',
  ])('has nothing against %s', (code) => {
    expect(check('net/a.ts', code)).toEqual([])
  })

  it('keeps Cloudflare in two files', () => {
    const code = "import type { KVNamespace } from '@cloudflare/workers-types'"
    expect(check('api/app.ts', code)).toEqual(['api/app.ts mentions Cloudflare'])
    expect(check('drivers/system.ts', "import { env } from 'cloudflare:workers'")).toHaveLength(1)
    expect(check('drivers/cloudflare-kv.ts', code)).toEqual([])
    expect(check('worker.ts', code)).toEqual([])
  })
})
