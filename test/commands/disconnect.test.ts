import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Sandbox, startSandbox } from '../../sandbox/sandbox'
import { freePort } from '../../scripts/start/free-port'
import { type LocalWorker, startLocalWorker } from '../../scripts/start/local-worker'
import type { ExecutionRecord } from '../../src/domain/execution-record'

const TOKEN = 'a-token-of-32-characters-exactly'
const PAGES = 60
const headers = { authorization: `Bearer ${TOKEN}` }

let state = ''
let sandbox: Sandbox
let worker: LocalWorker

beforeEach(async () => {
  state = mkdtempSync(join(tmpdir(), 'beckon-'))
  sandbox = await startSandbox({ pages: PAGES, latencyMs: 100 })
  worker = await startLocalWorker({
    port: await freePort(0),
    persist: state,
    vars: {
      ADMIN_TOKEN: TOKEN,
      ALLOW_PRIVATE_NETWORK: 'true',
      SITEMAP_URL: sandbox.sitemapUrl,
      INDEXNOW_API_KEY: sandbox.key,
      INDEXNOW_SEARCH_ENGINES: sandbox.engines.a,
      RUN_REQUEST_BUDGET: '500',
      REQUEST_INTERVAL_MS: '0',
    },
    onLine: () => {},
  })
})
afterEach(async () => {
  await worker.stop()
  await sandbox.close()
  rmSync(state, { recursive: true, force: true })
})

async function history(): Promise<readonly ExecutionRecord[]> {
  const response = await fetch(`${worker.url}/history`, { headers })
  return ((await response.json()) as { records: ExecutionRecord[] }).records
}

const acceptedSoFar = () => sandbox.ledger.of('a').acceptedCount

it('a client that leaves in mid-run does not end the run: all is submitted and recorded', async () => {
  const client = request(`${worker.url}/trigger`, { method: 'POST', headers })
  const left = new Promise<void>((resolve) => client.on('error', () => resolve()))
  client.on('response', () => expect.unreachable('the run must not be over yet'))
  client.end()
  await expect.poll(acceptedSoFar, { timeout: 20_000, interval: 50 }).toBeGreaterThan(0)
  client.destroy()
  await left
  expect(acceptedSoFar()).toBeLessThan(PAGES)
  expect(await history()).toEqual([])
  await expect.poll(async () => (await history()).length, { timeout: 25_000, interval: 250 }).toBe(1)
  expect(await history()).toMatchObject([{ status: 'success', submittedUrls: PAGES, trigger: 'manual' }])
  expect(acceptedSoFar()).toBe(PAGES)
})
