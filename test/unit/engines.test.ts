import { describe, expect, it } from 'vitest'
import { engineNames, parseEngine, quoted } from '../../src/channels/indexnow/engines'
import { indexnow } from '../../src/channels/indexnow/indexnow'
import { siteWith } from '../support/memory-application'

describe('a list of engines', () => {
  it.each([
    ['bing', ['bing']],
    [' bing , yandex.com ,', ['bing', 'yandex.com']],
    ['["bing", " naver "]', ['bing', 'naver']],
    [
      ['bing', ' ', 'yep'],
      ['bing', 'yep'],
    ],
    ['', []],
    ['[]', []],
  ])('%j names %j', (value, names) => {
    expect(engineNames(value)).toEqual(names)
  })

  it.each([['["bing"'], ['[1]'], [[1]], [{}], [null], [undefined], [7]])('%j is none', (value) => {
    expect(engineNames(value)).toBeNull()
  })
})

describe('an engine', () => {
  it.each([
    ['google', '"google"'],
    ['https://me:pass@engine.example/', '"…@engine.example/"'],
    ['engine.example/indexnow?key=1', '"engine.example/indexnow…"'],
    ['a\nb', '"a b"'],
    ['0123456789abcdef', '"0123****"'],
    ['ftp://key-of-1/', '"ftp://key-****/"'],
    ['duckduckgo', '"duckduckgo"'],
    ['a.'.repeat(100), `"${'a.'.repeat(30)}…"`],
  ])('%j that is none is quoted as %s', (name, shown) => {
    expect(quoted(name)).toBe(shown)
  })

  it.each([
    ['api.indexnow.org', 'https://api.indexnow.org/indexnow'],
    ['bing', 'https://www.bing.com/indexnow'],
    ['Bing', 'https://www.bing.com/indexnow'],
    ['yandex', 'https://yandex.com/indexnow'],
    ['naver', 'https://searchadvisor.naver.com/indexnow'],
    ['seznam', 'https://search.seznam.cz/indexnow'],
    ['yep', 'https://indexnow.yep.com/indexnow'],
    ['amazon', 'https://indexnow.amazonbot.amazon/indexnow'],
    ['www.bing.com/indexnow', 'https://www.bing.com/indexnow'],
    ['www.bing.com/', 'https://www.bing.com/indexnow'],
    ['engine.example/other/path', 'https://engine.example/other/path'],
    ['https://engine.example', 'https://engine.example/indexnow'],
    ['https://engine.example/submit', 'https://engine.example/submit'],
    ['http://engine.example/submit', 'http://engine.example/submit'],
  ])('%s is at %s', (name, address) => {
    expect(parseEngine(name, false)).toEqual({ name, address })
  })

  it.each([
    'google',
    '',
    'localhost',
    '127.0.0.1',
    '10.0.0.1/indexnow',
    'ftp://engine.example/',
    'user@engine.example',
    'engine.example:8080',
    'engine.example/indexnow?key=1',
    'https://engine.example/#a',
    'constructor',
    '__proto__',
  ])('"%s" is none that may be asked', (name) => {
    expect(parseEngine(name, false)).toBeNull()
  })

  it('may be on loopback where private networks are allowed', () => {
    expect(parseEngine('http://127.0.0.1:8080/a', true)?.address).toBe('http://127.0.0.1:8080/a')
  })

  it('named twice in two spellings is asked once', () => {
    const site = siteWith({ INDEXNOW_SEARCH_ENGINES: 'bing, https://www.bing.com/indexnow, yandex' })
    expect(indexnow.endpoints(site)).toEqual([
      { name: 'bing', address: 'https://www.bing.com/indexnow' },
      { name: 'yandex', address: 'https://yandex.com/indexnow' },
    ])
  })
})
