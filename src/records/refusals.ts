import { createHash } from 'node:crypto'
import { z } from 'zod'

/** Why a channel is off for a site, since when, and what it was that the engine refused. */
export const refusalSchema = z.object({
  reason: z.string(),
  /** The engine's own code and words. */
  code: z.string().optional(),
  detail: z.string().optional(),
  advice: z.string().optional(),
  at: z.string(),
  /** Of the credentials refused: other ones are tried. */
  digest: z.string(),
})

export type Refusal = z.infer<typeof refusalSchema>

/** By channel id. */
export type Refusals = Readonly<Record<string, Refusal>>

/** The channel's refusal, if it was these very credentials that were refused. */
export function standingRefusal(
  refusals: Refusals | undefined,
  channelId: string,
  credentials: string | null,
): Refusal | null {
  const refusal = refusals?.[channelId]
  if (refusal === undefined || credentials === null) return null
  return refusal.digest === digestOf(credentials) ? refusal : null
}

export function digestOf(credentials: string): string {
  return createHash('sha256').update(credentials).digest('hex')
}
