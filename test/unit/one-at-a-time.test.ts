import { expect, it } from 'vitest'
import { oneAtATime } from '../../src/api/one-at-a-time'
import { ok } from '../../src/domain/problem'
import type { Scheduler } from '../../src/pipeline/scheduler'
import { siteWith } from '../support/memory-application'

const order = { site: siteWith(), channels: [], channel: 'all', trigger: 'manual' } as Parameters<
  Scheduler['start']
>[0]

it('a run that never ends, because the runtime ended it, holds its site for a minute and no longer', async () => {
  let now = 0
  let starts = 0
  const start = (async () => {
    starts++
    return ok({ runId: `run-${starts}`, record: new Promise(() => {}) })
  }) as unknown as Scheduler['start']
  const guarded = oneAtATime(start, { now: () => now })
  expect(await guarded(order)).toMatchObject({ ok: true })
  now = 59_000
  expect(await guarded(order)).toMatchObject({ ok: false, problem: { status: 409, retryAfterSeconds: 1 } })
  now = 60_000
  expect(await guarded(order)).toMatchObject({ ok: true })
  expect(starts).toBe(2)
})

it('a start that fails or breaks lets the next one try', async () => {
  const outcomes = [
    async () => ({ ok: false, problem: { status: 409, code: 'already_running', detail: '' } }),
    async () => {
      throw new Error('the store is down')
    },
    async () => ok({ runId: 'run', record: Promise.reject(new Error('it broke off')) }),
    async () => ok({ runId: 'run', record: new Promise(() => {}) }),
  ]
  const start = (() => outcomes.shift()?.()) as unknown as Scheduler['start']
  const guarded = oneAtATime(start, { now: () => 0 })
  expect(await guarded(order)).toMatchObject({ ok: false })
  await expect(guarded(order)).rejects.toThrow('the store is down')
  expect(await guarded(order)).toMatchObject({ ok: true })
  await Promise.resolve()
  expect(await guarded(order)).toMatchObject({ ok: true })
})
