import { expect, it } from 'vitest'
import { systemClock, systemSleep } from '../../../src/drivers/system'
import { madeUpInternet } from '../../support/made-up-internet'
import { composeInMemory } from '../../support/memory-application'
import { createVirtualClock } from '../../support/virtual-clock'

/** Each takes well below a second; looking again at what came before, for each of so many, would take hours. */
const LIMIT_MS = 120_000

/** Runs a site with these sitemaps. In real time: bodies as large as these take the runtime a while to hand over. */
async function runWith(sitemaps: Readonly<Record<string, string>>) {
  const internet = madeUpInternet({
    answer: ({ pathname }) =>
      sitemaps[pathname] === undefined ? undefined : new Response(sitemaps[pathname]),
  })
  const clock = {
    ...createVirtualClock(0),
    ...systemClock,
    sleep: systemSleep,
    run: <T>(it: Promise<T>) => it,
  }
  const app = composeInMemory({ fetch: internet.fetch, startMs: 0, clock })
  const response = await app.call('/trigger')
  return { answer: (await response.json()) as Record<string, unknown>, asked: internet.asked }
}

it('an index that names one file 300,000 times asks for the file once', { timeout: LIMIT_MS }, async () => {
  const child = '<sitemap><loc>https://shop.example/child.xml</loc></sitemap>'
  const { answer, asked } = await runWith({
    '/sitemap.xml': `<sitemapindex>${child.repeat(300_000)}</sitemapindex>`,
    '/child.xml': '<urlset><url><loc>https://shop.example/a</loc></url></urlset>',
  })
  expect(answer).toMatchObject({ success: true, record: { totalUrls: 1, submittedUrls: 1 } })
  expect(asked.filter(({ url }) => url.endsWith('/child.xml'))).toHaveLength(1)
})

it('three million open elements cost one reading, and what came before them counts', {
  timeout: LIMIT_MS,
}, async () => {
  const { answer, asked } = await runWith({
    '/sitemap.xml': `<urlset><url><loc>https://shop.example/a</loc></url>${'<a>'.repeat(3_000_000)}`,
  })
  expect(answer).toMatchObject({
    record: { totalUrls: 1, submittedUrls: 1, errors: [{ code: 'sitemap_truncated' }] },
  })
  expect(asked.filter(({ url }) => url.endsWith('/sitemap.xml'))).toHaveLength(1)
})
