import { z } from 'zod'

/** What answers look like. The documents are generated from these, and the tests hold real answers against them. */

const moment = z.iso.datetime().meta({ description: 'UTC' })
const count = z.int().min(0)

export const problemAnswer = z.object({
  status: z.int(),
  code: z.string().meta({ description: 'Stable: script against this' }),
  detail: z.string().meta({ description: 'One sentence for people' }),
  field: z.string().optional().meta({ description: 'The field, parameter or setting at fault' }),
  advice: z.string().optional().meta({ description: 'What to do' }),
})

export const engineFigures = z.object({
  total: count,
  accepted: count,
  failed: count,
  rejected: count,
  deferred: count,
  averageMs: z.number(),
})

const runError = z.object({
  channel: z.string().optional(),
  code: z.string(),
  message: z.string(),
  advice: z.string().optional(),
})

const lastExecution = z.looseObject({
  runId: z.string(),
  siteId: z.string(),
  channel: z.string(),
  trigger: z.enum(['cron', 'manual', 'queue']),
  status: z.enum(['success', 'partial', 'failed', 'checkpointed', 'interrupted']),
  timestamp: moment,
  durationMs: z.number(),
  totalUrls: count,
  newUrls: count,
  cachedUrls: count,
  submittedUrls: count,
  failedUrls: count,
  leftOut: z.record(z.string(), count),
  errors: z.array(runError),
  engines: z.record(z.string(), engineFigures),
  bingStats: z.looseObject({
    enabled: z.boolean(),
    submitted: count,
    successful: count,
    failed: count,
    skipped: count,
    quotaUsed: count,
    quotaRemaining: count,
    error: z.string().optional(),
  }),
  requests: count,
  kvReads: count,
  kvWrites: count,
})

export const executionRecord = lastExecution.extend({
  batches: z.array(
    z.looseObject({
      channel: z.string(),
      engine: z.string(),
      number: count,
      success: z.boolean(),
      urlCount: count,
      accepted: count,
      statusCode: z.int().nullable(),
      errorCode: z.string().optional(),
      errorMessage: z.string().optional(),
      timestamp: moment,
      ms: z.number(),
    }),
  ),
})

const engineState = z.object({
  channel: z.string(),
  acceptedTotal: count.meta({ description: 'URLs accepted since the site exists' }),
  lastAnswer: z
    .object({ at: moment, status: z.int().nullable(), averageMs: z.number() })
    .nullable()
    .meta({ description: 'Of the last run that asked it; status null: no answer came' }),
  setAsideUntil: moment.nullable().meta({ description: 'Gets nothing before this moment' }),
  lastRun: engineFigures.nullable(),
})

const refusal = z.object({
  reason: z.string(),
  code: z.string().optional(),
  detail: z.string().optional(),
  advice: z.string().optional(),
  at: moment,
})

const bingState = z.union([
  z.looseObject({
    enabled: z.literal(true),
    todayQuotaUsed: count,
    todayQuotaRemaining: count,
    lastSubmission: moment.nullable(),
  }),
  z.object({
    enabled: z.literal(false),
    refusal: refusal.optional().meta({ description: 'Bing is on, but it refused the key or the site' }),
  }),
])

export const siteStatus = z.object({
  siteId: z.string(),
  enabled: z.boolean(),
  currentRun: z.string().nullable().meta({ description: 'Id of the run that is going on' }),
  lastExecution: lastExecution.nullable(),
  engines: z.record(z.string(), engineState),
  pending: count
    .nullable()
    .meta({ description: 'URLs the last run found and did not get accepted everywhere' }),
  nextRun: moment.nullable().meta({ description: 'The tick that will run it; null: never by itself' }),
  bing: bingState,
  kv: z.object({
    writesToday: count,
    shareOfFreePlan: z.number().meta({ description: 'Of the 1,000 writes a day; 0.05 is 5 %' }),
  }),
})

export const site = z.looseObject({
  id: z.string(),
  name: z.string(),
  sitemapUrl: z.string(),
  fallbackSitemapUrls: z.array(z.string()),
  host: z.string(),
  enabled: z.boolean(),
  schedule: z.string(),
  source: z.enum(['env', 'api']),
  createdAt: moment.nullable(),
  updatedAt: moment.nullable(),
  apiKey: z.string().meta({ description: 'Masked; `env:NAME` as it is' }),
  searchEngines: z.array(z.string()),
  refusals: z
    .record(z.string(), refusal)
    .optional()
    .meta({ description: 'By channel that its engine refused: it stays off until what was refused changes' }),
})

const channelFigures = z.object({ total: count, successful: count })

export const daily = z.object({
  daily: z.array(z.object({ date: z.iso.date() }).catchall(channelFigures)),
})
