import type { Application } from '../../src/compose'
import { parseKey } from '../../src/records/keys'
import { readScannerModule } from '../support/scanner-module'
import { Chance } from './chance'
import { hostileStore, NO_STORE_FAULTS, StoredTruth, type StoreRates } from './hostile-store'
import { Internet } from './internet'
import { Isolate, type Product, type StepFault } from './isolate'
import { addressOf, Judge } from './judge'
import type { PretendSite } from './pretend-site'
import { statesIn } from './rare-states'
import { SimulatedTime } from './simulated-time'

export const TOKEN = 'Zq-token-Zq-of-the-owner'
export const ENGINES = ['one.engine.example', 'two.engine.example'] as const
/** A run's own time, the request under way when it ends, and what closing the books takes on a slow store. */
const MAX_INVOCATION_MS = 300_000 + 30_000 + 120_000
const scanner = readScannerModule()

/** What happens at which step, and perhaps once more at a later one. */
export interface Plan {
  readonly step: number
  readonly fault: StepFault
  readonly again?: number
}

export interface WorldOptions {
  readonly product: Product
  readonly seed: number
  readonly startMs: number
  readonly env?: Readonly<Record<string, unknown>>
  readonly requestBudget?: number
  /** Told every event, to find out how a story went. */
  readonly listen?: (event: string) => void
}

/** Everything around the product, and the product in the middle of it. */
export class World {
  readonly chance: Chance
  readonly time: SimulatedTime
  readonly truth: StoredTruth
  readonly sites = new Map<string, PretendSite>()
  readonly judge: Judge
  readonly internet: Internet
  readonly counts = new Map<string, number>()
  rates: StoreRates = NO_STORE_FAULTS
  maxOperations = 1_000
  maxSkewMs = 0
  logLevel: 'debug' | 'info' | 'warn' = 'info'
  /** Probability that a step is the last one of its isolate. */
  killRate = 0
  /** For enumeration: what happens at which step. */
  plan: Plan | null = null
  steps: ('kv_read' | 'kv_write' | 'fetch')[] = []
  readonly requestBudget: number
  #isolates: Isolate[] = []
  readonly #running = new Set<Promise<void>>()
  #hash = 0x811c9dc5

  constructor(private readonly options: WorldOptions) {
    this.chance = new Chance(options.seed)
    this.time = new SimulatedTime(options.startMs)
    this.truth = new StoredTruth(this.time)
    this.requestBudget = options.requestBudget ?? 45
    const count = (what: string) => this.count(what)
    this.judge = new Judge(this.time, this.truth, this.sites, ENGINES.map(addressOf), count)
    this.internet = new Internet(this)
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  /** The same seed must tell the same story, to the letter. */
  trace(event: string): void {
    this.options.listen?.(`${new Date(this.time.now).toISOString()} ${event}`)
    let hash = this.#hash
    for (let i = 0; i < event.length; i++) hash = Math.imul(hash ^ event.charCodeAt(i), 0x01000193)
    this.#hash = Math.imul(hash ^ (this.time.now & 0xffffffff), 0x01000193)
  }

  get traceHash(): string {
    return (this.#hash >>> 0).toString(16).padStart(8, '0')
  }

  addSite(site: PretendSite): void {
    this.sites.set(site.id, site)
    this.restoreConfig(site)
  }

  site(n: number): PretendSite {
    const site = this.sites.get(`s${n}.example`)
    if (site === undefined) throw new Error(`there is no site ${n}`)
    return site
  }

  restoreConfig(site: PretendSite, switchedOn?: string): void {
    const at = new Date(this.time.now).toISOString()
    site.unusable = false
    const config = { createdAt: at, updatedAt: at, fields: { ...site.fields, id: site.id } }
    const on = switchedOn === undefined ? {} : { switchedOn: { bingEnabled: switchedOn } }
    this.truth.write(`sites:config:${site.id}`, JSON.stringify({ ...config, ...on }))
  }

  /** A cron event. It goes on by itself while time passes. */
  tick(): Promise<void> {
    const startedAt = this.time.now
    for (const { invocation, dead } of this.#isolates) {
      const overdue = invocation !== null && !dead && startedAt - invocation.startedAt > MAX_INVOCATION_MS
      if (overdue) this.judge.broken('I8', 'an invocation does not come to its end')
    }
    return this.#invoke(async (app) => {
      await app.tick()
      this.judge.tickEnds(startedAt)
    })
  }

  trigger(siteId: string, channel: string): Promise<void> {
    return this.ask(`/trigger?site=${siteId}&channel=${channel}`, TOKEN)
  }

  ask(
    path: string,
    token: string | null,
    check?: (response: Response) => void,
    method = 'GET',
  ): Promise<void> {
    return this.#invoke(async (app) => {
      const headers: Record<string, string> = token === null ? {} : { authorization: `Bearer ${token}` }
      const kept: Promise<unknown>[] = []
      const request = new Request(`https://beckon.example${path}`, { method, headers })
      const response = await app.fetch(request, { waitUntil: (work) => kept.push(work) })
      this.trace(`${path} ${response.status}`)
      this.judge.said(await response.clone().text(), path)
      check?.(response)
      await Promise.allSettled(kept)
    })
  }

  /** Lets everything that is under way come to its end. */
  async finish(): Promise<void> {
    await this.time.run(Promise.allSettled([...this.#running]))
  }

  #invoke(work: (app: Application) => Promise<unknown>): Promise<void> {
    const isolate = this.#idleIsolate()
    const done = isolate.invoke(work).then(() => this.#ended(isolate))
    this.#running.add(done)
    void done.finally(() => this.#running.delete(done))
    return done
  }

  #ended(isolate: Isolate): void {
    const { invocation } = isolate
    if (invocation === null) return
    for (const run of invocation.runs.values()) this.judge.runEnds(run)
    const took = this.time.now - invocation.startedAt
    if (took > MAX_INVOCATION_MS) this.judge.broken('I8', `an invocation took ${took} ms`)
    // What a dead one has under way may still happen.
    if (!isolate.dead) isolate.invocation = null
  }

  #idleIsolate(): Isolate {
    this.#isolates = this.#isolates.filter(({ dead }) => !dead)
    const idle = this.#isolates.find((one) => one.idle)
    if (idle !== undefined && !this.chance.happens(0.02)) return idle
    const isolate = this.#newIsolate()
    this.#isolates.push(isolate)
    return isolate
  }

  #newIsolate(): Isolate {
    const { product, env } = this.options
    return new Isolate({
      product,
      env: {
        ADMIN_TOKEN: TOKEN,
        RUN_REQUEST_BUDGET: String(this.requestBudget),
        WEBHOOK_URL: 'https://hooks.example/beckon',
        LOG_LEVEL: this.logLevel,
        ...env,
      },
      time: this.time,
      chance: this.chance.fork(),
      skewMs: this.chance.int(-this.maxSkewMs, this.maxSkewMs),
      logLevel: this.logLevel,
      scanner,
      fetch: (isolate, url, init) => this.internet.fetch(isolate, url, init),
      store: (isolate) => this.#storeOf(isolate),
      line: (line) => {
        this.trace(line)
        this.judge.said(line, 'the log')
        for (const state of statesIn(line)) this.count(state)
      },
      faultAt: (_isolate, kind) => this.#faultAt(kind),
      staleRead: (keys) => {
        for (const key of keys) this.#troubled(key)
      },
      died: (isolate) => this.#died(isolate),
    })
  }

  #faultAt(kind: 'kv_read' | 'kv_write' | 'fetch'): StepFault | null {
    this.steps.push(kind)
    if (this.plan !== null) {
      const { step, again, fault } = this.plan
      return step === this.steps.length || again === this.steps.length ? fault : null
    }
    this.steps.length = 0
    if (this.killRate === 0 || !this.chance.happens(this.killRate)) return null
    const fault = this.chance.pick(['killed_before', 'killed_after'] as const)
    this.count(`${fault}_${kind}`)
    return fault
  }

  #died(isolate: Isolate): void {
    this.trace('killed')
    for (const run of isolate.invocation?.runs.values() ?? []) {
      if (run.closed) continue
      this.judge.troubled(run.site, 'killed')
      this.judge.runEnds(run)
    }
  }

  #troubled(key: string): void {
    const parsed = parseKey(key)
    const site = this.sites.get(parsed?.siteId ?? '')
    if (site !== undefined) this.judge.troubled(site, parsed?.kind === 'quota' ? 'quota' : 'store')
  }

  #storeOf(isolate: Isolate): Isolate['store'] {
    return hostileStore({
      truth: this.truth,
      time: this.time,
      chance: this.chance.fork(),
      rates: () => this.rates,
      lastWrites: this.lastWrites,
      maxOperations: () => this.maxOperations,
      events: {
        fault: (fault, key) => {
          this.count(fault)
          this.trace(`${fault} ${key}`)
          if (fault !== 'kv_slow') this.#troubled(key)
        },
        put: (key, value, applied) => {
          this.trace(`put ${key} ${value.length}`)
          this.#put(isolate, key, value, applied)
        },
      },
    })
  }

  readonly lastWrites = new Map<string, number>()

  #put({ invocation, dead }: Isolate, key: string, value: string | Uint8Array, applied: boolean): void {
    if (invocation === null) return
    const last = invocation.lastWrites.get(key) ?? Number.NEGATIVE_INFINITY
    if (this.time.now - last < 1_000) this.judge.broken('I8', `two writes to ${key} within a second`)
    invocation.lastWrites.set(key, this.time.now)
    const parsed = parseKey(key)
    const site = this.sites.get(parsed?.siteId ?? '')
    if (parsed?.kind === 'lease' && site !== undefined) {
      const { runId, startedAt } = JSON.parse(value as string) as { runId: string; startedAt: number }
      const before = invocation.runs.get(site.id)
      if (before !== undefined && before.runId !== runId) this.judge.runEnds(before)
      const run = this.judge.runStarts(site, runId, startedAt)
      invocation.runs.set(site.id, run)
      if (dead) this.judge.runEnds(run)
    }
    this.judge.written(key, value, applied, invocation.runs.get(parsed?.siteId ?? '') ?? null)
  }
}
