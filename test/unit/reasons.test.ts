import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { meaningOf, REASONS } from '../../src/domain/reasons'

/** Folders in which reasons are made. */
const SOURCES = ['src/channels', 'src/sitemap', 'src/pipeline', 'src/net']
const LITERAL =
  /\b(?:reason|code): ['`]([^'`]+)['`]|\b(?:leaveOut|bad|wrong|off)\((?:\w+, |'\w+', )?['`]([a-z][\w{}$]*_[\w{}$]*)['`]/g

/** Codes of the API's own problems, which the routes list, of what only the log says, and prefixes. */
const ELSEWHERE = [
  'already_running',
  'invalid_field',
  'missing_field',
  'unknown_field',
  'invalid_body',
  'custom',
  'HTTP 503',
  'sitemap_503',
]

function codesInSource(): string[] {
  const files = SOURCES.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
      .map((entry) => join(entry.parentPath, entry.name)),
  )
  const found = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(LITERAL)])
  const codes = found.map(([, one, other]) => (one ?? other ?? '').replace(/\$\{[^}]*\}/g, '503'))
  return [...new Set(codes)].filter((code) => !ELSEWHERE.includes(code)).sort()
}

describe('reason codes', () => {
  it('are found in the source', () => {
    expect(codesInSource()).toEqual(
      expect.arrayContaining(['throttled', 'key_refused', 'other_host', 'server_error_503']),
    )
    expect(codesInSource().length).toBeGreaterThan(25)
  })

  it.each(codesInSource())('%s is in the list that /docs shows', (code) => {
    expect(meaningOf(code) ?? meaningOf(`sitemap_${code}`)).toMatch(/^[A-Z].*\.$/)
  })

  it('stand in the list once each', () => {
    const codes = REASONS.map(({ code }) => code)
    expect(new Set(codes).size).toBe(codes.length)
    expect(meaningOf('no_such_code')).toBeNull()
  })
})
