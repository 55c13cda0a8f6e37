import { z } from 'zod'
import type { Problem } from '../domain/problem'

/** A whole number in a query. The text is turned into a number before this sees it, and only when it is digits. */
export function wholeNumber(
  range: { readonly min: number; readonly max: number; readonly default: number },
  description: string,
) {
  const message = `must be a whole number from ${range.min} to ${range.max}`
  return z
    .int({ message })
    .min(range.min, { message })
    .max(range.max, { message })
    .default(range.default)
    .meta({ description })
}

export const ALL_CHANNELS = 'all'

type Named = readonly { readonly id: string }[]

const namesOf = (channels: Named): string[] => [ALL_CHANNELS, ...channels.map(({ id }) => id)]

/** A channel's name, or all of them. Whether there is such a channel `unknownChannel` says, under a code of its own. */
export const channelParameter = (channels: Named, description: string) =>
  z
    .string()
    .default(ALL_CHANNELS)
    .meta({ enum: namesOf(channels), description })

export function unknownChannel(channels: Named, name: string): Problem | null {
  const names = namesOf(channels)
  if (names.includes(name)) return null
  const detail = `channel must be one of ${names.join(', ')}`
  return { status: 400, code: 'unknown_channel', field: 'channel', detail }
}

export const siteParameter = z
  .string()
  .toLowerCase()
  .optional()
  .meta({ description: 'Id of a site. May be left out while there is only one' })

export const anySiteParameter = z
  .string()
  .toLowerCase()
  .optional()
  .meta({ description: 'Id of a site. Left out: all sites' })
