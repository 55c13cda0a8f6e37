import { z } from 'zod'
import { VERSION } from '../generated/product'
import { problemAnswer } from './answers'
import type { DescribedAnswer, DescribedRoute } from './route'

type Json = Record<string, unknown>

/** What any protected operation may answer besides its own. */
export const COMMON: Readonly<Record<number, readonly string[]>> = {
  401: ['unauthorized'],
  503: ['admin_token_missing', 'admin_token_short', '{setting}_invalid', '{setting}_missing'],
}
const PARAMETER_CODES = ['invalid_parameter', 'unknown_parameter']

const IN_PATH: Readonly<Record<string, Json>> = {
  id: { description: 'Id of the site: a host name with a dot', example: 'www.example.com' },
  key: { description: 'The IndexNow key of a site', example: '0123456789abcdef0123456789abcdef' },
}

const TITLES: Readonly<Record<number, string>> = {
  400: 'Something in the request is wrong; `field` names it',
  401: 'The token is missing or wrong',
  403: 'This cannot be changed here',
  404: 'There is no such thing',
  409: 'It is in the way of something else',
  413: 'The body is larger than 64 KiB',
  503: 'The service is not configured; its log says what to set',
}

/** The OpenAPI 3.1 description of these routes, from the very schemas that validate. */
export function openApi(routes: readonly DescribedRoute[]): Json {
  const paths: Record<string, Json> = {}
  for (const route of routes) {
    const operations = paths[route.path] ?? {}
    for (const method of route.methods) operations[method.toLowerCase()] = operation(route, method)
    paths[route.path] = operations
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Beckon',
      version: VERSION,
      description:
        'Tells search engines about every new or changed page of a website, once, within their quotas.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ token: [] }],
    paths,
    components: {
      securitySchemes: { token: { type: 'http', scheme: 'bearer', description: 'The ADMIN_TOKEN' } },
      schemas: { Problem: jsonSchema(problemAnswer, 'output') },
    },
  }
}

function operation(route: DescribedRoute, method: string): Json {
  const { summary, details, open, body } = route
  return {
    operationId: operationId(route.path, method),
    summary,
    ...(details === undefined ? {} : { description: details }),
    ...(open ? { security: [] } : {}),
    parameters: parametersOf(route),
    ...(body === undefined ? {} : { requestBody: requestBody(body) }),
    responses: { ...answersOf(route.answers), ...problemsOf(route) },
  }
}

function operationId(path: string, method: string): string {
  const words = path.match(/\w+/g) ?? []
  return [method.toLowerCase(), ...words].join('_')
}

function parametersOf({ path, query }: DescribedRoute): Json[] {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({
    name,
    in: 'path',
    required: true,
    ...IN_PATH[name],
    schema: { type: 'string' },
  }))
  const described = query === undefined ? {} : jsonSchema(query, 'input')
  const required = (described.required as string[] | undefined) ?? []
  const inQuery = Object.entries((described.properties as Record<string, Json> | undefined) ?? {}).map(
    ([name, { description, ...schema }]) => ({
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema,
    }),
  )
  return [...inPath, ...inQuery]
}

function requestBody({ schema, partial, example }: NonNullable<DescribedRoute['body']>): Json {
  const described = jsonSchema(schema, 'input')
  // A change may leave everything out, and says null for "back to the default".
  if (partial) delete described.required
  return { required: true, content: { 'application/json': { schema: described, example } } }
}

function answersOf(answers: Readonly<Record<number, DescribedAnswer>>): Json {
  return Object.fromEntries(
    Object.entries(answers).map(([status, { says, schema, example, type = 'application/json' }]) => {
      const content = {
        ...(schema === undefined ? {} : { schema: jsonSchema(schema, 'output') }),
        ...(example === undefined ? {} : { example }),
      }
      return [status, { description: says, content: { [type]: content } }]
    }),
  )
}

function problemsOf({ open, query, problems = {} }: DescribedRoute): Json {
  const codes: Record<string, readonly string[]> = { ...(open ? {} : COMMON), ...problems }
  if (!open) codes[400] = [...PARAMETER_CODES, ...(problems[400] ?? [])]
  if (query === undefined && problems[400] === undefined && !open) codes[400] = ['unknown_parameter']
  return Object.fromEntries(
    Object.entries(codes).map(([status, list]) => {
      const title = TITLES[Number(status)] ?? 'A problem'
      const example = { status: Number(status), code: list[0], detail: `${title}.` }
      const schema = { $ref: '#/components/schemas/Problem' }
      const description = `${title}. Codes: ${list.map((code) => `\`${code}\``).join(', ')}`
      return [status, { description, content: { 'application/problem+json': { schema, example } } }]
    }),
  )
}

function jsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json {
  const { $schema: _, ...described } = z.toJSONSchema(schema, { io, target: 'draft-2020-12' })
  return described
}
