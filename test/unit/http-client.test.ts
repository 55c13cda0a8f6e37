import { describe, expect, it } from 'vitest'
import { createHttpClient, type OutgoingRequest } from '../../src/net/http-client'
import { readText } from '../../src/net/read-text'
import { createBudget } from '../../src/pipeline/budget'
import type { Fetch } from '../../src/ports'
import { createVirtualClock } from '../support/virtual-clock'

const START = Date.UTC(2026, 3, 1)
const URL_WITH_KEY = 'https://engine.example/indexnow?url=a&key=secret-key-0001'

const moved = (location: string, status = 302) => new Response(null, { status, headers: { location } })

async function send(fetch: Fetch, change: Partial<OutgoingRequest> = {}, requests = 10) {
  const clock = createVirtualClock(START)
  const budget = createBudget(clock, { timeMs: 300_000, requests })
  const asked: { url: string; init: RequestInit }[] = []
  const client = createHttpClient({
    fetch: (url, init) => {
      asked.push({ url, init })
      return fetch(url, init)
    },
    clock,
    sleep: clock.sleep,
    budget,
    userAgent: 'Beckon/test',
    allowPrivateNetwork: false,
  })
  const request = { method: 'GET' as const, url: URL_WITH_KEY, timeoutMs: 15_000, redirects: 0, ...change }
  const answer = await clock.run(
    client.send(request, async (response, { url }) => [await readText(response), url]),
  )
  return { answer, asked, budget, clock }
}

describe('the HTTP client', () => {
  it('hands back status, body and the address', async () => {
    const { answer, asked, clock } = await send(async () => new Response('hello', { status: 202 }))
    expect(answer).toEqual({ kind: 'answer', status: 202, value: ['hello', URL_WITH_KEY], elapsedMs: 0 })
    expect(asked[0]?.init).toMatchObject({ method: 'GET', redirect: 'manual' })
    expect(asked[0]?.init.headers).toEqual({ 'user-agent': 'Beckon/test' })
    expect(clock.sleepers()).toBe(0)
  })

  it('gives up after the timeout and aborts the request', async () => {
    const { answer, asked } = await send(() => new Promise(() => {}))
    expect(answer).toMatchObject({ kind: 'failure', reason: 'timeout', elapsedMs: 15_000 })
    expect(asked[0]?.init.signal?.aborted).toBe(true)
  })

  it('gives up on a body that never ends', async () => {
    const endless = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }))
    const { answer } = await send(async () => endless())
    expect(answer).toMatchObject({ kind: 'failure', reason: 'timeout', elapsedMs: 15_000 })
  })

  it('reads no more than 64 KiB of an answer', async () => {
    const { answer } = await send(async () => new Response('x'.repeat(1_000_000)))
    expect(answer.kind === 'answer' && answer.value[0]?.length).toBe(65_536)
  })

  it('turns a broken connection into a value', async () => {
    const { answer } = await send(() => Promise.reject(new TypeError(`fetch failed for ${URL_WITH_KEY}`)))
    expect(answer).toEqual({
      kind: 'failure',
      reason: 'network',
      detail: 'GET engine.example: the connection failed',
      elapsedMs: 0,
    })
  })

  it('follows redirects, relative ones too, each within the budget', async () => {
    const { answer, asked, budget } = await send(
      async (url) => (url.endsWith('/b') ? new Response('there') : moved(url.endsWith('/a') ? 'b' : '/x/a')),
      { redirects: 5 },
    )
    expect(asked.map(({ url }) => url).slice(1)).toEqual([
      'https://engine.example/x/a',
      'https://engine.example/x/b',
    ])
    expect(answer).toMatchObject({ status: 200, value: ['there', 'https://engine.example/x/b'] })
    expect(budget.requestsMade()).toBe(3)
  })

  it.each([301, 302, 303, 307, 308])('an engine is never followed elsewhere: %d', async (status) => {
    const { answer, asked } = await send(async () => moved('https://other.example/', status))
    expect(answer).toMatchObject({ kind: 'answer', status })
    expect(asked).toHaveLength(1)
  })

  it.each([
    'http://169.254.169.254/',
    'http://localhost/',
    'file:///etc/passwd',
    'https://u:p@a.example/',
  ])('a redirect to %s is refused', async (location) => {
    const { answer, asked } = await send(async () => moved(location), { redirects: 5 })
    expect(answer).toMatchObject({ kind: 'failure', reason: 'guard' })
    expect(asked).toHaveLength(1)
  })

  it('refuses a redirect that cannot be read, and one too many', async () => {
    const unreadable = await send(async () => moved('http://['), { redirects: 5 })
    expect(unreadable.answer).toMatchObject({ reason: 'redirects' })
    const circle = await send(async () => moved(URL_WITH_KEY), { redirects: 5 })
    expect(circle.answer).toMatchObject({ reason: 'redirects' })
    expect(circle.asked).toHaveLength(6)
  })

  it('a spent budget stops before the request, and between redirects', async () => {
    const none = await send(async () => new Response(), { reserve: 10 })
    expect(none.answer).toMatchObject({ kind: 'failure', reason: 'budget' })
    expect(none.asked).toHaveLength(0)
    const two = await send(async () => moved('/again'), { redirects: 5 }, 2)
    expect(two.answer).toMatchObject({ reason: 'budget' })
    expect(two.asked).toHaveLength(2)
  })

  it('an address the guard refuses is never asked and costs nothing', async () => {
    const { answer, asked, budget } = await send(async () => new Response(), {
      url: 'http://10.0.0.1/?key=secret-key',
    })
    expect(answer).toMatchObject({ kind: 'failure', reason: 'guard' })
    expect(asked).toHaveLength(0)
    expect(budget.requestsMade()).toBe(0)
  })

  it.each<[string, Fetch, number]>([
    ['network', () => Promise.reject(new Error(URL_WITH_KEY)), 0],
    ['timeout', () => new Promise(() => {}), 0],
    ['redirects', async () => moved(URL_WITH_KEY), 1],
    ['guard', async () => moved('http://10.0.0.1/?key=secret-key-0001'), 1],
    ['budget', async () => moved(URL_WITH_KEY), 99],
  ])('%s: the detail never holds the query', async (reason, fetch, redirects) => {
    const { answer } = await send(fetch, { redirects })
    expect(answer).toMatchObject({ kind: 'failure', reason })
    expect(JSON.stringify(answer)).not.toMatch(/secret-key|\?/)
  })
})
