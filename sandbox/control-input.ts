import { z } from 'zod'
import { parseJson } from './http-kit'
import { CONTROL, TARGETS } from './limits'

const count = z.number().int().min(0)
const pages = count.max(CONTROL.MAX_PAGES)
const delayMs = z.number().min(0).max(CONTROL.MAX_DELAY_MS)

const faultBase = {
  target: z.enum(TARGETS),
  times: z.number().int().min(1).nullish(),
  match: z.string().min(1).optional(),
}

export const faultInput = z.discriminatedUnion('kind', [
  z.strictObject({
    ...faultBase,
    kind: z.literal('429'),
    retryAfter: z.union([z.number(), z.string()]).optional(),
  }),
  z.strictObject({
    ...faultBase,
    kind: z.literal('5xx'),
    status: z.number().int().min(CONTROL.MIN_FAULT_STATUS).max(CONTROL.MAX_FAULT_STATUS).optional(),
  }),
  z.strictObject({ ...faultBase, kind: z.literal('hang') }),
  z.strictObject({ ...faultBase, kind: z.literal('refuse') }),
  z.strictObject({ ...faultBase, kind: z.literal('drop') }),
  z.strictObject({ ...faultBase, kind: z.literal('slow'), ms: delayMs }),
  z.strictObject({
    ...faultBase,
    kind: z.literal('answer'),
    status: z.number().int().min(CONTROL.MIN_ANSWER_STATUS).max(CONTROL.MAX_ANSWER_STATUS),
    body: z.string().optional(),
  }),
])

const override = z.strictObject({
  status: z.number().int().min(CONTROL.MIN_ANSWER_STATUS).max(CONTROL.MAX_ANSWER_STATUS).optional(),
  body: z.string().optional(),
  bodyBase64: z.base64().optional(),
  headers: z.record(z.string(), z.string()).optional(),
})

export const siteInput = z.strictObject({
  pages: pages.optional(),
  touch: z.array(z.strictObject({ page: z.string(), lastmod: z.string().nullish() })).optional(),
  overrides: z.record(z.string().startsWith('/'), override.nullable()).optional(),
  keyFile: z.enum(['ok', 'missing', 'wrong']).optional(),
})

export const bingInput = z.strictObject({
  dialect: z.enum(['real', 'documented']).optional(),
  quota: count.optional(),
  newDay: z.boolean().optional(),
})

export const latencyInput = z.strictObject({ ms: delayMs })

export const resetInput = z.strictObject({})

export const optionsInput = z.strictObject({
  port: count.max(CONTROL.MAX_PORT).optional(),
  pages: pages.optional(),
  key: z.string().min(1).optional(),
  bingKey: z.string().min(1).optional(),
  bingQuota: count.optional(),
  latencyMs: delayMs.optional(),
})

export type Parsed<T> = { ok: true; value: T } | { ok: false; sentence: string }

export function parseInput<T>(schema: z.ZodType<T>, body: string): Parsed<T> {
  const given = body === '' ? {} : parseJson(body)
  if (given === undefined) return { ok: false, sentence: 'The body is not JSON.' }
  const result = schema.safeParse(given)
  if (result.success) return { ok: true, value: result.data }
  const issue = result.error.issues[0]
  const where = issue && issue.path.length > 0 ? ` at ${issue.path.join('.')}` : ''
  return { ok: false, sentence: `The input is wrong${where}: ${issue?.message ?? 'unknown reason'}.` }
}
