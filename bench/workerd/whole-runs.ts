import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ExecutionRecord } from '../../src/domain/execution-record'
import { atMost, type BenchLine, median } from '../bench-line'
import { sampleSitemap, sampleUrl } from '../sample-sitemap'
import { type BenchWorkerd, startBenchWorkerd } from './bench-workerd'

const ROUNDS = 5
const WARM_RUNS = 20
const EMPTY_RUNS = 50
/** Those of bench-worker.ts. */
const ENGINES = 2

/** Whole runs of the real application in workerd, in CPU time; the cost of an empty call is taken off. */
export async function benchWholeRuns(): Promise<BenchLine[]> {
  const web = await serve()
  try {
    const small = await measure(web.sitemap(10_000), web.urls(10_000))
    const large = await measure(web.sitemap(50_000), web.urls(50_000))
    const fresh = await newUrls(web.sitemap(50_000))
    const { kvReads, kvWrites } = small.record
    return [
      atMost(
        'whole run in workerd, 10,000 known, cold, against the parsing alone with saxes, cold',
        small.coldRatio,
        0.2,
      ),
      atMost(
        'whole run in workerd, 50,000 known, cold, against the parsing alone with saxes, cold',
        large.coldRatio,
        0.2,
      ),
      atMost('whole run in workerd, 10,000 known, warm, ms of CPU', small.warmMs, 10),
      atMost('whole run in workerd, growth from 10,000 to 50,000 known', large.warmMs / small.warmMs, 5.5),
      atMost('KV reads of a run, all known, two channels', kvReads, 8),
      atMost('KV writes of a run, all known, two channels', kvWrites, 3),
      atMost('KV writes of marks, 50,000 new URLs in bulk', fresh.markWrites, 6),
      atMost('KV writes in all, 50,000 new URLs in bulk', fresh.record.kvWrites, 10),
      atMost('requests per engine, 50,000 new URLs in bulk', fresh.record.batches.length / ENGINES, 5),
    ]
  } finally {
    web.close()
  }
}

async function measure(sitemapUrl: string, urls: readonly string[]) {
  const stored = await seeded(sitemapUrl, urls)
  const ratios: number[] = []
  const warm: number[] = []
  let record = ''
  for (let round = 0; round < ROUNDS; round++) {
    const ours = await withFresh(sitemapUrl, stored, async (workerd, cost) => {
      const cold = await cost('/run')
      warm.push(await cost('/run', WARM_RUNS))
      record = await workerd.call('/run', sitemapUrl)
      return cold
    })
    const theirs = await withFresh(sitemapUrl, stored, (_, cost) => cost('/saxes'))
    ratios.push(ours / theirs)
  }
  const parsed = (JSON.parse(record) as { record: ExecutionRecord }).record
  if (parsed.cachedUrls !== urls.length)
    throw new Error(`only ${parsed.cachedUrls} of ${urls.length} URLs were known`)
  return { coldRatio: median(ratios), warmMs: median(warm), record: parsed }
}

/** A workerd that has run nothing yet but empty calls, with everything marked; `cost` is CPU ms per call. */
async function withFresh<T>(
  sitemapUrl: string,
  stored: unknown,
  use: (workerd: BenchWorkerd, cost: (path: string, times?: number) => Promise<number>) => Promise<T>,
): Promise<T> {
  const workerd = await startBenchWorkerd()
  const spent = async (path: string, times: number) => {
    const before = workerd.cpuMs()
    for (let left = times; left > 0; left--) await workerd.call(path, sitemapUrl)
    return (workerd.cpuMs() - before) / times
  }
  try {
    await workerd.call('/load', sitemapUrl, stored)
    await spent('/empty', EMPTY_RUNS)
    const empty = await spent('/empty', EMPTY_RUNS)
    return await use(workerd, async (path, times = 1) => (await spent(path, times)) - empty)
  } finally {
    await workerd.stop()
  }
}

async function seeded(sitemapUrl: string, urls: readonly string[]): Promise<unknown> {
  const workerd = await startBenchWorkerd()
  try {
    return JSON.parse(await workerd.call('/seed', sitemapUrl, urls))
  } finally {
    await workerd.stop()
  }
}

async function newUrls(sitemapUrl: string): Promise<{ record: ExecutionRecord; markWrites: number }> {
  const workerd = await startBenchWorkerd()
  try {
    return JSON.parse(await workerd.call('/new', sitemapUrl))
  } finally {
    await workerd.stop()
  }
}

/** Sitemaps of any size, and engines that accept everything, on loopback. */
async function serve() {
  const server = createServer((request, response) => {
    request.resume()
    const [, urls] = /^\/sitemap-(\d+)\.xml/.exec(request.url ?? '') ?? []
    if (urls !== undefined) response.end(sitemaps(Number(urls)))
    else if (request.url?.endsWith('.txt')) response.end('a-key-for-the-bench')
    else request.on('end', () => response.end('{"d":null}'))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const made = new Map<number, Uint8Array>()
  const sitemaps = (urls: number) => {
    const known = made.get(urls) ?? sampleSitemap(urls, origin)
    made.set(urls, known)
    return known
  }
  return {
    sitemap: (urls: number) => `${origin}/sitemap-${urls}.xml`,
    urls: (count: number) => Array.from({ length: count }, (_, index) => sampleUrl(index, origin)),
    close: () => server.close(),
  }
}
