import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox'

let state = ''
const started: ChildProcess[] = []
beforeEach(() => {
  state = mkdtempSync(join(tmpdir(), 'beckon-'))
})
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGTERM')
  rmSync(state, { recursive: true, force: true })
})

const plainEnv = { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '' }

function start(args: readonly string[], env: Record<string, string> = {}): ChildProcess {
  const options = { env: { ...plainEnv, ...env }, stdio: 'pipe' } as const
  const child = spawn(
    process.execPath,
    ['--import', './scripts/build.mjs', '--import', 'tsx', 'scripts/start.ts', '--state', state, ...args],
    options,
  )
  started.push(child)
  return child
}

async function outputOf(child: ChildProcess): Promise<{ code: number | null; out: string; err: string }> {
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => {
    out += chunk
  })
  child.stderr?.on('data', (chunk) => {
    err += chunk
  })
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
  return { code, out, err }
}

function untilPrinted(child: ChildProcess, text: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let out = ''
    child.stdout?.on('data', (chunk) => {
      out += chunk
      if (out.includes(text)) resolve(out)
    })
    child.on('close', () => reject(new Error(`ended without printing ${text}:\n${out}`)))
  })
}

const isUp = (url: string) =>
  fetch(url).then(
    () => true,
    () => false,
  )

describe('npm start', () => {
  it('submits the pretend site to both engines; the second run on the same state submits nothing', async () => {
    const first = await outputOf(start(['--once']))
    expect(first.err).toBe('')
    expect(first.out).toContain('500 URLs in the sitemap: 500 to submit, 0 already known.')
    expect(first.out).toMatch(/Engine +Total +Accepted +Failed +Waiting +Average ms/)
    expect(first.out).toMatch(/engines\/a\/indexnow +500 +500 +0 +0 +\d+/)
    expect(first.out).toMatch(/engines\/b\/indexnow +500 +500 +0 +0 +\d+/)
    expect(first.code).toBe(0)
    const second = await outputOf(start(['--once']))
    expect(second.out).toContain('500 URLs in the sitemap: 0 to submit, 500 already known.')
    expect(second.code).toBe(0)
  })

  it('picks free ports when its own are taken, stays up, and leaves nothing behind when it is stopped', async () => {
    const blockers = await Promise.all([8787, 8788].map(occupy))
    const child = start([])
    const out = await untilPrinted(child, 'Ctrl-C stops everything.')
    const [, token, url] = /Bearer (\S+)" "(\S+)"/.exec(out) ?? []
    const status = await fetch(`${url}`, { headers: { authorization: `Bearer ${token}` } })
    expect(await status.json()).toMatchObject({ status: 'running', lastExecution: { submittedUrls: 500 } })
    const sandbox = /at (http:\S+)\./.exec(out)?.[1] ?? ''
    expect(await isUp(sandbox)).toBe(true)
    child.kill('SIGINT')
    expect((await outputOf(child)).code).toBe(0)
    expect([await isUp(new URL(`${url}`).origin), await isUp(sandbox)]).toEqual([false, false])
    for (const blocker of blockers) blocker.close()
  })

  it('killed in mid-run it leaves nothing behind, and the next start submits the rest', async () => {
    const child = start([])
    const out = await untilPrinted(child, '/1000')
    child.kill('SIGKILL')
    await outputOf(child)
    const sandbox = /at (http:\S+)\./.exec(out)?.[1] ?? ''
    await expect.poll(() => isUp(sandbox)).toBe(false)
    const next = await outputOf(start(['--once']))
    expect(next.out).toContain('An earlier run was cut off')
    expect(next.out).toMatch(/500 URLs in the sitemap: \d+ to submit/)
    expect(next.code).toBe(0)
  })

  it.each([
    ['', [], 0],
    [' --once', ['--once'], 130],
  ])('stopped in mid-run by Ctrl-C, npm start%s says so and ends with %j %d', async (_name, args, expected) => {
    const child = start(args)
    await untilPrinted(child, '/1000')
    child.kill('SIGINT')
    const { code, out, err } = await outputOf(child)
    expect({ code, err }).toEqual({ code: expected, err: '' })
    expect(out).toMatch(/Stopped; the next start goes on where this one was\.\n$/)
  })

  it('says how it is used', async () => {
    const { code, out, err } = await outputOf(start(['--help']))
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(out).toMatch(/^Usage: npm start -- \[--once\] \[--state DIR\]/)
    const wrong = await outputOf(start(['--twice']))
    expect({ code: wrong.code, out: wrong.out }).toEqual({ code: 1, out: '' })
    expect(wrong.err).toContain('Usage: npm start')
  })

  it('works on a real site named by SITEMAP_URL and INDEXNOW_API_KEY, after the demo and with the key as env:NAME', async () => {
    expect((await outputOf(start(['--once']))).code).toBe(0)
    const sandbox = await startSandbox({ pages: 12 })
    const env = {
      SITEMAP_URL: sandbox.sitemapUrl,
      SITE_HOST: new URL(sandbox.sitemapUrl).host,
      INDEXNOW_API_KEY: 'env:MY_KEY',
      MY_KEY: sandbox.key,
      INDEXNOW_SEARCH_ENGINES: sandbox.engines.a,
      ALLOW_PRIVATE_NETWORK: 'true',
    }
    const { code, out } = await outputOf(start(['--once'], env))
    expect(out).toContain('12 URLs in the sitemap: 12 to submit, 0 already known.')
    expect(out).not.toContain(sandbox.key)
    expect(code).toBe(0)
    expect(sandbox.ledger.of('a').acceptedCount).toBe(12)
    await sandbox.close()
  })

  it.each([
    [{ SITEMAP_URL: 'https://example.com/sitemap.xml' }, /^INDEXNOW_API_KEY is missing: .+\n$/],
    [{ INDEXNOW_API_KEY: 'a'.repeat(32) }, /^SITEMAP_URL is missing: .+\n$/],
    [
      { SITEMAP_URL: 'example', INDEXNOW_API_KEY: 'a'.repeat(32) },
      /^SITEMAP_URL must be a full address .+\n$/,
    ],
    [
      { SITEMAP_URL: 'https://example.com/s.xml', INDEXNOW_API_KEY: 'no' },
      /^INDEXNOW_API_KEY must be 8 to 128 .+\n$/,
    ],
    [{ ADMIN_TOKEN: 'short' }, /^ADMIN_TOKEN is too short: .+\n$/],
    [{ REQUEST_INTERVAL_MS: 'soon' }, /^REQUEST_INTERVAL_MS must be a whole number .+\n$/],
  ])('stops with one clear sentence for %j', async (env, sentence) => {
    const { code, out, err } = await outputOf(start(['--once'], env))
    expect({ code, out }).toEqual({ code: 1, out: '' })
    expect(err).toMatch(sentence)
  })
})

function occupy(port: number): Promise<{ close(): void }> {
  return new Promise((resolve) => {
    const server = createServer()
    const done = () => resolve({ close: () => server.close() })
    server.once('error', done)
    server.listen(port, '127.0.0.1', done)
  })
}
