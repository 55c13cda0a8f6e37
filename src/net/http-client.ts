import type { Budget, Clock, Fetch, Sleep } from '../ports'
import { Deadline } from './deadline'
import { refusalOf } from './guard'

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Over everything: redirects and the body included. */
  readonly timeoutMs: number
  /** How many redirects to follow. Zero for engines: a key must not travel to a host nobody configured. */
  readonly redirects: number
  /** Requests that must stay in the budget for others. */
  readonly reserve?: number
}

export type TransportFailure = 'budget' | 'guard' | 'network' | 'redirects' | 'timeout'

export type HttpAnswer<T> =
  | { readonly kind: 'answer'; readonly status: number; readonly value: T; readonly elapsedMs: number }
  | {
      readonly kind: 'failure'
      readonly reason: TransportFailure
      readonly detail: string
      readonly elapsedMs: number
    }

export interface Exchange {
  /** Where the redirects ended. */
  readonly url: string
  /** Aborted once nobody waits for the result any more. */
  readonly signal: AbortSignal
  /** Does other work in the middle of the body: the request's time stands still meanwhile. */
  hold<T>(work: () => Promise<T>): Promise<T>
}

/** Reads the body inside the request's time. */
export type BodyReader<T> = (response: Response, exchange: Exchange) => Promise<T>

export interface HttpClient {
  send<T>(request: OutgoingRequest, read: BodyReader<T>): Promise<HttpAnswer<T>>
}

export interface HttpClientOptions {
  readonly fetch: Fetch
  readonly clock: Clock
  readonly sleep: Sleep
  readonly budget: Budget
  readonly userAgent: string
  readonly allowPrivateNetwork: boolean
}

const REDIRECTS = [301, 302, 303, 307, 308]
const TIMED_OUT: unique symbol = Symbol('timed out')

class Refused {
  constructor(
    readonly reason: TransportFailure,
    readonly detail: string,
  ) {}
}

/** Sends within the budget, the guard and the time given. Network trouble is a value, never an exception. */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { clock, sleep, budget } = options

  async function follow<T>(request: OutgoingRequest, read: BodyReader<T>, exchange: Omit<Exchange, 'url'>) {
    let url = request.url
    for (let hops = 0; ; hops++) {
      const refusal = refusalOf(url, options)
      if (refusal !== null) return new Refused('guard', `the address ${refusal}`)
      if (!budget.takeRequest(request.reserve))
        return new Refused('budget', 'the budget of this run is spent')
      const response = await options.fetch(url, {
        method: request.method,
        headers: { 'user-agent': options.userAgent, ...request.headers },
        redirect: 'manual',
        signal: exchange.signal,
        ...(request.body === undefined ? {} : { body: request.body }),
      })
      const location = response.headers.get('location')
      if (request.redirects === 0 || location === null || !REDIRECTS.includes(response.status)) {
        return { status: response.status, value: await read(response, { ...exchange, url }) }
      }
      await response.body?.cancel()
      if (hops === request.redirects)
        return new Refused('redirects', `more than ${request.redirects} redirects`)
      if (!URL.canParse(location, url)) return new Refused('redirects', 'a redirect to an unreadable address')
      url = new URL(location, url).href
    }
  }

  return {
    async send(request, read) {
      const startedAt = clock.now()
      const controller = new AbortController()
      const settled = new AbortController()
      // The race, not only the signal: a body that ignores the abort must not hold the run either.
      const deadline = new Deadline(clock, sleep, request.timeoutMs)
      const timeout = deadline.passed(settled.signal).then((): typeof TIMED_OUT => {
        if (!settled.signal.aborted) controller.abort()
        return TIMED_OUT
      })
      const failure = (reason: TransportFailure, detail: string) => ({
        kind: 'failure' as const,
        reason,
        // Rebuilt from method and host alone: the runtime's own message may quote an address with a key in it.
        detail: `${request.method} ${hostOf(request.url)}: ${detail}`,
        elapsedMs: Math.max(0, clock.now() - startedAt),
      })
      const exchange = { signal: controller.signal, hold: deadline.hold }
      const work = follow(request, read, exchange)
      try {
        const result = await Promise.race([work, timeout])
        if (result === TIMED_OUT) {
          work.catch(() => {})
          return failure('timeout', `no whole answer within ${request.timeoutMs} ms`)
        }
        if (result instanceof Refused) return failure(result.reason, result.detail)
        return { kind: 'answer', ...result, elapsedMs: Math.max(0, clock.now() - startedAt) }
      } catch {
        return failure('network', 'the connection failed')
      } finally {
        settled.abort()
      }
    },
  }
}

function hostOf(url: string): string {
  return URL.canParse(url) ? new URL(url).host : 'an unreadable address'
}
