import { Buffer } from 'node:buffer'
import { SaxesParser } from 'saxes'
import { CHANNELS } from '../../src/channels/registry'
import { type Application, type Configuration, compose, configure } from '../../src/compose'
import { createMemoryStore } from '../../src/drivers/memory-store'
import { systemClock, systemFetch, systemRandom, systemSleep } from '../../src/drivers/system'
import scanner from '../../src/generated/scanner.wasm'
import { createLogger } from '../../src/logger'
import { fingerprinter } from '../../src/marks/fingerprint'
import { UrlCache } from '../../src/marks/url-cache'
import { keys } from '../../src/records/keys'

const TOKEN = 'a-token-of-32-characters-exactly'

interface Subject {
  readonly app: Application
  readonly configuration: Configuration
  readonly store: ReturnType<typeof createMemoryStore>
}
const subjects = new Map<string, Subject>()
const logger = createLogger({ clock: systemClock, level: 'error', write: (line) => console.log(line) })

/**
 * The real application on a store in memory: the local stand-in for KV runs in the same process, and its cost is not that
 * of the platform's.
 */
function subjectFor(sitemapUrl: string, bing = true): Subject {
  const known = subjects.get(sitemapUrl)
  if (known !== undefined) return known
  const configuration = configure({
    ADMIN_TOKEN: TOKEN,
    ALLOW_PRIVATE_NETWORK: 'true',
    SITEMAP_URL: sitemapUrl,
    INDEXNOW_API_KEY: 'a-key-for-the-bench',
    INDEXNOW_SEARCH_ENGINES: `${new URL('/a', sitemapUrl)},${new URL('/b', sitemapUrl)}`,
    BING_ENABLED: String(bing),
    BING_API_KEY: '0123456789abcdef0123456789abcdef',
    BING_API_BASE: `${new URL('/bing', sitemapUrl)}`,
    BATCH_PAUSE_MS: '0',
    RUN_REQUEST_BUDGET: '1000',
  })
  const store = createMemoryStore(systemClock)
  const ports = {
    clock: systemClock,
    sleep: systemSleep,
    fetch: systemFetch,
    random: systemRandom,
    logger,
    store,
    scanner,
  }
  const subject = { app: compose(ports, configuration), configuration, store }
  subjects.set(sitemapUrl, subject)
  return subject
}

async function run(sitemapUrl: string): Promise<Response> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  return subjectFor(sitemapUrl).app.fetch(new Request('https://bench.test/trigger', { headers }), {
    waitUntil: () => {},
  })
}

/** Marks every URL as accepted by every endpoint of every channel, as after weeks of runs, and shows what is stored. */
async function seed(sitemapUrl: string, urls: readonly string[]): Promise<Response> {
  const { configuration, store } = subjectFor(sitemapUrl)
  const site = configuration.environmentSite
  if (site === null) throw new Error(configuration.problems.map(({ sentence }) => sentence).join(' '))
  const fingerprint = fingerprinter(site.id)
  const stored: Record<string, string> = {}
  for (const channel of CHANNELS) {
    const endpoints = channel.endpoints(site).map(({ address }) => address)
    const keyOf = (bucket: string) => keys.marks(channel.cachePrefix, site.id, bucket)
    const options = {
      store,
      clock: systemClock,
      sleep: systemSleep,
      logger,
      keyOf,
      ttlDays: site.cacheTtlDays,
      endpoints,
    }
    const cache = await UrlCache.open(options)
    const lastmod = Math.floor(systemClock.now() / 1000)
    for (const url of urls) {
      for (const at of endpoints.keys()) cache.accept({ fingerprint: fingerprint(url), lastmod }, at)
    }
    await cache.flush()
    stored[keyOf('0')] = Buffer.from((await store.getBytes(keyOf('0'))) ?? []).toString('base64')
  }
  return Response.json(stored)
}

/** The same in another process, without running any of the code that is to be measured cold. */
async function load(sitemapUrl: string, stored: Readonly<Record<string, string>>): Promise<Response> {
  const { store } = subjectFor(sitemapUrl)
  for (const [key, value] of Object.entries(stored)) await store.put(key, Buffer.from(value, 'base64'))
  return new Response('loaded')
}

/** A first run through IndexNow alone, and how often marks were written in it. */
async function runNew(sitemapUrl: string): Promise<Response> {
  const { store } = subjectFor(sitemapUrl, false)
  const put = store.put
  let markWrites = 0
  store.put = (key, ...rest) => {
    if (key.startsWith('url_cache:')) markWrites++
    return put(key, ...rest)
  }
  const answer = (await (await run(sitemapUrl)).json()) as object
  return Response.json({ ...answer, markWrites })
}

/** What a careful implementation would do first: parse as a stream, keep loc and lastmod. Nothing else. */
async function parseWithSaxes(sitemapUrl: string): Promise<Response> {
  const { body } = await fetch(sitemapUrl)
  const parser = new SaxesParser()
  const entries: { loc: string; lastmod: string }[] = []
  let text = ''
  let loc = ''
  let lastmod = ''
  parser.on('opentag', () => {
    text = ''
  })
  parser.on('text', (some) => {
    text += some
  })
  parser.on('closetag', ({ name }) => {
    if (name === 'loc') loc = text
    else if (name === 'lastmod') lastmod = text
    else if (name === 'url') entries.push({ loc, lastmod })
  })
  const decoder = new TextDecoder()
  const reader = body?.getReader()
  for (let part = await reader?.read(); part !== undefined && !part.done; part = await reader?.read()) {
    parser.write(decoder.decode(part.value, { stream: true }))
  }
  parser.close()
  return new Response(String(entries.length))
}

export default {
  async fetch(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const sitemapUrl = searchParams.get('sitemap') ?? ''
    if (pathname === '/run') return run(sitemapUrl)
    if (pathname === '/new') return runNew(sitemapUrl)
    if (pathname === '/saxes') return parseWithSaxes(sitemapUrl)
    if (pathname === '/load') return load(sitemapUrl, (await request.json()) as Record<string, string>)
    if (pathname === '/seed') return seed(sitemapUrl, (await request.json()) as string[])
    return new Response('empty')
  },
}
