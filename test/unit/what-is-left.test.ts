import { describe, expect, it } from 'vitest'
import type { Participant } from '../../src/pipeline/open-channels'
import type { RunRequest } from '../../src/pipeline/run-site'
import { whatIsLeft } from '../../src/pipeline/what-is-left'
import { EMPTY_STATE, type SiteState } from '../../src/records/site-state'

const NOW = Date.UTC(2026, 3, 1)
const WHOLE = { cutShort: false, cursor: null }
const CUT = { cutShort: true, cursor: 'https://shop.example/b.xml' }
const ENGINES: Readonly<Record<string, readonly string[]>> = {
  indexnow: ['https://a.example', 'https://b.example'],
  bing: ['https://bing.example'],
}

type ChannelState = Pick<Participant['run'], 'resumeAt' | 'notBefore' | 'keyCheck'>

/** A run of these channels; those named in `took` took part, and ended like that. */
function left(options: {
  readonly asked?: string
  readonly channels?: readonly string[]
  readonly took: Readonly<Record<string, Partial<ChannelState>>>
  readonly before?: Partial<SiteState>
  readonly report?: typeof WHOLE | typeof CUT
}) {
  const { asked = 'all', channels = ['indexnow', 'bing'], took, before = {}, report = WHOLE } = options
  const channelOf = (id: string) => ({ id, endpoints: () => ENGINES[id]?.map((address) => ({ address })) })
  const participants = Object.entries(took).map(([id, end]) => ({
    channel: channelOf(id),
    run: { resumeAt: null, notBefore: {}, keyCheck: undefined, ...end },
  })) as unknown as Participant[]
  const state = { ...EMPTY_STATE, ...before }
  const request = { state, channel: asked, channels: channels.map(channelOf), startedAt: NOW }
  return whatIsLeft(request as unknown as RunRequest, participants, report)
}

describe('what a run leaves to later ones', () => {
  it('nothing, when everything was settled', () => {
    const took = { indexnow: {}, bing: {} }
    const before = {
      rounds: { all: { cursor: 'x', owing: {} } },
      unfinished: { indexnow: 0, bing: NOW + 5 },
    }
    expect(left({ took, before })).toEqual({ rounds: {}, unfinished: {}, notBefore: {}, keyCheck: {} })
  })

  it('a channel goes on when it has a reason to', () => {
    expect(left({ took: { indexnow: { resumeAt: NOW + 7 }, bing: {} } }).unfinished).toEqual({
      indexnow: NOW + 7,
    })
    expect(left({ took: { indexnow: { resumeAt: 0 } } }).unfinished).toEqual({ indexnow: 0 })
  })

  it('a crawl that was cut short makes those that took part go on at once, and no other', () => {
    const { unfinished } = left({ took: { indexnow: { resumeAt: NOW + 7 } }, report: CUT })
    expect(unfinished).toEqual({ indexnow: 0 })
  })

  it('a round that was cut short remembers where it stopped and what it owes so far', () => {
    const took = { indexnow: { resumeAt: NOW + 7 }, bing: {} }
    const rounds = { bing: { cursor: 'y', owing: {} } }
    expect(left({ took, before: { rounds }, report: CUT }).rounds).toEqual({
      ...rounds,
      all: { cursor: CUT.cursor, owing: { indexnow: NOW + 7 } },
    })
  })

  it.each([
    [null, NOW + 9],
    [NOW + 5, NOW + 5],
    [NOW + 20, NOW + 9],
  ])('what files read earlier in the round owe is due at its end: with %s now, at %s', (resumeAt, due) => {
    const before = { rounds: { all: { cursor: 'x', owing: { indexnow: NOW + 9 } } } }
    expect(left({ took: { indexnow: { resumeAt } }, before })).toMatchObject({
      rounds: {},
      unfinished: { indexnow: due },
    })
    expect(left({ took: { indexnow: { resumeAt } }, before, report: CUT }).rounds).toEqual({
      all: { cursor: CUT.cursor, owing: { indexnow: due } },
    })
  })

  it('what another round owes is not due at the end of this one', () => {
    const rounds = { indexnow: { cursor: 'x', owing: { indexnow: NOW + 9 } } }
    const after = left({ took: { indexnow: {} }, before: { rounds } })
    expect(after).toMatchObject({ rounds, unfinished: {} })
  })

  it('a channel that could not take part owes nothing for the round', () => {
    const before = { rounds: { all: { cursor: 'x', owing: { bing: NOW + 9 } } } }
    expect(left({ took: { indexnow: {} }, before }).unfinished).toEqual({})
  })

  it('a run of Bing alone leaves alone what IndexNow still has to do', () => {
    const before = {
      rounds: { all: { cursor: 'x', owing: { indexnow: 3 } } },
      unfinished: { indexnow: NOW + 3, bing: NOW + 4 },
      notBefore: { 'https://a.example': NOW + 3 },
      keyCheck: { indexnow: 'abc' },
    }
    expect(left({ asked: 'bing', channels: ['bing'], took: { bing: {} }, before })).toEqual({
      ...before,
      unfinished: { indexnow: NOW + 3 },
    })
  })

  it('a run in which no channel could take part has read nothing: the rounds stay as they are', () => {
    const rounds = { all: { cursor: 'x', owing: {} }, bing: { cursor: 'y', owing: {} } }
    expect(left({ took: {}, before: { rounds } }).rounds).toEqual(rounds)
  })
})

describe('the waits of endpoints', () => {
  it('those of a channel that was asked are what this run says', () => {
    const notBefore = { 'https://a.example': NOW + 100, 'https://b.example': NOW + 100 }
    const after = left({
      took: { indexnow: { notBefore: { 'https://b.example': NOW + 500 } } },
      before: { notBefore },
    })
    expect(after.notBefore).toEqual({ 'https://b.example': NOW + 500 })
  })

  it('those of the others hold until they are over', () => {
    const ahead = { 'https://bing.example': NOW + 1, 'https://c.example': NOW + 100 }
    const notBefore = { ...ahead, 'https://d.example': NOW, 'https://e.example': NOW - 1 }
    const after = left({ took: { indexnow: {} }, before: { notBefore } })
    expect(after.notBefore).toEqual(ahead)
  })
})

describe('the key that was found right', () => {
  const before = { keyCheck: { indexnow: 'old', bing: 'other' } }

  it.each([
    ['a new one is remembered', 'new', { indexnow: 'new', bing: 'other' }],
    ['a refused one is to be looked at again', null, { bing: 'other' }],
    ['stays when nothing new is known', undefined, { indexnow: 'old', bing: 'other' }],
  ])('%s', (_, keyCheck, after) => {
    expect(left({ took: { indexnow: { keyCheck } }, before }).keyCheck).toEqual(after)
    expect(before.keyCheck).toEqual({ indexnow: 'old', bing: 'other' })
  })
})
