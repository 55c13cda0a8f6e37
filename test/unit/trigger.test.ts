import { describe, expect, it } from 'vitest'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import type { KeyValueStore } from '../../src/ports'
import { madeUpInternet } from '../support/made-up-internet'
import { composeInMemory, TOKEN } from '../support/memory-application'

const NOON = Date.UTC(2026, 10, 18, 12)
const trigger = (query = '') =>
  new Request(`https://beckon.test/trigger${query}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${TOKEN}` },
  })

/** `storeMs`: how long the store takes for everything. */
function open(storeMs = 0) {
  const internet = madeUpInternet({ pages: 20 })
  let wait = async () => {}
  const app = composeInMemory({
    fetch: internet.fetch,
    startMs: NOON,
    wrapStore: (store) => slow(store, () => wait()),
  })
  wait = () => app.clock.sleep(storeMs)
  const records = async () =>
    ((await (await app.call('/history')).json()) as { records: ExecutionRecord[] }).records
  return { ...app, internet, records }
}

function slow(store: KeyValueStore, wait: () => Promise<void>): KeyValueStore {
  return {
    getText: (key) => wait().then(() => store.getText(key)),
    getBytes: (key) => wait().then(() => store.getBytes(key)),
    getTexts: (keys) => wait().then(() => store.getTexts(keys)),
    put: (key, value, options) => wait().then(() => store.put(key, value, options)),
    delete: (key) => wait().then(() => store.delete(key)),
    list: (prefix, cursor) => wait().then(() => store.list(prefix, cursor)),
  }
}

describe('/trigger', () => {
  it('hands the whole run to the runtime before the first request: a client that leaves changes nothing', async () => {
    const { app, clock, internet, records } = open()
    const kept: Promise<unknown>[] = []
    // Nobody ever waits for this answer.
    void app.fetch(trigger(), {
      waitUntil: (work) => {
        expect(internet.asked).toEqual([])
        kept.push(work)
      },
    })
    await clock.advance(0)
    expect(kept.length).toBeGreaterThan(0)
    await clock.run(Promise.all(kept))
    expect(await records()).toMatchObject([{ status: 'success', submittedUrls: 20 }])
  })

  it('runs one at a time per site, however many ask in the same moment', async () => {
    const { app, clock, records } = open(20)
    const kept: Promise<unknown>[] = []
    const answers = await clock.run(
      Promise.all(
        Array.from({ length: 10 }, () => app.fetch(trigger(), { waitUntil: (work) => void kept.push(work) })),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)])
    for (const response of answers.filter(({ status }) => status === 409)) {
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await response.json()).toMatchObject({ code: 'already_running', field: 'site' })
    }
    await clock.run(Promise.all(kept))
    expect(await records()).toHaveLength(1)
    expect((await clock.run(app.fetch(trigger(), { waitUntil: () => {} }))).status).toBe(200)
  })

  it.each([
    'yes',
    '1',
    'TRUE',
    '',
    'false ',
  ])('async=%s is neither true nor false: 400, and nothing runs', async (value) => {
    const { call, internet } = open()
    const response = await call(`/trigger?async=${encodeURIComponent(value)}`, { method: 'POST' })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'invalid_parameter', field: 'async' })
    expect(internet.asked).toEqual([])
  })

  it('a channel that is off is told with the switch to set', async () => {
    const { call } = open()
    expect(await (await call('/trigger?channel=bing')).json()).toEqual({
      status: 400,
      code: 'channel_disabled',
      field: 'channel',
      detail: 'Bing submission is not enabled for this site',
      advice: 'set BING_ENABLED to true',
    })
  })

  it.each([
    ['chanel=bing', 'unknown_parameter', 'chanel'],
    ['channel=bing&channel=indexnow', 'invalid_parameter', 'channel'],
    ['channel=', 'unknown_channel', 'channel'],
    ['channel=fax', 'unknown_channel', 'channel'],
  ])('%s is refused by name, and nothing runs', async (query, code, field) => {
    const { call, internet } = open()
    const response = await call(`/trigger?${query}`)
    expect(await response.json()).toMatchObject({ status: 400, code, field })
    expect(internet.asked).toEqual([])
  })
})
