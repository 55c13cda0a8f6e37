/** Walls answer with these; a site that simply forbids does not. */
const STATUSES = [401, 403, 405, 429, 503]
const HEADER = 'cf-mitigated'
/** Words of the challenge pages in use: of content networks, of bot managers, and of plugins that ask for a captcha. */
const SIGNS =
  /cdn-cgi\/challenge-platform|_cf_chl|just a moment\.\.\.|attention required!|captcha|datadome|incapsula|imperva|perimeterx|px-block|akamai|sucuri|ddos-guard|wordfence|enable javascript and cookies/i
const ENOUGH_BYTES = 16_384

/** Whether this answer comes from a wall against robots and not from the site. Reads a little of the body, then lets it go. */
export async function isBotWall(response: Response): Promise<boolean> {
  if (!STATUSES.includes(response.status)) {
    await response.body?.cancel()
    return false
  }
  if (response.headers.has(HEADER)) {
    await response.body?.cancel()
    return true
  }
  return SIGNS.test(await beginningOf(response))
}

async function beginningOf({ body }: Response): Promise<string> {
  if (body === null) return ''
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  try {
    while (text.length < ENOUGH_BYTES) {
      const { done, value } = await reader.read()
      if (done) break
      text += decoder.decode(value, { stream: true })
    }
  } finally {
    await reader.cancel()
  }
  return text
}
