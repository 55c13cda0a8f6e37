import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import { setTimeout as wait } from 'node:timers/promises'
import { CONTROL_BASE, createControl } from './control'
import { createFaults, faultVerdict } from './faults'
import type { SandboxRequest } from './http-kit'
import { closeServer, listenOnLoopback, readBody, requestHead, send } from './http-kit'
import { createLedger } from './ledger'
import { DEFAULTS } from './limits'
import { BING_BASE, createPretendBing } from './pretend-bing'
import { createPretendIndexNow } from './pretend-indexnow'
import { createPretendSite } from './pretend-site'
import type { LedgerView, SandboxInfo, SandboxOptions, Target, TargetLedger } from './shapes'
import { submittedUrls } from './submitted-urls'
import type { Verdict } from './verdict'
import { acceptsNothing } from './verdict'

export interface Sandbox extends SandboxInfo {
  ledger: { of(target: Target): TargetLedger; all(): LedgerView }
  close(): Promise<void>
}

const ENGINE_PATHS = { a: '/engines/a/indexnow', b: '/engines/b/indexnow' } as const

export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const server = createServer()
  const port = await listenOnLoopback(server, options.port ?? 0)
  const world = createSandboxWorld(port, options)
  server.on('request', world.serve)
  return { ...world.info, ledger: world.ledger, close: () => closeServer(server) }
}

function createSandboxWorld(port: number, options: SandboxOptions) {
  const origin = `http://127.0.0.1:${port}`
  const key = options.key ?? DEFAULTS.INDEXNOW_KEY
  const bingKey = options.bingKey ?? DEFAULTS.BING_KEY
  const initialLatency = options.latencyMs ?? DEFAULTS.LATENCY_MS
  let latencyMs = initialLatency

  const ledger = createLedger()
  const faults = createFaults()
  const hung = new Set<ServerResponse>()
  const site = createPretendSite({ origin, key, pages: options.pages ?? DEFAULTS.PAGES })
  const a = createPretendIndexNow({ origin, site, firstTimeStatus: 202 })
  const b = createPretendIndexNow({ origin, site, firstTimeStatus: 200 })
  const quota = options.bingQuota ?? DEFAULTS.BING_URLS_PER_DAY
  const bing = createPretendBing({ origin, apiKey: bingKey, quota })

  const handlers: Record<Target, (request: SandboxRequest) => Verdict> = {
    a: a.handle,
    b: b.handle,
    bing: bing.handle,
    site: (request) => acceptsNothing(site.handle(request)),
  }

  const info: SandboxInfo = {
    origin,
    port,
    key,
    bingKey,
    sitemapUrl: site.sitemapUrl,
    engines: { a: origin + ENGINE_PATHS.a, b: origin + ENGINE_PATHS.b },
    bingApiBase: origin + BING_BASE,
  }

  function reset() {
    for (const part of [ledger, faults, site, a, b, bing]) part.reset()
    for (const response of hung) response.destroy()
    hung.clear()
    latencyMs = initialLatency
  }

  const setLatency = (ms: number) => {
    latencyMs = ms
  }
  const control = createControl({ info, ledger, faults, site, bing, setLatency, reset })

  async function serveTarget(target: Target, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const head = requestHead(req)
    const entry = ledger.open(target, head)
    res.once('close', () => entry.close(null))
    const request = { ...head, body: await readBody(req) }
    const urls = submittedUrls(request)
    entry.carries(urls.length)

    const fault = faults.take(target, [`${head.path}?${head.rawQuery}`, ...head.query.values(), ...urls])
    if (fault?.kind === 'hang') return void hung.add(res)
    if (fault?.kind === 'drop') return void res.destroy()
    const verdict = (fault && faultVerdict(target, fault, bing)) ?? handlers[target](request)
    entry.accept(verdict.accepted)

    // The work is done before the wait: a caller that gives up early has still been heard, as in life.
    const delay = (target === 'site' ? 0 : latencyMs) + (fault?.kind === 'slow' ? fault.ms : 0)
    if (delay > 0) await wait(delay, undefined, { ref: false })
    if (res.destroyed) return
    // Closed before the bytes leave, so that a quick next request is not counted as simultaneous.
    entry.close(verdict.answer.status)
    send(res, verdict.answer)
  }

  async function serveAny(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const head = requestHead(req)
    if (head.path.startsWith(`${CONTROL_BASE}/`)) send(res, control({ ...head, body: await readBody(req) }))
    else await serveTarget(targetOf(head.path), req, res)
  }

  const serve = (req: IncomingMessage, res: ServerResponse) => {
    serveAny(req, res).catch(() => res.destroy())
  }
  return { info, ledger, serve }
}

function targetOf(path: string): Target {
  if (path === ENGINE_PATHS.a) return 'a'
  if (path === ENGINE_PATHS.b) return 'b'
  return path.startsWith(`${BING_BASE}/`) ? 'bing' : 'site'
}
