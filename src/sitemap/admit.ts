const MAX_URL_LENGTH = 2_048

export type LeftOut = 'bad_url' | 'credentials' | 'not_http' | 'other_host' | 'too_long'

export type Admission =
  | { readonly ok: true; readonly url: string }
  | { readonly ok: false; readonly reason: Exclude<LeftOut, 'other_host'> }
  | { readonly ok: false; readonly reason: 'other_host'; readonly host: string }

/** The one place that turns a loc into the URL that is remembered and submitted: same text in, same text out, for ever. */
export function admit(loc: string, base: string, host: string): Admission {
  const text = loc.trim()
  if (text === '' || !URL.canParse(text, base)) return { ok: false, reason: 'bad_url' }
  const url = new URL(text, base)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return { ok: false, reason: 'not_http' }
  if (url.username !== '' || url.password !== '') return { ok: false, reason: 'credentials' }
  if (url.host !== host) return { ok: false, reason: 'other_host', host: url.host }
  url.hash = ''
  if (url.href.length > MAX_URL_LENGTH) return { ok: false, reason: 'too_long' }
  return { ok: true, url: url.href }
}
