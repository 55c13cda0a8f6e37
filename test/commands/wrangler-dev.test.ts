import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { startSandbox } from '../../sandbox/sandbox'
import { freePort } from '../../scripts/start/free-port'
import { SETTING_NAMES } from '../../src/settings'

const state = mkdtempSync(join(tmpdir(), 'beckon-'))
let child: ChildProcess | null = null

afterEach(async () => {
  if (child !== null) {
    const ended = new Promise((resolve) => child?.on('close', resolve))
    child.kill('SIGTERM')
    await ended
  }
  rmSync(state, { recursive: true, force: true })
})

it('plain wrangler dev takes every setting as --var, runs by cron and over HTTP, and reaches loopback', async () => {
  const sandbox = await startSandbox({ pages: 10 })
  const port = await freePort(0)
  const settings: Record<string, string> = {
    SITEMAP_URL: sandbox.sitemapUrl,
    SITE_HOST: `127.0.0.1:${sandbox.port}`,
    INDEXNOW_API_KEY: sandbox.key,
    INDEXNOW_SEARCH_ENGINES: JSON.stringify([sandbox.engines.a, sandbox.engines.b]),
    CRON_SCHEDULE: '0 0 * * *',
    MAX_CONCURRENT_REQUESTS: '3',
    REQUEST_INTERVAL_MS: '0',
    CACHE_TTL_DAYS: '30',
    MAX_RETRIES: '3',
    ADMIN_TOKEN: 'a-token-of-32-characters-exactly',
    BING_ENABLED: 'true',
    BING_API_KEY: sandbox.bingKey,
    BING_DAILY_QUOTA: '100',
    BING_PRIORITY: 'newest',
    WEBHOOK_URL: `${sandbox.origin}/hook`,
    WEBHOOK_SECRET: 'whsec_c2VjcmV0LXNlY3JldC1zZWNyZXQ=',
    USER_AGENT: 'Beckon under test',
    RUN_TIME_BUDGET_MS: '60000',
    RUN_REQUEST_BUDGET: '100',
    RATE_LIMIT_WAIT_MS: '1',
    RETRY_BASE_MS: '1',
    SITEMAP_RETRY_MS: '1',
    BATCH_PAUSE_MS: '0',
    REQUEST_TIMEOUT_MS: '5000',
    SITEMAP_TIMEOUT_MS: '5000',
    BING_API_BASE: sandbox.bingApiBase,
    ALLOW_PRIVATE_NETWORK: 'true',
    LOG_LEVEL: 'info',
    CORS_ORIGINS: 'https://dashboard.example',
  }
  expect(Object.keys(settings).sort()).toEqual([...new Set(SETTING_NAMES)].sort())
  const vars = Object.entries(settings).flatMap(([name, value]) => ['--var', `${name}:${value}`])
  child = spawn(
    process.execPath,
    [
      'node_modules/wrangler/bin/wrangler.js',
      'dev',
      '--port',
      String(port),
      '--persist-to',
      state,
      '--test-scheduled',
      ...vars,
    ],
    {
      stdio: 'pipe',
      env: {
        PATH: process.env.PATH ?? '',
        HOME: process.env.HOME ?? '',
        CLOUDFLARE_CF_FETCH_ENABLED: 'false',
        WRANGLER_SEND_METRICS: 'false',
      },
    },
  )
  const base = `http://127.0.0.1:${port}`
  await expect
    .poll(
      () =>
        fetch(`${base}/health`)
          .then(({ status }) => status)
          .catch(() => 0),
      { timeout: 60_000, interval: 200 },
    )
    .toBe(200)
  await fetch(`${base}/__scheduled?cron=*%2F15+*+*+*+*`)
  await expect.poll(() => sandbox.ledger.of('bing').acceptedCount, { timeout: 20_000 }).toBe(10)
  expect(sandbox.ledger.of('a').acceptedCount).toBe(10)
  expect(sandbox.ledger.of('b').acceptedCount).toBe(10)
  expect(sandbox.ledger.of('a').requests[0]?.headers['user-agent']).toBe('Beckon under test')
  const headers = { authorization: `Bearer ${settings.ADMIN_TOKEN}` }
  const answer = (await (await fetch(`${base}/trigger`, { headers })).json()) as {
    record: { newUrls: number }
  }
  expect(answer.record.newUrls).toBe(0)
  await sandbox.close()
})
