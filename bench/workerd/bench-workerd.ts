import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const HOST = fileURLToPath(new URL('./workerd-host.mjs', import.meta.url))

export interface BenchWorkerd {
  call(path: string, sitemapUrl?: string, body?: unknown): Promise<string>
  /** CPU time of workerd since its start, all threads, in ms. An empty call's share is for the caller to take off. */
  cpuMs(): number
  stop(): Promise<void>
}

/** A fresh workerd: nothing compiled, nothing cached. */
export async function startBenchWorkerd(): Promise<BenchWorkerd> {
  const child = fork(HOST, [], {
    execArgv: ['--no-warnings'],
    silent: true,
    env: {
      ...process.env,
      CLOUDFLARE_CF_FETCH_ENABLED: 'false',
      WRANGLER_SEND_METRICS: 'false',
      WRANGLER_HIDE_BANNER: 'true',
    },
  })
  let printed = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += chunk))
  const url = await new Promise<string>((resolve, reject) => {
    child.once('message', (message: { url: string }) => resolve(message.url))
    child.once('exit', (code) => reject(new Error(`workerd did not start (exit ${code}): ${printed}`)))
  })
  return {
    async call(path, sitemapUrl = '', body) {
      const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }
      const response = await fetch(`${url}${path}?sitemap=${encodeURIComponent(sitemapUrl)}`, init)
      const text = await response.text()
      if (!response.ok) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 300)}`)
      return text
    },
    cpuMs: () => workerdsUnder(child).reduce((sum, pid) => sum + cpuMsOf(pid), 0),
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve())
        child.disconnect()
      }),
  }
}

/** The processes named workerd among the descendants of this one: one with the Worker, one that passes requests on. */
function workerdsUnder(child: ChildProcess): number[] {
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const [, comm = '', parent = ''] =
          /^\d+ \((.*)\) \S (\d+)/.exec(readFileSync(`/proc/${name}/stat`, 'utf8')) ?? []
        return [{ pid: Number(name), comm, parent: Number(parent) }]
      } catch {
        return []
      }
    })
  const below = [child.pid]
  const found: number[] = []
  for (const id of below) {
    for (const { pid, comm, parent } of processes) {
      if (parent !== id) continue
      below.push(pid)
      if (comm === 'workerd') found.push(pid)
    }
  }
  if (found.length === 0) throw new Error('there is no workerd to measure: this needs Linux')
  return found
}

/** The scheduler's own count, in nanoseconds: the ticks of /proc/PID/stat are 10 ms, longer than a run. */
function cpuMsOf(pid: number): number {
  let nanoseconds = 0
  for (const task of readdirSync(`/proc/${pid}/task`)) {
    try {
      nanoseconds += Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0])
    } catch {
      // A thread that has just ended.
    }
  }
  return nanoseconds / 1e6
}
