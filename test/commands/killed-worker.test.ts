import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox'
import { call } from '../../scripts/start/call'
import { freePort } from '../../scripts/start/free-port'
import type { ExecutionRecord } from '../../src/domain/execution-record'

const TOKEN = 'a-token-of-32-characters-exactly'
const PAGES = 500
/** What a kill may cost by GET: the marks not saved yet, and what is in flight. */
const MAX_DUPLICATES = 103

const state = mkdtempSync(join(tmpdir(), 'beckon-'))
const started: ChildProcess[] = []
let sandbox: Sandbox | null = null

/** The host and workerd are a process group of their own: nothing in it gets a chance to tidy up. */
async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const ended = new Promise((resolve) => child.once('exit', resolve))
  process.kill(-child.pid, 'SIGKILL')
  await ended
}

afterEach(async () => {
  for (const child of started) await kill(child)
  await sandbox?.close()
  rmSync(state, { recursive: true, force: true })
})

async function startWorker(vars: Record<string, string>): Promise<{ url: string; child: ChildProcess }> {
  const child = fork('scripts/start/worker-host.mjs', [], {
    detached: true,
    silent: true,
    env: {
      PATH: process.env.PATH ?? '',
      HOME: process.env.HOME ?? '',
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
    },
  })
  started.push(child)
  child.send({ port: await freePort(0), persist: state, vars })
  const { url } = await new Promise<{ url: string }>((resolve, reject) => {
    child.once('message', (message) => resolve(message as { url: string }))
    child.once('exit', () => reject(new Error('the Worker did not start')))
  })
  return { url, child }
}

it('killed in mid-run, the Worker goes on where it was once the lease has run out, and tells of the dead run', async () => {
  sandbox = await startSandbox({ pages: PAGES })
  const { a, b } = sandbox.engines
  const vars = {
    SITEMAP_URL: sandbox.sitemapUrl,
    INDEXNOW_API_KEY: sandbox.key,
    INDEXNOW_SEARCH_ENGINES: `${a},${b}`,
    ADMIN_TOKEN: TOKEN,
    ALLOW_PRIVATE_NETWORK: 'true',
    RUN_REQUEST_BUDGET: '10000',
    REQUEST_INTERVAL_MS: '10',
    BATCH_PAUSE_MS: '0',
  }
  const first = await startWorker(vars)
  const cutOff = call(`${first.url}/trigger`, TOKEN).catch(() => null)
  const { ledger } = sandbox
  await expect
    .poll(() => ledger.of('a').acceptedCount, { timeout: 30_000, interval: 5 })
    .toBeGreaterThan(PAGES / 2)
  await kill(first.child)
  await cutOff
  const heard = { a: ledger.of('a').acceptedCount, b: ledger.of('b').acceptedCount }
  expect(heard.a).toBeLessThan(PAGES)

  const second = await startWorker(vars)
  const refused = await call(`${second.url}/trigger`, TOKEN)
  expect(refused.status).toBe(409)
  expect(refused.retryAfter).toBeGreaterThan(0)
  expect(refused.retryAfter).toBeLessThanOrEqual(60)
  await setTimeout(refused.retryAfter * 1_000)
  const answer = await call(`${second.url}/trigger`, TOKEN)
  expect(answer.status).toBe(200)
  expect((answer.body.record as ExecutionRecord).status).toBe('success')

  for (const engine of ['a', 'b'] as const) {
    const { accepted, duplicates } = ledger.of(engine)
    expect(new Set(accepted.map(({ url }) => url)).size).toBe(PAGES)
    expect(duplicates.length).toBeLessThanOrEqual(MAX_DUPLICATES)
    expect(accepted.length - PAGES).toBeLessThanOrEqual(MAX_DUPLICATES)
  }
  const history = await call(`${second.url}/history?site=127.0.0.1`, TOKEN)
  const records = history.body.records as ExecutionRecord[]
  expect(records.map(({ status }) => status)).toEqual(['success', 'interrupted'])
  expect(records[1]?.errors[0]?.advice).toContain('CPU limit')
})
