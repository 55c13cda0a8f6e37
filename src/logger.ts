import { hint } from './domain/secret'
import type { LogLevel } from './domain/settings'
import type { Clock, LogFields, Logger } from './ports'

const LEVELS: readonly LogLevel[] = ['debug', 'info', 'warn', 'error']
const MAX_FIELD_LENGTH = 2_048
/** Shorter values would mask ordinary words. */
const MIN_SECRET_LENGTH = 8

// JSON leaves these as they are, and a terminal or a log viewer would take them for line ends or orders.
const UNSAFE = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g

function escapeUnsafe(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

function shorten(text: string): string {
  return text.length > MAX_FIELD_LENGTH ? `${text.slice(0, MAX_FIELD_LENGTH)}…` : text
}

/** One JSON object per line. Secrets are masked here, at the only place lines leave, whoever wrote them into a message. */
export function createLogger(options: {
  readonly clock: Clock
  readonly level: LogLevel
  readonly write: (line: string) => void
}): Logger {
  const { clock, write } = options
  const threshold = LEVELS.indexOf(options.level)
  /** The longest first: a secret that begins like another must not leave its own end behind. */
  let secrets: readonly string[] = []

  function log(level: LogLevel, message: string, fields: LogFields = {}): void {
    if (LEVELS.indexOf(level) < threshold) return
    const time = new Date(clock.now()).toISOString()
    // Masked before it is shortened, so that no cut leaves half a key behind, and again for the names of fields.
    const line = JSON.stringify({ time, level, message, ...fields }, (_name, value: unknown) => {
      if (typeof value === 'bigint') return value.toString()
      return typeof value === 'string' ? shorten(mask(value)) : value
    })
    write(mask(line).replace(UNSAFE, escapeUnsafe))
  }

  function mask(text: string): string {
    let masked = text
    for (const secret of secrets) masked = masked.replaceAll(secret, hint(secret))
    return masked
  }

  return {
    debug: (message, fields) => log('debug', message, fields),
    info: (message, fields) => log('info', message, fields),
    warn: (message, fields) => log('warn', message, fields),
    error: (message, fields) => log('error', message, fields),
    protect(secret) {
      if (secret.length < MIN_SECRET_LENGTH) return
      const forms = [secret, encodeURIComponent(secret), JSON.stringify(secret).slice(1, -1)]
      secrets = [...new Set([...secrets, ...forms])].sort((a, b) => b.length - a.length)
    },
  }
}
