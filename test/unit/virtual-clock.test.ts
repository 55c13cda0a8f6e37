import { describe, expect, it } from 'vitest'
import { composeInMemory } from '../support/memory-application'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1, 12)
const SITEMAP = `<urlset>${[1, 2, 3].map((n) => `<url><loc>https://shop.example/${n}</loc></url>`).join('')}</urlset>`

describe('the virtual clock', () => {
  it('wakes in order of time, not of calling', async () => {
    const clock = createVirtualClock(START)
    const woken: string[] = []
    const nap = async (ms: number) => {
      await clock.sleep(ms)
      woken.push(`${ms} at ${clock.now() - START}`)
    }
    await clock.run(Promise.all([nap(300), nap(100), nap(200).then(() => nap(50))]))
    expect(woken).toEqual(['100 at 100', '200 at 200', '50 at 250', '300 at 300'])
  })

  it('a sleeper whose signal aborts wakes at once, and one aborted before never sleeps', async () => {
    const clock = createVirtualClock(START)
    const controller = new AbortController()
    const sleeping = clock.sleep(1_000, controller.signal)
    controller.abort()
    await sleeping
    await clock.sleep(1_000, controller.signal)
    expect([clock.now() - START, clock.sleepers()]).toEqual([0, 0])
  })

  it('hands on what a promise gives or throws, and tells when it would never settle', async () => {
    const clock = createVirtualClock(START)
    expect(await clock.run(clock.sleep(86_400_000).then(() => 'later'))).toBe('later')
    await expect(clock.run(Promise.reject(new Error('bug')))).rejects.toThrow('bug')
    await expect(clock.run(new Promise(() => {}))).rejects.toThrow('never settle')
  })
})

describe('the application in memory', () => {
  it('N12 runs from the tick to the record, with its waits, in no real time', async () => {
    const asked: { at: number; host: string }[] = []
    let throttled = 2
    const app = composeInMemory({
      startMs: START,
      env: { MAX_CONCURRENT_REQUESTS: '1' },
      fetch: async (url) => {
        const { host } = new URL(url)
        asked.push({ at: app.clock.now() - START, host })
        if (host === 'shop.example')
          return new Response(url.endsWith('.txt') ? 'key-of-the-shop-0001' : SITEMAP)
        return new Response('', { status: throttled-- > 0 ? 429 : 200 })
      },
    })
    await app.tick()
    const history = await app.call('/history?site=shop.example')
    const { records } = (await history.json()) as { records: { status: string; submittedUrls: number }[] }
    expect(records).toMatchObject([{ status: 'success', submittedUrls: 3 }])
    const engine = asked.filter(({ host }) => host === 'api.indexnow.org').map(({ at }) => at)
    expect(engine.slice(0, 3).map((at) => at - (engine[0] ?? 0))).toEqual([0, 60_000, 120_000])
    expect(engine).toHaveLength(5)
    expect(app.log.lines.join()).not.toContain('key-of-the-shop')
    expect(app.clock.sleepers()).toBe(0)
  })
})
