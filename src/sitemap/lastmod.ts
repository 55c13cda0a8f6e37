/** The six forms of W3C Datetime that sitemaps may use. A time without a zone is read as UTC, as most writers mean it. */
const FORM =
  /^(\d{4})(?:-(\d{2})(?:-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?\s*(Z|z|[+-]\d{2}:?\d{2})?)?)?)?$/

/** Unix seconds, or null for anything that is not a date: the entry stays, its lastmod does not. */
export function parseLastmod(text: string): number | null {
  const found = FORM.exec(text.trim())
  if (found === null) return null
  const [, year, month = '01', day = '01', hour = '00', minute = '00', second = '00', zone = 'Z'] = found
  const ms = Date.UTC(
    Number(year),
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
  )
  const back = new Date(ms)
  // Date.UTC rolls 31 February over into March; such a date says nothing reliable.
  const real = back.getUTCMonth() === Number(month) - 1 && back.getUTCDate() === Number(day)
  if (!real || Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null
  return ms / 1000 - offsetSeconds(zone)
}

function offsetSeconds(zone: string): number {
  const found = /^([+-])(\d{2}):?(\d{2})$/.exec(zone)
  if (found === null) return 0
  const seconds = Number(found[2]) * 3600 + Number(found[3]) * 60
  return found[1] === '-' ? -seconds : seconds
}
