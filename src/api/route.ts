import type { Context } from 'hono'
import type { z } from 'zod'
import type { Problem } from '../domain/problem'
import type { Platform } from './app'

export type ApiEnv = { Bindings: Platform }
export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE'
export type Fields = Readonly<Record<string, unknown>>

/** One request, parsed at the door. */
export interface Asked<Query> {
  readonly c: Context<ApiEnv>
  /** The `{id}` of the path. */
  readonly id: string
  readonly query: Query
  readonly body: Fields
}

export interface DescribedAnswer {
  readonly says: string
  readonly schema?: z.ZodType
  readonly example?: unknown
  /** application/json unless said otherwise. */
  readonly type?: string
}

/** One operation: what it wants, what it answers and what it does. Router, documents and tests all read this. */
export interface Route<Query = unknown> {
  readonly methods: readonly Method[]
  /** As OpenAPI writes it: `/api/sites/{id}`. */
  readonly path: string
  readonly summary: string
  readonly details?: string
  readonly open?: boolean
  readonly query?: z.ZodType<Query>
  readonly body?: { readonly schema: z.ZodObject; readonly partial?: boolean; readonly example: Fields }
  readonly answers: Readonly<Record<number, DescribedAnswer>>
  /** Statuses of problems beyond those every route can answer, with the codes they carry. */
  readonly problems?: Readonly<Record<number, readonly string[]>>
  readonly handle: (asked: Asked<Query>) => Response | Promise<Response>
}

/** What the documents tell of an operation. */
export type DescribedRoute = Omit<Route, 'handle'>

/** Lets the compiler tie a route's handler to its query, then forgets the tie so that all routes fit in one list. */
export function route<Query>(definition: Route<Query>): Route {
  return definition as Route
}

export const invalidParameter = (field: string, says: string): Problem => ({
  status: 400,
  code: 'invalid_parameter',
  field,
  detail: `${field} ${says}`,
})
