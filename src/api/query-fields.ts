import { z } from 'zod'

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
