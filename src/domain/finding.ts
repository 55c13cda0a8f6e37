/** One thing that was looked at: good, or what is wrong with it and what to do. */
export interface Finding {
  /** `keyFile`, `sitemap`, `engine yandex`, `bingKey` … */
  readonly name: string
  readonly ok: boolean
  /** `ok`, or a stable code. */
  readonly code: string
  readonly detail: string
  readonly advice?: string
}

export const good = (name: string, detail: string): Finding => ({ name, ok: true, code: 'ok', detail })

export const bad = (name: string, code: string, detail: string, advice: string): Finding => ({
  name,
  ok: false,
  code,
  detail,
  advice,
})
