import { describe, expect, it } from 'vitest'
import { Chance } from './chance'
import { TROUBLES } from './chaos'
import { BING_WEATHERS, INDEXNOW_WEATHERS } from './pretend-engine'
import { PretendSite, type SiteProfile } from './pretend-site'
import { PRODUCT } from './product'
import { ENGINES, World } from './world'

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE
const START = Date.UTC(2027, 6, 1)
const SITES = 4
const DAYS = 5
const TICKS_A_DAY = 8
const PROFILE: SiteProfile = {
  files: 2,
  etags: true,
  indexLastmods: true,
  bing: true,
  bingQuota: 40,
  ttlDays: 30,
  schedule: '0 0 * * *',
  engines: [...ENGINES],
  method: 'get',
  clockBehindMs: 0,
}

/** What every endpoint accepted of every site, after some days in a world that is fine but for what `spoil` does to it. */
async function accepted(spoil: (world: World) => void): Promise<string[]> {
  const world = new World({ product: PRODUCT, seed: 5, startMs: START, requestBudget: 200 })
  for (let n = 0; n < SITES; n++) {
    const site = new PretendSite(n, PROFILE, START, new Chance(n))
    site.publish(START, 6)
    world.addSite(site)
  }
  spoil(world)
  for (let day = 0; day < DAYS; day++) {
    for (let n = 0; n < TICKS_A_DAY; n++) {
      await world.time.until(START + day * DAY + n * 15 * MINUTE)
      await world.time.run(world.tick())
    }
    for (const site of world.sites.values()) site.evolve(world.time.now, 30)
    await world.time.until(START + (day + 1) * DAY)
  }
  expect(world.judge.violations).toEqual([])
  const lines = [...world.sites.values()].flatMap(({ pages }) =>
    [...pages.values()].flatMap(({ url, accepted: by }) =>
      [...by.keys()].map((endpoint) => `${endpoint} ${url}`),
    ),
  )
  return lines.sort()
}

const untouched = accepted(() => {})

describe('I5 what is wrong in one place changes nothing anywhere else', () => {
  it('in a world without faults every page is accepted everywhere', async () => {
    expect((await untouched).length).toBeGreaterThan(SITES * 6 * 3 * 0.8)
  })

  it.each(TROUBLES)('a site in trouble (%s) leaves the others alone', async (trouble) => {
    const others = (list: readonly string[]) => list.filter((line) => !line.includes('//s0.example/'))
    const found = await accepted((world) => world.site(0).fall(trouble, START))
    expect(others(found)).toEqual(others(await untouched))
  })

  it.each(INDEXNOW_WEATHERS)('an engine in trouble (%s) leaves the others alone', async (weather) => {
    const others = (list: readonly string[]) => list.filter((line) => !line.includes(`//${ENGINES[0]}/`))
    const found = await accepted((world) => world.internet.engines.set(ENGINES[0], { weather, rate: 1 }))
    expect(others(found)).toEqual(others(await untouched))
  })

  it.each([
    ...BING_WEATHERS,
    'refused_key' as const,
  ])('Bing in trouble (%s) leaves IndexNow alone', async (weather) => {
    const others = (list: readonly string[]) => list.filter((line) => line.startsWith('https://'))
    const found = await accepted((world) => world.internet.engines.set('ssl.bing.com', { weather, rate: 1 }))
    expect(others(found)).toEqual(others(await untouched))
  })
})
