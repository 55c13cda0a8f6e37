/**
 * The six forms of W3C Datetime that sitemaps may use, and two liberties many take: a space for the T, and a time without a
 * zone, read as UTC. The scanner's core has the same rules in wasm/lastmod.ts; tests hold the two against each other.
 */
const FORM =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)? *(Z|z|[+-]\d{2}:?\d{2})?)?)?)?$/

/** Unix seconds, or null for anything that is not a date: the entry stays, its lastmod does not. */
export function parseLastmod(text: string): number | null {
  const found = FORM.exec(text.trim())
  if (found === null) return null
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone = 'Z'] = found
  const date = new Date(0)
  // Not Date.UTC, which takes the year 50 for 1950.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  // 31 February rolls over into March; such a date says nothing reliable.
  const isReal = date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
  const offset = offsetSeconds(zone)
  if (!isReal || offset === null || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59)
    return null
  return date.getTime() / 1000 + Number(hour) * 3600 + Number(minute) * 60 + Number(second) - offset
}

function offsetSeconds(zone: string): number | null {
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (found === null) return 0
  const [, sign, hours, minutes] = found
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  return sign === '-' ? -seconds : seconds
}
