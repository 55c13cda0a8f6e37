import type { Chance } from './chance'
import { hanging, type Isolate } from './isolate'
import { addressOf, BING, dayOf, type RunTrack } from './judge'
import { bingReply, type EngineReply, indexnowReply, type Weather } from './pretend-engine'
import { isBadAt, type PretendSite } from './pretend-site'
import { formFault } from './submission-form'
import type { World } from './world'

/** The engine accepts, and whoever asked does not get to know. */
const UNTOLD: readonly Weather[] = ['lost_after_acceptance', 'hang_after_acceptance', 'cut_answer']

interface Engine {
  weather: Weather
  /** How often it shows; otherwise the engine works. */
  rate: number
}

/** All hosts there are: sites, engines, and where alerts go. */
export class Internet {
  readonly engines = new Map<string, Engine>()
  webhook: 'fine' | 'down' | 'hang' = 'fine'
  /** How many URLs Bing itself takes a day, as a multiple of what the site's owner allows. */
  bingGenerosity = 1
  bingDialect: 'field' | 'documents' = 'field'
  latency: readonly [number, number] = [20, 300]
  readonly #chance: Chance
  readonly #bingCount = new Map<string, number>()

  constructor(private readonly world: World) {
    this.#chance = world.chance.fork()
  }

  weatherOf(engine: string): Weather {
    const { weather = 'fine', rate = 0 } = this.engines.get(engine) ?? {}
    return weather !== 'fine' && this.#chance.happens(rate) ? weather : 'fine'
  }

  async fetch(isolate: Isolate, address: string, init: RequestInit): Promise<Response> {
    const { world } = this
    const { invocation } = isolate
    const url = new URL(address)
    world.trace(`${init.method} ${url.host}${url.pathname}`)
    if (invocation !== null && ++invocation.requests > world.requestBudget) {
      world.judge.broken('I8', `${invocation.requests} requests in one invocation`)
    }
    const site = world.sites.get(url.host)
    if (site !== undefined) return this.#site(site, url, init)
    if (url.host === 'hooks.example') return this.#hook(init)
    const body = typeof init.body === 'string' ? init.body : ''
    const isBing = url.host === 'ssl.bing.com'
    const urls =
      isBing || body !== ''
        ? (JSON.parse(body) as { urlList: string[] }).urlList
        : [url.searchParams.get('url') ?? '']
    const owner = world.sites.get(new URL(urls[0] ?? address).host)
    const run = owner === undefined ? undefined : invocation?.runs.get(owner.id)
    if (owner === undefined || run === undefined || invocation === null) {
      world.judge.broken('I2', `a submission outside any run: ${address}`)
      return new Response('')
    }
    const endpoint = isBing ? BING : addressOf(url.host)
    invocation.inFlight++
    const fault = formFault(owner, endpoint, { url, method: init.method ?? 'GET', body })
    if (fault !== null) world.judge.broken('I2', `a submission of ${owner.id} to ${endpoint}: ${fault}`)
    world.judge.sent(run, endpoint, urls)
    const lane = world.judge.laneOf(run, endpoint)
    lane.starts(urls, invocation.inFlight)
    let status = 0
    try {
      const { response, meant } = await this.#submission(run, endpoint, url, urls, init)
      status = meant
      return response
    } finally {
      invocation.inFlight--
      lane.ends(urls, status)
    }
  }

  async #submission(
    run: RunTrack,
    endpoint: string,
    { host }: URL,
    urls: readonly string[],
    init: RequestInit,
  ): Promise<{ response: Response; meant: number }> {
    const { world } = this
    const chance = this.#chance
    const { site } = run
    const weather = this.weatherOf(host)
    if (weather !== 'fine') world.count(`engine_${endpoint === BING ? 'bing_' : ''}${weather}`)
    await world.time.sleep(chance.int(...this.latency) + (weather === 'slow' ? chance.int(1_000, 14_000) : 0))
    if (init.signal?.aborted) throw new TypeError('aborted')
    if (weather === 'network') throw new TypeError('fetch failed')
    if (weather === 'hang') return hanging(init.signal)

    const badUrls = urls.filter((url) => {
      const page = site.pages.get(new URL(url).pathname)
      return page !== undefined && isBadAt(page, endpoint)
    })
    const given = { urls, badUrls, key: endpoint === BING ? site.bingKey : site.key, chance }
    const day = `${site.id} ${dayOf(world.time.now)}`
    const reply: EngineReply =
      endpoint === BING
        ? bingReply(this.bingDialect, weather, this.#bingLeft(site, day, weather), given)
        : indexnowReply(host.startsWith('one') ? 'json' : 'bare', weather, given)
    if (!reply.accepts && weather === 'fine')
      world.count(`engine_refuses_${endpoint === BING ? 'bing' : 'indexnow'}`)
    const isCut = weather === 'cut_answer'
    for (const url of reply.refuses ?? []) {
      const named = reply.named === true || (endpoint === BING && urls.length === 1)
      world.judge.refused(run, endpoint, url, named && !isCut)
    }
    if (reply.accepts) {
      const told = !UNTOLD.includes(weather)
      world.judge.accepted(run, endpoint, urls, told)
      if (endpoint === BING) this.#bingCount.set(day, (this.#bingCount.get(day) ?? 0) + urls.length)
      if (weather === 'lost_after_acceptance') throw new TypeError('connection reset')
      if (weather === 'hang_after_acceptance') return hanging(init.signal)
    }
    const { status, meant = status, body, headers = {} } = reply
    const sent = isCut ? cutOff(body.slice(0, body.length >> 1)) : body
    return { response: new Response(sent, { status, headers }), meant: isCut ? 0 : meant }
  }

  #bingLeft(site: PretendSite, day: string, weather: Weather): number {
    if (weather === 'quota_full') return 0
    const left = site.profile.bingQuota * this.bingGenerosity - (this.#bingCount.get(day) ?? 0)
    return Math.max(0, weather === 'quota_part' ? Math.min(left, 2) : left)
  }

  async #site(site: PretendSite, { pathname }: URL, init: RequestInit): Promise<Response> {
    const { world } = this
    const { trouble } = site
    const isKey = pathname.endsWith('.txt')
    await world.time.sleep(this.#chance.int(...this.latency))
    if (trouble !== 'fine') world.count(`site_${trouble}`)
    if (trouble === 'network' || (isKey && trouble === 'key_file_down')) throw new TypeError('fetch failed')
    if (trouble === 'hang') return hanging(init.signal)
    if (trouble === 'server_error') return new Response('busy', { status: 503 })
    if (trouble === 'not_found' || (isKey && trouble === 'key_file_missing'))
      return new Response('', { status: 404 })
    if (trouble === 'html') return new Response('<!doctype html><html><body>Sign in</body></html>')
    const found = site.answer(pathname)
    if (found === null) return new Response('', { status: 404 })
    const { body, etag } = found
    if (etag !== null && new Headers(init.headers).get('if-none-match') === etag) {
      world.count('not_modified')
      return new Response(null, { status: 304 })
    }
    const headers: Record<string, string> = etag === null ? {} : { etag }
    if (isKey || (trouble !== 'cut' && trouble !== 'malformed')) return new Response(body, { headers })
    const part = body.slice(0, Math.floor(body.length * this.#chance.next()))
    return trouble === 'malformed' ? new Response(part) : new Response(cutOff(part))
  }

  async #hook(init: RequestInit): Promise<Response> {
    this.world.judge.said(String(init.body), 'an alert')
    this.world.count('alert')
    if (this.webhook === 'hang') return hanging(init.signal)
    if (this.webhook === 'down') throw new TypeError('fetch failed')
    return new Response(null, { status: 204 })
  }
}

/** A body whose connection breaks before its end. */
function cutOff(text: string): ReadableStream<Uint8Array> {
  let sent = false
  return new ReadableStream({
    pull(controller) {
      if (sent) controller.error(new TypeError('terminated'))
      else controller.enqueue(new TextEncoder().encode(text))
      sent = true
    },
  })
}
