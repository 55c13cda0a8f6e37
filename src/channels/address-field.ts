import { z } from 'zod'
import { type GuardOptions, refusalOf } from '../net/guard'

/** As long as a page's address may be. Addresses are quoted in records, and those are kept. */
const MAX_LENGTH = 2_048
const MESSAGE = `must be at most ${MAX_LENGTH} characters long`

/** An address that may be asked, as it was written. */
export function addressAsWritten(options: GuardOptions, example?: string) {
  return z
    .string()
    .max(MAX_LENGTH, { message: MESSAGE })
    .superRefine((text, issues) => {
      const refusal = refusalOf(text, options, example)
      if (refusal !== null) issues.addIssue({ code: 'custom', message: refusal })
    })
}

/** An address that may be asked, in one form for all its spellings: two of them are seen to be the same. */
export function address(options: GuardOptions) {
  return addressAsWritten(options).transform((text) =>
    URL.canParse(text) ? normalForm(new URL(text)) : text,
  )
}

function normalForm(url: URL): string {
  url.hash = ''
  // Takes a lone question mark away.
  if (url.search === '') url.search = ''
  url.hostname = url.hostname.replace(/\.$/, '')
  return url.href
}
