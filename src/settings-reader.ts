import { LIMITS } from './domain/limits'
import { Secret } from './domain/secret'
import type { SettingProblem } from './domain/settings'
import { refusalOf } from './net/guard'

/** Digits and nothing else: what other notations mean is a matter of taste. */
export function isWholeNumber(text: string): boolean {
  return /^\d+$/.test(text)
}

/** Reads settings one by one and collects what is wrong with them. */
export class SettingsReader {
  readonly problems: SettingProblem[] = []

  constructor(private readonly env: Readonly<Record<string, unknown>>) {}

  /** The trimmed text, or undefined when the setting is absent or empty. */
  text(name: string): string | undefined {
    const value = this.env[name]
    if (typeof value === 'number' || typeof value === 'boolean') return String(value)
    if (typeof value !== 'string') return undefined
    return value.trim() === '' ? undefined : value.trim()
  }

  /** A list given as JSON array or comma list stays what it is: the site's schema reads it. */
  raw(name: string): unknown {
    const value = this.env[name]
    return Array.isArray(value) ? value : this.text(name)
  }

  secret(name: string): Secret | null {
    const text = this.text(name)
    return text === undefined ? null : new Secret(text)
  }

  integer(name: keyof typeof LIMITS): number {
    const { min, max, default: fallback } = LIMITS[name]
    const text = this.text(name)
    if (text === undefined) return fallback
    const value = isWholeNumber(text) ? Number(text) : Number.NaN
    if (Number.isInteger(value) && value >= min && value <= max) return value
    this.wrong(name, `${name} must be a whole number from ${min} to ${max}.`)
    return fallback
  }

  flag(name: string): boolean | undefined {
    const text = this.text(name)?.toLowerCase()
    if (text === undefined) return undefined
    if (text === 'true' || text === '1') return true
    if (text === 'false' || text === '0') return false
    this.wrong(name, `${name} must be true or false.`)
    return undefined
  }

  oneOf<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
    const text = this.text(name)
    if (text === undefined) return fallback
    const found = allowed.find((value) => value === text)
    if (found === undefined) this.wrong(name, `${name} must be one of ${allowed.join(', ')}.`)
    return found ?? fallback
  }

  address(name: string, allowPrivateNetwork: boolean, example: string): string | undefined {
    const text = this.text(name)
    const refusal = text === undefined ? null : refusalOf(text, { allowPrivateNetwork }, example)
    if (refusal === null) return text
    this.wrong(name, `${name} ${refusal}.`)
    return undefined
  }

  origins(name: string): readonly string[] {
    const origins = (this.text(name) ?? '')
      .split(',')
      .map((text) => text.trim())
      .filter(Boolean)
    const isOrigin = (text: string) =>
      /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text
    if (origins.every(isOrigin)) return origins
    this.wrong(name, `${name} must be a comma list of origins, such as https://admin.example.com.`)
    return []
  }

  wrong(setting: string, sentence: string, kind: 'missing' | 'invalid' | 'short' = 'invalid'): void {
    this.problems.push({ setting, sentence, code: `${setting.toLowerCase()}_${kind}` })
  }
}
