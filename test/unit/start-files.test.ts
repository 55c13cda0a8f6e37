import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readVars } from '../../scripts/start/read-vars'
import { openStateFolder } from '../../scripts/start/state-folder'
import { unknownVars } from '../../scripts/start/unknown-vars'
import { SETTING_NAMES } from '../../src/settings'

const TOKEN = 'a-token-of-32-characters-exactly'
let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'beckon-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

describe('what npm start keeps', () => {
  it.each([
    ['{"sandboxPort":99999}', {}],
    ['{"sandboxPort":0}', {}],
    ['{"sandboxPort":-1}', {}],
    ['{"sandboxPort":"8788"}', {}],
    ['{"adminToken":"short"}', {}],
    ['{"adminToken":"with blanks, and a comma"}', {}],
    ['{"adminToken":7}', {}],
    ['[]', {}],
    ['null', {}],
    ['', {}],
    [`{"sandboxPort":99999,"adminToken":"${TOKEN}"}`, { adminToken: TOKEN }],
    [`{"sandboxPort":8788,"adminToken":"short"}`, { sandboxPort: 8788 }],
    [`{"sandboxPort":8788,"adminToken":"${TOKEN}"}`, { sandboxPort: 8788, adminToken: TOKEN }],
  ])('%s is read as %j: what is broken begins afresh', (text, expected) => {
    writeFileSync(join(folder, 'start.json'), text)
    expect(openStateFolder(folder).read()).toEqual(expected)
  })
})

describe('.dev.vars', () => {
  it('need not be there', () => {
    expect(readVars(join(folder, '.dev.vars'), { LOG_LEVEL: 'warn' })).toEqual({ LOG_LEVEL: 'warn' })
  })

  it('that cannot be read is told, not passed over', () => {
    const file = join(folder, '.dev.vars')
    mkdirSync(file)
    expect(() => readVars(file, {})).toThrow(/\.dev\.vars cannot be read \(EISDIR\): /)
  })

  it('gives its settings, the environment over them', () => {
    const file = join(folder, '.dev.vars')
    writeFileSync(file, 'LOG_LEVEL=debug\nMAX_RETRIES=1\n')
    expect(readVars(file, { LOG_LEVEL: 'warn' })).toEqual({ LOG_LEVEL: 'warn', MAX_RETRIES: '1' })
  })
})

describe('names that are no setting', () => {
  it.each([
    'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaSw',
    '0123456789abcdef0123456789abcdef',
    'a\u001b[2Jb',
  ])('a key that was pasted without a name is not shown (%j)', (pasted) => {
    const [warning = ''] = unknownVars({ [pasted]: '' })
    expect(warning).toContain('write NAME=value')
    expect(warning).not.toContain(pasted.slice(0, 8))
    expect(warning).not.toContain('\u001b')
  })

  it.each([
    ['SITEMAPURL', 'SITEMAP_URL'],
    ['SITEMAP_URI', 'SITEMAP_URL'],
    ['sitemap_url', 'SITEMAP_URL'],
    ['SITEMAP', 'SITEMAP_URL'],
    ['INDEXNOW_KEY', 'INDEXNOW_API_KEY'],
    ['API_KEY', 'INDEXNOW_API_KEY'],
    ['INDEXNOW_ENGINES', 'INDEXNOW_SEARCH_ENGINES'],
    ['MAX_RETRYS', 'MAX_RETRIES'],
    ['BING_ENABLE', 'BING_ENABLED'],
  ])('%s is told, with %s as what was meant', (name, meant) => {
    expect(unknownVars({ [name]: 'x' })).toEqual([`${name} is no setting of Beckon; did you mean ${meant}?`])
  })

  it('one that is near to none may be a secret of a site', () => {
    expect(unknownVars({ COLOUR: 'red' })).toEqual([
      'COLOUR is no setting of Beckon; that is fine if a site names it as env:COLOUR',
    ])
  })

  it('settings are not told, nor what one of them names as its secret', () => {
    expect(unknownVars(Object.fromEntries(SETTING_NAMES.map((name) => [name, 'x'])))).toEqual([])
    expect(unknownVars({ INDEXNOW_API_KEY: 'env:MY_KEY', MY_KEY: 'key-0001' })).toEqual([])
  })
})
