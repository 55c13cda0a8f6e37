/** `npm start`: the Worker on this machine, with the sandbox or with your own site, run once before your eyes. */
import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Sandbox, startSandbox } from '../sandbox/sandbox'
import { type Configuration, configure } from '../src/compose'
import type { ExecutionRecord } from '../src/domain/execution-record'
import { type Answer, call } from './start/call'
import { freePort } from './start/free-port'
import { type LocalWorker, startLocalWorker } from './start/local-worker'
import { ProgressBar } from './start/progress-bar'
import { readVars } from './start/read-vars'
import { openStateFolder } from './start/state-folder'
import { everythingAccepted, summary } from './start/summary'
import { unknownVars } from './start/unknown-vars'

const WORKER_PORT = 8787
const SANDBOX_PORT = 8788
const LEASE_TRIES = 3
const PARENT_CHECK_MS = 1_000

/** No platform counts requests here; a run may take what it needs. */
const LOCAL_VARS = { RUN_REQUEST_BUDGET: '10000' }
/** The sandbox's engines do not mind being asked fast. */
const DEMO_VARS = { REQUEST_INTERVAL_MS: '10', BATCH_PAUSE_MS: '0', ALLOW_PRIVATE_NETWORK: 'true' }

const USAGE = `Usage: npm start -- [--once] [--state DIR]
  --once       leave after the summary; the exit code is 0 when every URL was accepted
  --state DIR  keep the state in DIR (default .beckon)`

/** What a shell reports of a process that a signal ended. */
const INTERRUPTED = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

const print = (text = '') => process.stdout.write(`${text}\n`)

function stopWith(sentence: string): never {
  process.stderr.write(`${sentence}\n`)
  process.exit(1)
}

function readArguments(): { once: boolean; state: string } {
  try {
    const { values } = parseArgs({
      options: {
        once: { type: 'boolean' },
        state: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    if (values.help) {
      print(USAGE)
      process.exit(0)
    }
    return { once: values.once ?? false, state: values.state ?? '.beckon' }
  } catch (error) {
    return stopWith(`${(error as Error).message}\n${USAGE}`)
  }
}

function checked(vars: Record<string, string>): Configuration {
  const configuration = configure(vars)
  if (configuration.problems.length > 0)
    stopWith(configuration.problems.map(({ sentence }) => sentence).join('\n'))
  return configuration
}

/** The pretend site as a person would register it: through the API. */
async function register(worker: LocalWorker, token: string, sandbox: Sandbox): Promise<string> {
  const body = {
    sitemapUrl: sandbox.sitemapUrl,
    apiKey: sandbox.key,
    searchEngines: [sandbox.engines.a, sandbox.engines.b],
  }
  // One site per port: with another port the URLs are others, and the old site is nowhere any more.
  const id = `sandbox-${sandbox.port}.test`
  const answer = await call(`${worker.url}/api/sites`, token, { method: 'POST', body: { id, ...body } })
  if (answer.status !== 201 && answer.status !== 409) throw new Error(String(answer.body.detail))
  return id
}

/** Runs the site, waiting first for the lease of a run that was killed before its end. */
async function trigger(url: string, token: string): Promise<Answer> {
  for (let tries = 0; ; tries++) {
    const answer = await call(url, token)
    if (answer.status !== 409 || tries === LEASE_TRIES) return answer
    print(`An earlier run was cut off; its lease runs out in ${answer.retryAfter} s. Waiting …`)
    await setTimeout(answer.retryAfter * 1000)
  }
}

/** Set once somebody asked for the end: what breaks off from then on is no news. */
let stopping = false

async function main(): Promise<void> {
  const { once, state } = readArguments()
  const vars = readVars('.dev.vars', process.env)
  for (const warning of unknownVars(vars)) process.stderr.write(`${warning}\n`)
  const demo =
    vars.SITEMAP_URL === undefined && vars.INDEXNOW_API_KEY === undefined && vars.SITE_HOST === undefined
  const folder = openStateFolder(state)
  const kept = folder.read()
  const token = vars.ADMIN_TOKEN ?? kept.adminToken ?? randomBytes(24).toString('base64url')
  // The progress bar follows the run by its log lines, one per URL: hence the level.
  const fixed = { ADMIN_TOKEN: token, LOG_LEVEL: 'debug' }
  const ready = { ...LOCAL_VARS, ...(demo ? DEMO_VARS : {}), ...vars, ...fixed }
  const { environmentSite } = checked(ready)

  const sandbox = demo ? await startSandbox({ port: kept.sandboxPort ?? SANDBOX_PORT }) : null
  const sandboxPort = sandbox?.port ?? kept.sandboxPort
  folder.write({ adminToken: token, ...(sandboxPort === undefined ? {} : { sandboxPort }) })

  let worker: LocalWorker | null = null
  const stop = async (code: number): Promise<never> => {
    stopping = true
    await worker?.stop()
    await sandbox?.close()
    process.exit(code)
  }
  const bar = new ProgressBar(process.stdout)
  let finished = false
  for (const [signal, code] of Object.entries(INTERRUPTED)) {
    process.on(signal, () => {
      if (stopping) return
      bar.end()
      if (!finished) print('Stopped; the next start goes on where this one was.')
      // With --once somebody waits for the outcome, and there is none.
      void stop(once && !finished ? code : 0)
    })
  }

  // Whoever kills npm outright means this process too.
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && void stop(1), PARENT_CHECK_MS).unref()

  if (sandbox !== null) {
    print(`A pretend site with 500 pages and two pretend engines are at ${sandbox.origin}.`)
    if (kept.sandboxPort !== undefined && kept.sandboxPort !== sandbox.port)
      print(
        `Port ${kept.sandboxPort} of the last run is taken: at another port this is another site, all new.`,
      )
  }
  print('Starting the Worker …')
  const port = await freePort(WORKER_PORT)
  worker = await startLocalWorker({
    port,
    persist: folder.kv,
    vars: ready,
    onLine: (line) => bar.readLine(line),
  })
  // With a sitemap and a key that passed the check above there is a site of the environment.
  const siteId = sandbox === null ? environmentSite?.id : await register(worker, token, sandbox)
  const answer = await trigger(`${worker.url}/trigger?site=${siteId}`, token)
  bar.end()
  finished = true
  if (answer.status !== 200) {
    process.stderr.write(`${answer.body.detail}\n`)
    return stop(1)
  }
  const record = answer.body.record as ExecutionRecord
  print()
  print(summary(record, { ofEnvironment: sandbox === null }))
  print()
  const address = `${worker.url}/status?site=${record.siteId}`
  // A token of your own is not repeated on the screen.
  const shown = vars.ADMIN_TOKEN === undefined ? token : 'YOUR_ADMIN_TOKEN'
  if (once) return stop(everythingAccepted(record) ? 0 : 1)
  print(`Look at it:  curl -H "Authorization: Bearer ${shown}" "${address}"`)
  print('Ctrl-C stops everything.')
}

main().catch((error: unknown) => {
  if (!stopping) stopWith(error instanceof Error ? error.message : String(error))
})
