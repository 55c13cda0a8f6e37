import { describe, expect, it } from 'vitest'
import { admit } from '../../src/sitemap/admit'

const BASE = 'https://shop.example/maps/sitemap.xml'
const take = (loc: string) => admit(loc, BASE, 'shop.example')

describe('admitting a loc', () => {
  it.each([
    ['https://shop.example/a', 'https://shop.example/a'],
    ['  https://shop.example/a\n', 'https://shop.example/a'],
    ['http://shop.example/a', 'http://shop.example/a'],
    ['HTTPS://SHOP.example/A', 'https://shop.example/A'],
    ['https://shop.example', 'https://shop.example/'],
    ['https://shop.example:443/a', 'https://shop.example/a'],
    ['https://shop.example/a#part', 'https://shop.example/a'],
    ['https://shop.example/a?b=c#part', 'https://shop.example/a?b=c'],
    ['https://shop.example/ä b', 'https://shop.example/%C3%A4%20b'],
    ['https://shop.example/x/../a', 'https://shop.example/a'],
    ['/a', 'https://shop.example/a'],
    ['a', 'https://shop.example/maps/a'],
    ['//shop.example/a', 'https://shop.example/a'],
  ])('%s becomes %s, which stays as it is', (loc, url) => {
    expect(take(loc)).toEqual({ ok: true, url })
    expect(take(url)).toEqual({ ok: true, url })
  })

  it.each([
    ['', 'bad_url'],
    ['   ', 'bad_url'],
    ['https://', 'bad_url'],
    ['http://[', 'bad_url'],
    ['ftp://shop.example/a', 'not_http'],
    ['javascript:alert(1)', 'not_http'],
    ['mailto:a@shop.example', 'not_http'],
    ['https://user@shop.example/', 'credentials'],
    ['https://:pw@shop.example/', 'credentials'],
    ['https://other.example/', 'other_host'],
    ['https://www.shop.example/', 'other_host'],
    ['https://shop.example.evil.example/', 'other_host'],
    ['https://shop.example:8443/', 'other_host'],
    [`https://shop.example/${'a'.repeat(2_048)}`, 'too_long'],
    [`https://shop.example/${'ä'.repeat(400)}`, 'too_long'],
  ])('%s is left out: %s', (loc, reason) => {
    expect(take(loc)).toMatchObject({ ok: false, reason })
  })

  it('2,048 characters are not too long', () => {
    const url = `https://shop.example/${'a'.repeat(2_048 - 'https://shop.example/'.length)}`
    expect(take(url)).toEqual({ ok: true, url })
    expect(take(`${url}#${'b'.repeat(500)}`)).toEqual({ ok: true, url })
  })

  it('a port belongs to the host where the site has one', () => {
    expect(admit('http://127.0.0.1:8080/a', 'http://127.0.0.1:8080/', '127.0.0.1:8080').ok).toBe(true)
    expect(admit('http://127.0.0.1/a', 'http://127.0.0.1:8080/', '127.0.0.1:8080').ok).toBe(false)
  })
})
