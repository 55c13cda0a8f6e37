import { describe, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { createExecutionLog } from '../../src/records/execution-log'
import { createLogCapture } from '../support/memory-application'
import { openShop, START } from '../support/pretend-internet'
import { createVirtualClock } from '../support/virtual-clock'

const MEBIBYTE = 1_048_576
const HISTORY = 'sites:history:shop.example'

describe('saving a run', () => {
  it.each([
    'put',
    'getText',
  ] as const)('a history that fails (%s) costs its record and nothing else', async (operation) => {
    const shop = openShop()
    const real = shop.store[operation] as (...args: unknown[]) => Promise<unknown>
    Object.assign(shop.store, {
      [operation]: (...args: unknown[]) =>
        args[0] === HISTORY ? Promise.reject(new Error('too large')) : real(...args),
    })
    expect(await shop.run()).toMatchObject({ status: 'success', submittedUrls: 3 })
    expect(await shop.state()).toMatchObject({ lastExecution: { submittedUrls: 3 } })
    expect(shop.log.entries('error').map(({ message }) => message)).toContain(
      'the record of a run could not be added to the history',
    )
    // Finished is finished: nobody has to wait for a lease, and nobody calls it interrupted.
    expect((await shop.call('/trigger')).status).toBe(200)
  })

  it('a history that fails does not keep the site from running after one that died', async () => {
    const shop = openShop()
    const dead = { runId: 'dead', startedAt: START - 70_000, until: START - 10_000 }
    await shop.store.put('sites:lease:shop.example', JSON.stringify(dead))
    const { put } = shop.store
    Object.assign(shop.store, {
      put: (...args: Parameters<typeof put>) =>
        args[0] === HISTORY ? Promise.reject(new Error('too large')) : put(...args),
    })
    expect(await shop.run()).toMatchObject({ status: 'success', submittedUrls: 3 })
  })

  it('whatever an engine says, what is kept of it stays short', async () => {
    const said = 'x'.repeat(60_000)
    const shop = openShop({
      pages: 40,
      env: { BING_ENABLED: 'true', BING_API_KEY: 'bing-key-0123456789', MAX_RETRIES: '0' },
    })
    const answers = [400, 403, 404, 418, 422, 451].map((status) => ({
      status,
      body: JSON.stringify({ errorCode: said, message: said, details: { invalidUrlList: [said] } }),
      headers: { 'retry-after': said },
    }))
    shop.hosts['a.example'] = (_, nth) => answers[nth % answers.length] ?? 500
    shop.hosts['ssl.bing.com'] = () => ({
      status: 400,
      body: JSON.stringify({ ErrorCode: said, Message: said }),
    })
    const record = await shop.run()
    expect(record.errors.length).toBeGreaterThan(1)
    for (const { message } of record.errors) expect(message.length).toBeLessThan(500)
    for (const key of (await shop.store.list('sites:')).keys) {
      expect((await shop.store.getText(key))?.length, key).toBeLessThan(20_000)
    }
  })

  it('the history stays below what one value may hold: the oldest records give way', async () => {
    const clock = createVirtualClock(START)
    const store = createMemoryStore(clock)
    const history = createExecutionLog(store, createLogCapture(clock).logger)
    const record = (n: number) =>
      ({
        runId: `run-${n}`,
        siteId: 'shop.example',
        status: 'success',
        timestamp: '2026-04-01T00:00:00.000Z',
        engines: {},
        errors: [],
        bingStats: {},
        batches: ['é'.repeat(MEBIBYTE / 2)],
      }) as unknown as ExecutionRecord
    for (let n = 0; n < 30; n++) await history.append(record(n), null)
    const kept = await history.read('shop.example')
    expect((await store.getBytes(HISTORY))?.length).toBeLessThan(25 * MEBIBYTE)
    expect(kept[0]?.runId).toBe('run-29')
    expect(kept.length).toBeGreaterThan(10)
    expect(kept.length).toBeLessThan(30)
  })
})
