import { z } from 'zod'

interface Described {
  readonly description: string
  readonly content: Readonly<Record<string, { schema?: object; example?: unknown }>>
}

export interface OperationDocument {
  readonly operationId: string
  readonly security?: readonly unknown[]
  readonly parameters: readonly {
    name: string
    in: string
    required: boolean
    description?: string
    schema: object
  }[]
  readonly requestBody?: { content: Readonly<Record<string, { schema: object; example: unknown }>> }
  readonly responses: Readonly<Record<string, Described>>
}

export interface ApiDocument {
  readonly openapi: string
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationDocument>>>>
  readonly components: { readonly schemas: { readonly Problem: object } }
}

/** What is wrong with a value by a schema of the document; empty when nothing is. */
export function wrongBy(document: ApiDocument, schema: object, value: unknown): string[] {
  const own = '$ref' in schema ? document.components.schemas.Problem : schema
  const parsed = z.fromJSONSchema(own as never).safeParse(value)
  return parsed.success ? [] : parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

/** What is wrong with a real answer by the document: an undescribed status or type, or a body of another shape. */
export async function wrongIn(
  document: ApiDocument,
  asked: { readonly method: string; readonly path: string },
  response: Response,
): Promise<string[]> {
  const operation = document.paths[asked.path]?.[asked.method.toLowerCase()]
  if (operation === undefined) return [`${asked.method} ${asked.path} is not described`]
  const described = operation.responses[response.status]
  if (described === undefined) return [`${response.status} of ${asked.method} ${asked.path} is not described`]
  const type = (response.headers.get('content-type') ?? '').split(';')[0] ?? ''
  const content = described.content[type]
  if (content === undefined) return [`${type} is not described`]
  return content.schema === undefined ? [] : wrongBy(document, content.schema, await response.json())
}
