import { isPlainText, plainText } from '../../domain/plain-text'
import { hint } from '../../domain/secret'
import { refusalOf } from '../../net/guard'
import type { Endpoint } from '../channel'

/** Engines people know by name. */
const KNOWN: Readonly<Record<string, string>> = {
  bing: 'www.bing.com',
  yandex: 'yandex.com',
  naver: 'searchadvisor.naver.com',
  seznam: 'search.seznam.cz',
  yep: 'indexnow.yep.com',
  amazon: 'indexnow.amazonbot.amazon',
}

export const KNOWN_ENGINES: readonly string[] = Object.keys(KNOWN)

const DEFAULT_PATH = '/indexnow'
/** Every batch in a record carries the name. */
const MAX_NAME_LENGTH = 200
const MAX_QUOTED = 60

/** A JSON array, a comma list or a list: the names in it, or null when it is none of these. */
export function engineNames(value: unknown): readonly string[] | null {
  if (typeof value === 'string') {
    const text = value.trim()
    if (!text.startsWith('[')) return text.split(',').map(trim).filter(Boolean)
    try {
      return engineNames(JSON.parse(text))
    } catch {
      return null
    }
  }
  if (!Array.isArray(value) || !value.every((name) => typeof name === 'string')) return null
  return value.map(trim).filter(Boolean)
}

const trim = (text: string): string => text.trim()

/** What may be a key that was written into the wrong field: long, or not so long but with digits in it. */
const LIKE_A_KEY = /(?=[a-z-]*\d)[a-z0-9-]{8,}|[a-z0-9-]{16,}/gi

/** An entry as a sentence may show it: short, and without what may be a password or a key. */
export function quoted(name: string): string {
  const safe = plainText(name)
    .replace(/^.*@/, '…@')
    .replace(/[?#].*$/, '…')
    .replace(LIKE_A_KEY, hint)
  return `"${safe.length > MAX_QUOTED ? `${safe.slice(0, MAX_QUOTED)}…` : safe}"`
}

/** The endpoint behind a known name, a host, a host with path, or a full address; null when it is none that may be asked. */
export function parseEngine(name: string, allowPrivateNetwork: boolean): Endpoint | null {
  if (name.length > MAX_NAME_LENGTH || !isPlainText(name)) return null
  const place = KNOWN[name.toLowerCase()] ?? name
  const address = /^[a-z]+:\/\//i.test(place) ? place : `https://${place}`
  if (refusalOf(address, { allowPrivateNetwork }) !== null) return null
  const url = new URL(address)
  url.hostname = url.hostname.replace(/\.$/, '')
  if (url.pathname === '/') url.pathname = DEFAULT_PATH
  if (url.search !== '' || url.hash !== '') return null
  return { name, address: url.href }
}
