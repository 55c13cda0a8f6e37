/** What an answer of Bing says went wrong, or nulls when it says nothing of the kind. */
export interface BingError {
  /** Bing's number for it, known or not. */
  readonly number: number | null
  /** As it stood in the answer. */
  readonly code: string | null
  readonly message: string | null
  /** The answer is Bing's own success: an object with `d` and no error. */
  readonly success: boolean
}

const NOTHING: BingError = { number: null, code: null, message: null, success: false }
const MAX_MESSAGE_LENGTH = 300
const MAX_CODE_LENGTH = 64

/** Reads `{ErrorCode, Message}`, at the top or inside `d`, the code as number or as text. Anything else is nothing. */
export function readErrorBody(body: string): BingError {
  const top = parse(body)
  if (top === null) return NOTHING
  const inner = 'd' in top && isRecord(top.d) ? top.d : null
  const told = [top, inner].find((part) => part !== null && ('ErrorCode' in part || 'Message' in part))
  const said = told?.ErrorCode
  const code = typeof said === 'number' || typeof said === 'string' ? String(said).trim() : ''
  const message = typeof told?.Message === 'string' ? told.Message.trim().slice(0, MAX_MESSAGE_LENGTH) : ''
  const none = code === '' || Number(code) === 0
  return {
    number: none ? null : numberOf(code),
    code: none ? null : code.slice(0, MAX_CODE_LENGTH),
    message: message === '' ? null : message,
    success: 'd' in top && none && message === '',
  }
}

/** Bing's list of codes. 17 and 18 are on no list of its own, but come. */
const NAMES: readonly string[] = [
  'None',
  'InternalError',
  'UnknownError',
  'InvalidApiKey',
  'ThrottleUser',
  'ThrottleHost',
  'UserBlocked',
  'InvalidUrl',
  'InvalidParameter',
  'TooManySites',
  'UserNotFound',
  'NotFound',
  'AlreadyExists',
  'NotAllowed',
  'NotAuthorized',
  'UnexpectedState',
  'Deprecated',
  'ThrottleIP',
  'InvalidToken',
]

const NUMBERS = new Map(NAMES.map((name, number) => [name.toLowerCase(), number]))

/** The number behind `3`, `"3"`, `InvalidApiKey`, `ERROR_INVALID_API_KEY` or `ERROR!!! InvalidApiKey`. */
export function numberOf(text: string): number | null {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const name = /^(?:ERROR[!_\s]*)?([A-Za-z_]+)\W*$/.exec(text)?.[1] ?? ''
  return NUMBERS.get(name.replaceAll('_', '').toLowerCase()) ?? null
}

function parse(body: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(body.replace(/^\uFEFF/, ''))
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
