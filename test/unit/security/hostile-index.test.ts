import { expect, it } from 'vitest'
import { systemClock, systemSleep } from '../../../src/drivers/system'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory } from '../../support/memory-application'
import { createVirtualClock } from '../../support/virtual-clock'

/** About ten times what it takes; a look at all children for each of them would take hours. */
const LIMIT_MS = 10_000

it('an index that names one file 300,000 times is read quickly, and the file once', async () => {
  const child = '<sitemap><loc>https://shop.example/child.xml</loc></sitemap>'
  const internet = madeUpInternet({
    answer(url) {
      if (url.pathname === '/sitemap.xml')
        return new Response(`<sitemapindex>${child.repeat(300_000)}</sitemapindex>`)
      if (url.pathname !== '/child.xml') return undefined
      return new Response('<urlset><url><loc>https://shop.example/a</loc></url></urlset>')
    },
  })
  // Real time: a body as large as this one takes the runtime a while to hand over.
  const clock = {
    ...createVirtualClock(0),
    ...systemClock,
    sleep: systemSleep,
    run: <T>(it: Promise<T>) => it,
  }
  const app = composeInMemory({ fetch: internet.fetch, startMs: 0, clock })
  const started = performance.now()
  const answer = (await (await app.call('/trigger')).json()) as Record<string, unknown>
  expect(performance.now() - started).toBeLessThan(LIMIT_MS)
  expect(answer).toMatchObject({ success: true, record: { totalUrls: 1, submittedUrls: 1 } })
  expect(internet.asked.filter(({ url }) => url.endsWith('/child.xml'))).toHaveLength(1)
}, 60_000)
