import type { z } from 'zod'
import { bingInput, faultInput, latencyInput, parseInput, resetInput, siteInput } from './control-input'
import type { Faults } from './faults'
import type { Answer, SandboxRequest } from './http-kit'
import { json, wrongVerb } from './http-kit'
import type { Ledger } from './ledger'
import { TARGETS } from './limits'
import type { PretendBing } from './pretend-bing'
import type { PretendSite } from './pretend-site'
import type { SandboxInfo } from './shapes'

export const CONTROL_BASE = '/sandbox'

export interface Controlled {
  info: SandboxInfo
  ledger: Ledger
  faults: Faults
  site: PretendSite
  bing: PretendBing
  setLatency(ms: number): void
  reset(): void
}

interface Route {
  verb: 'GET' | 'POST'
  run(body: string): Answer
}

const done = json(200, { ok: true })
export const badInput = (sentence: string) => json(400, { error: sentence })

export function createControl(world: Controlled): (request: SandboxRequest) => Answer {
  const routes = new Map<string, Route>([
    ['/info', reading(() => world.info)],
    ['/ledger', reading(() => world.ledger.all())],
    ...TARGETS.map((target): [string, Route] => [
      `/ledger/${target}`,
      reading(() => world.ledger.of(target)),
    ]),
    ['/faults', changing(faultInput, always(world.faults.add))],
    ['/site', changing(siteInput, world.site.change)],
    ['/bing', changing(bingInput, always(world.bing.change))],
    [
      '/latency',
      changing(
        latencyInput,
        always(({ ms }) => world.setLatency(ms)),
      ),
    ],
    ['/reset', changing(resetInput, always(world.reset))],
  ])

  return (request) => {
    const route = routes.get(request.path.slice(CONTROL_BASE.length))
    if (!route) return json(404, { error: `The sandbox has no control at ${request.path}.` })
    return request.method === route.verb ? route.run(request.body) : wrongVerb(route.verb)
  }
}

const reading = (read: () => unknown): Route => ({ verb: 'GET', run: () => json(200, read()) })

function changing<T>(schema: z.ZodType<T>, apply: (input: T) => string | null): Route {
  return {
    verb: 'POST',
    run(body) {
      const input = parseInput(schema, body)
      if (!input.ok) return badInput(input.sentence)
      const problem = apply(input.value)
      return problem === null ? done : badInput(problem)
    },
  }
}

function always<T>(apply: (input: T) => void): (input: T) => null {
  return (input) => {
    apply(input)
    return null
  }
}
