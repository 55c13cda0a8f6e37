import { reset } from 'cloudflare:test'
import { afterEach, describe, expect, it } from 'vitest'
import { beckon, openWorld, settingsFor } from '../support/beckon'

afterEach(reset)

const KEY_FILE = (origin: string, key: string) => encodeURIComponent(`${origin}/${key}.txt`)

describe('IndexNow', () => {
  it('N01 a URL is announced by GET with url, key and keyLocation', async () => {
    const world = await openWorld({ pages: 3 })
    await beckon(settingsFor(world)).trigger()
    const { requests } = await world.ledger('a')
    expect(requests).toHaveLength(3)
    for (const { method, path, query } of requests) {
      expect({ method, path }).toEqual({ method: 'GET', path: '/engines/a/indexnow' })
      expect(Object.keys(query)).toEqual(['url', 'key', 'keyLocation'])
      expect(query.key).toBe(world.key)
    }
    await world.close()
  })

  it('N02 url and keyLocation are encoded with encodeURIComponent', async () => {
    const world = await openWorld({ pages: 1 })
    await beckon(settingsFor(world)).trigger()
    const { requests } = await world.ledger('a')
    const page = encodeURIComponent(`${world.origin}/pages/view?id=1&lang=en`)
    const keyFile = KEY_FILE(world.origin, world.key)
    expect(requests.map(({ rawQuery }) => rawQuery.replace(/^\?/, ''))).toEqual([
      `url=${page}&key=${world.key}&keyLocation=${keyFile}`,
    ])
    await world.close()
  })

  it('N03 keyLocation is the key file at the root of the host', async () => {
    const world = await openWorld({ pages: 1 })
    await beckon(settingsFor(world)).trigger()
    const { requests } = await world.ledger('a')
    expect(requests[0]?.query.keyLocation).toBe(`${world.origin}/${world.key}.txt`)
    await world.close()
  })

  it('N06 every engine gets every URL, and one that fails changes nothing for the others', async () => {
    const world = await openWorld({ pages: 12 })
    await world.faults({ target: 'b', kind: 'refuse', times: null })
    const app = beckon(
      settingsFor(world, { INDEXNOW_SEARCH_ENGINES: `${world.engines.a},${world.engines.b}` }),
    )
    const { record, success } = await app.trigger()
    expect(success).toBe(false)
    expect(record.status).toBe('partial')
    expect(record.engines[world.engines.a]).toMatchObject({ total: 12, accepted: 12, failed: 0, rejected: 0 })
    expect(record.engines[world.engines.b]).toMatchObject({ total: 12, accepted: 0 })
    expect((await world.ledger('a')).acceptedCount).toBe(12)

    await world.reset()
    const second = await app.trigger()
    expect(second.record.status).toBe('success')
    expect((await world.ledger('a')).requests).toHaveLength(0)
    expect((await world.ledger('b')).acceptedCount).toBe(12)
    await world.close()
  })

  it('N07 at most 3 requests are in flight per engine, and every URL has its own result', async () => {
    const world = await openWorld({ pages: 30, latencyMs: 40 })
    await world.faults({ target: 'a', kind: '5xx', status: 503, times: null, match: '/pages/page-5' })
    const engines = { INDEXNOW_SEARCH_ENGINES: `${world.engines.a},${world.engines.b}`, MAX_RETRIES: '0' }
    const { record } = await beckon(settingsFor(world, engines)).trigger()
    const [a, b] = [await world.ledger('a'), await world.ledger('b')]
    expect(a.maxInFlight).toBeLessThanOrEqual(3)
    expect(b.maxInFlight).toBe(3)
    expect(record.engines[world.engines.a]).toMatchObject({ total: 30, accepted: 29, failed: 1 })
    expect(a.acceptedCount).toBe(29)
    expect(b.acceptedCount).toBe(30)
    await world.close()
  })

  it('N08 request starts are at least 100 ms apart', async () => {
    const world = await openWorld({ pages: 8 })
    const { record } = await beckon(settingsFor(world, { REQUEST_INTERVAL_MS: '100' })).trigger()
    const { requests } = await world.ledger('a')
    // Arrivals on a busy machine may bunch up; the whole cannot be shorter than the sum of the distances.
    const span = Math.max(...requests.map(({ at }) => at)) - Math.min(...requests.map(({ at }) => at))
    expect(requests).toHaveLength(8)
    expect(span).toBeGreaterThanOrEqual(650)
    expect(record.durationMs).toBeGreaterThanOrEqual(700)
    await world.close()
  })

  it('N11 an accepted URL is logged, marked and counted; the second run submits nothing', async () => {
    const world = await openWorld({ pages: 20 })
    const app = beckon(settingsFor(world))
    const first = await app.trigger()
    expect(first).toMatchObject({ success: true, channel: 'all' })
    expect(first.record).toMatchObject({ totalUrls: 20, newUrls: 20, cachedUrls: 0, submittedUrls: 20 })
    expect(first.record.batches[0]).toMatchObject({ number: 1, urlCount: 20, accepted: 20, success: true })
    const second = await app.trigger()
    expect(second.record).toMatchObject({ status: 'success', newUrls: 0, cachedUrls: 20, submittedUrls: 0 })
    expect((await world.ledger('a')).requests).toHaveLength(20)
    await world.close()
  })
})
