import type { Context, Hono } from 'hono'
import { ok } from '../domain/problem'
import { present } from './problem-response'
import { readBody } from './read-body'
import { queryReader } from './read-query'
import type { ApiEnv, Method, Route } from './route'

/** Which methods the route at a path takes; null where there is none. */
export function methodsAt(routes: readonly Route[]): (path: string) => readonly Method[] | null {
  const known = routes.map(({ path, methods }) => ({
    pattern: new RegExp(`^${path.replaceAll('.', '\\.').replace(/\{\w+\}/g, '[^/]+')}$`),
    methods,
  }))
  return (asked) => {
    const methods = known.flatMap(({ pattern, methods }) => (pattern.test(asked) ? methods : []))
    return methods.length === 0 ? null : methods
  }
}

/** Puts the routes into the router: parse, call, present. A known path with another method is 405. */
export function mount(app: Hono<ApiEnv>, routes: readonly Route[]): void {
  const allowed = new Map<string, string[]>()
  for (const route of routes) {
    const path = route.path.replace(/\{(\w+)\}/g, ':$1')
    allowed.set(path, [...(allowed.get(path) ?? []), ...route.methods])
    app.on([...route.methods], path, handlerOf(route))
  }
  for (const [path, methods] of allowed) {
    app.all(path, (c) => {
      const allow = methods.join(', ')
      c.header('allow', allow)
      const detail = `This path takes ${allow}`
      return present(c, { status: 405, code: 'method_not_allowed', detail })
    })
  }
}

function handlerOf({ open, query, body, handle }: Route): (c: Context<ApiEnv>) => Promise<Response> {
  // What anybody may read says the same whatever is asked: monitors add parameters of their own.
  const readQuery = open ? () => ok({}) : queryReader(query)
  return async (c) => {
    const asked = readQuery(c.req.url)
    if (!asked.ok) return present(c, asked.problem)
    const given = body === undefined ? null : await readBody(c.req.raw)
    if (given?.ok === false) return present(c, given.problem)
    // A site's id is a host name: capitals mean nothing in it.
    const id = (c.req.param('id') ?? '').toLowerCase()
    return handle({ c, id, query: asked.value, body: given?.value ?? {} })
  }
}
