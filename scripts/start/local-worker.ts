import { type ChildProcess, fork } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

export interface LocalWorkerOptions {
  readonly port: number
  /** Where local KV lies. */
  readonly persist: string
  readonly vars: Readonly<Record<string, string>>
  /** Every line the Worker or its runtime prints. */
  readonly onLine: (line: string) => void
}

export interface LocalWorker {
  readonly url: string
  stop(): Promise<void>
}

const STOP_PATIENCE_MS = 5_000
const HOST = fileURLToPath(new URL('./worker-host.mjs', import.meta.url))

/** Runs the Worker in workerd, in a process of its own that ends when this one does, however this one ends. */
export function startLocalWorker(options: LocalWorkerOptions): Promise<LocalWorker> {
  const child = fork(HOST, [], {
    // Its own group: Ctrl-C reaches this process alone, which then stops the other in good order.
    detached: true,
    silent: true,
    execArgv: ['--no-warnings'],
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
    },
  })
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr]) {
    if (stream === null) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 50) lines.shift()
      options.onLine(line)
    })
  }
  // Over the channel, not on the command line or in a file: these hold keys.
  child.send({ port: options.port, persist: options.persist, vars: options.vars })
  return new Promise((resolve, reject) => {
    child.once('message', (message: { url: string }) => {
      resolve({ url: message.url, stop: () => stop(child) })
    })
    child.once('exit', (code) => {
      reject(new Error(`The Worker did not start (exit ${code}):\n${lines.join('\n')}`))
    })
  })
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.disconnect()
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS)
  await ended
  clearTimeout(timer)
}
