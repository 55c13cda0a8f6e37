import type {
  BingChange,
  FaultRequest,
  LedgerView,
  SandboxInfo,
  SandboxOptions,
  SiteChange,
  Target,
  TargetLedger,
} from './shapes'

export interface World extends SandboxInfo {
  ledger(target: Target): Promise<TargetLedger>
  ledgers(): Promise<LedgerView>
  /** Queued in the order given. */
  faults(...requests: readonly FaultRequest[]): Promise<void>
  site(change: SiteChange): Promise<void>
  bing(change: BingChange): Promise<void>
  latency(ms: number): Promise<void>
  reset(): Promise<void>
  close(): Promise<void>
}

export async function createWorld(factoryUrl: string, options: SandboxOptions = {}): Promise<World> {
  const info = await call<SandboxInfo>('POST', `${factoryUrl}/worlds`, options)
  const control = `${info.origin}/sandbox`
  const post = async (path: string, body: unknown) => void (await call('POST', control + path, body))

  return {
    ...info,
    ledger: (target) => call('GET', `${control}/ledger/${target}`),
    ledgers: () => call('GET', `${control}/ledger`),
    async faults(...requests) {
      for (const request of requests) await post('/faults', request)
    },
    site: (change) => post('/site', change),
    bing: (change) => post('/bing', change),
    latency: (ms) => post('/latency', { ms }),
    reset: () => post('/reset', {}),
    close: async () => void (await call('DELETE', `${factoryUrl}/worlds/${info.port}`)),
  }
}

async function call<T>(method: string, url: string, body?: unknown): Promise<T> {
  const payload = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url, { method, headers: { 'content-type': 'application/json' }, ...payload })
  const answer = await response.text()
  if (!response.ok) throw new Error(`The sandbox answered ${response.status} to ${method} ${url}: ${answer}`)
  return JSON.parse(answer) as T
}
