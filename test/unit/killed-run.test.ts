import { describe, expect, it } from 'vitest'
import { compose, configure } from '../../src/compose'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { createMemoryStore } from '../../src/drivers/memory-store'
import type { KeyValueStore, Ports } from '../../src/ports'
import { createLogCapture, createSeededRandom } from '../support/memory-application'
import { expectBalanced, KEY, START, shopHost } from '../support/pretend-internet'
import { readScannerModule } from '../support/scanner-module'
import { createVirtualClock } from '../support/virtual-clock'

const LEASE_MS = 60_000
const TIMEOUT_MS = 60_000
const ENGINES = ['a.example', 'b.example']

/** A process that is killed with its `lastStep`-th look at the world, before or after that took effect. */
function world(options: { pages: number; requests: string }) {
  const clock = createVirtualClock(START)
  const store = createMemoryStore(clock)
  const taken = new Map<string, string[]>()
  const site = shopHost(() => options.pages)

  async function fetch(address: string, init: RequestInit): Promise<Response> {
    const url = new URL(address)
    if (url.host === 'shop.example') {
      const reply = site({ url } as Parameters<typeof site>[0], 0)
      if (typeof reply !== 'object') return new Response(null, { status: Number(reply) })
      return new Response(reply.body ?? '', { status: reply.status })
    }
    const urls =
      typeof init.body === 'string'
        ? (JSON.parse(init.body) as { urlList: string[] }).urlList
        : [url.searchParams.get('url') ?? '']
    taken.set(url.host, [...(taken.get(url.host) ?? []), ...urls])
    return new Response('', { status: 200 })
  }

  function start(seed: number, lastStep = Number.POSITIVE_INFINITY, afterEffect = false) {
    let steps = 0
    let die: () => void = () => {}
    const died = new Promise<void>((resolve) => {
      die = resolve
    })
    const step =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const nth = ++steps
        if (nth < lastStep) return work(...args)
        if (nth === lastStep && afterEffect) await work(...args)
        die()
        return new Promise<R>(() => {})
      }
    const alive =
      <A extends unknown[], R>(work: (...args: A) => Promise<R>) =>
      async (...args: A): Promise<R> => {
        const value = await work(...args)
        return steps >= lastStep ? new Promise<R>(() => {}) : value
      }
    const watched = Object.fromEntries(
      Object.entries(store).map(([name, work]) => [
        name,
        step(work as (...args: unknown[]) => Promise<unknown>),
      ]),
    ) as unknown as KeyValueStore
    const ports: Ports = {
      clock,
      sleep: alive(clock.sleep),
      fetch: step(fetch),
      random: createSeededRandom(seed),
      logger: createLogCapture(clock).logger,
      store: watched,
      scanner: readScannerModule(),
    }
    const app = compose(
      ports,
      configure({
        SITEMAP_URL: 'https://shop.example/sitemap.xml',
        INDEXNOW_API_KEY: KEY,
        INDEXNOW_SEARCH_ENGINES: ENGINES,
        RUN_REQUEST_BUDGET: options.requests,
      }),
    )
    return { tick: () => clock.run(Promise.race([app.tick(), died])), steps: () => steps }
  }

  const history = async () =>
    JSON.parse((await store.getText('sites:history:shop.example')) ?? '[]') as ExecutionRecord[]
  return { clock, store, start, history, accepted: (host: string) => taken.get(host) ?? [] }
}

/** Kills at this step, lets the lease run out, and starts anew. */
async function killAndResume(
  options: { pages: number; requests: string },
  lastStep: number,
  afterEffect: boolean,
) {
  const { clock, store, start, history, accepted } = world(options)
  await start(1, lastStep, afterEffect).tick()
  const leased = (await store.getText('sites:lease:shop.example')) !== null
  const finished = (await history()).length > 0
  await clock.advance(LEASE_MS)
  await start(2).tick()
  const records = await history()
  for (const record of records) expectBalanced(record)
  return { records, leased, finished, accepted }
}

async function stepsOfAWholeRun(options: { pages: number; requests: string }): Promise<number> {
  const run = world(options).start(1)
  await run.tick()
  return run.steps()
}

describe('killed at any moment', () => {
  it.each([false, true])(
    'by GET (effect applied: %s): no URL is lost, at most 103 duplicates per engine',
    async (after) => {
      const options = { pages: 130, requests: '10000' }
      const steps = await stepsOfAWholeRun(options)
      expect(steps).toBeGreaterThan(260)
      const points = Array.from({ length: steps }, (_, n) => n + 1)
      for (const lastStep of points.filter((n) => n < 12 || n > steps - 12 || n % 7 === 0)) {
        const { records, leased, finished, accepted } = await killAndResume(options, lastStep, after)
        for (const host of ENGINES) {
          expect(new Set(accepted(host)).size, `${host}, killed at ${lastStep}`).toBe(130)
          expect(accepted(host).length - 130, `${host}, killed at ${lastStep}`).toBeLessThanOrEqual(103)
        }
        expect(records.some(({ status }) => status === 'success')).toBe(true)
        // A run that has a record of its own is not told of again.
        const told = records.filter(({ status }) => status === 'interrupted').length
        expect(told, `killed at ${lastStep}`).toBe(leased && !finished ? 1 : 0)
      }
    },
    TIMEOUT_MS,
  )

  it.each([false, true])(
    'in bulk (effect applied: %s): no URL is lost, at most one POST is repeated',
    async (after) => {
      const options = { pages: 10_050, requests: '45' }
      const steps = await stepsOfAWholeRun(options)
      for (let lastStep = 1; lastStep <= steps; lastStep++) {
        const { accepted } = await killAndResume(options, lastStep, after)
        for (const host of ENGINES) {
          expect(new Set(accepted(host)).size, `${host}, killed at ${lastStep}`).toBe(10_050)
          expect(accepted(host).length - 10_050, `${host}, killed at ${lastStep}`).toBeLessThanOrEqual(10_000)
        }
      }
    },
    TIMEOUT_MS,
  )
})
