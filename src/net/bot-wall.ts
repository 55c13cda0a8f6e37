/** Pages that shops and firewalls put before what was asked for, to see whether a person is asking. */
const CHALLENGE =
  /just a moment|checking your browser|attention required|captcha|challenge-platform|cf-chl|access denied|are you a robot|ddos protection/i
const WALL_STATUSES = [403, 429, 503]

/** True when an answer is a challenge for people instead of the file. Pure. */
export function isBotWall(answer: {
  readonly status: number
  /** The header by which Cloudflare says so itself. */
  readonly mitigated: string | null
  readonly text: string
}): boolean {
  if (answer.mitigated !== null) return true
  const isPage = /^\s*(?:<!doctype html|<html)/i.test(answer.text)
  return isPage && (CHALLENGE.test(answer.text) || WALL_STATUSES.includes(answer.status))
}

export const BOT_WALL_ADVICE =
  'let this path through your bot protection, for this user agent and for the crawlers of search engines'
