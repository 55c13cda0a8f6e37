export type Trigger = 'cron' | 'manual' | 'queue'
export type RunStatus = 'success' | 'partial' | 'failed' | 'checkpointed' | 'interrupted'

export interface RunError {
  /** The channel it happened to; absent when it concerns the whole run. */
  readonly channel?: string
  readonly code: string
  readonly message: string
  readonly advice?: string
}

export interface EngineFigures {
  readonly total: number
  readonly accepted: number
  readonly failed: number
  readonly rejected: number
  readonly deferred: number
  readonly averageMs: number
}

export interface BatchFigures {
  readonly channel: string
  readonly engine: string
  readonly number: number
  /** Everything in it was accepted. */
  readonly success: boolean
  readonly urlCount: number
  readonly accepted: number
  /** Of the last answer; null when there was none. */
  readonly statusCode: number | null
  /** What the engine said last against it, in its own words. */
  readonly errorCode?: string
  readonly errorMessage?: string
  readonly timestamp: string
  readonly ms: number
}

export interface BingStats {
  readonly enabled: boolean
  readonly submitted: number
  readonly successful: number
  readonly failed: number
  readonly skipped: number
  readonly quotaUsed: number
  readonly quotaRemaining: number
  readonly error?: string
}

/** The books of one run. URL counts are those of IndexNow, or of the only channel that ran. */
export interface ExecutionRecord {
  readonly runId: string
  readonly siteId: string
  readonly channel: string
  readonly trigger: Trigger
  readonly status: RunStatus
  readonly timestamp: string
  readonly durationMs: number
  readonly totalUrls: number
  readonly newUrls: number
  readonly cachedUrls: number
  readonly submittedUrls: number
  readonly failedUrls: number
  readonly leftOut: Readonly<Record<string, number>>
  readonly errors: readonly RunError[]
  readonly engines: Readonly<Record<string, EngineFigures>>
  readonly batches: readonly BatchFigures[]
  readonly bingStats: BingStats
  readonly requests: number
  readonly kvReads: number
  readonly kvWrites: number
  /** How many marks one write of them carried, on average. */
  readonly marksPerWrite: number
}

/** How far a run has come, for whoever has to tell its story if it dies. */
export interface RunProgress {
  readonly totalUrls: number
  readonly newUrls: number
  readonly engines: Readonly<Record<string, EngineFigures>>
  /** The child sitemap before which everything is settled. */
  readonly cursor: string | null
}

/** Whether it is one, as far as anybody relies on it; what is stored may be anything. */
export function isExecutionRecord(value: unknown): value is ExecutionRecord {
  if (typeof value !== 'object' || value === null) return false
  const { runId, status, timestamp, engines, errors, bingStats } = value as Partial<ExecutionRecord>
  const texts = [runId, status, timestamp].every((text) => typeof text === 'string')
  const objects = [engines, bingStats].every((part) => typeof part === 'object' && part !== null)
  return texts && objects && Array.isArray(errors)
}

/** The record without its batches: only the history keeps those. */
export type LastExecution = Omit<ExecutionRecord, 'batches'>
