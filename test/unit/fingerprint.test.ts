import { describe, expect, it } from 'vitest'
import { endpointId, fingerprinter, xxh64 } from '../../src/marks/fingerprint'

const encoder = new TextEncoder()
const hash = (text: string, seed = 0n) => xxh64(encoder.encode(text), seed).toString(16).padStart(16, '0')

describe('xxh64', () => {
  it.each([
    ['', 'ef46db3751d8e999'],
    ['a', 'd24ec4f1a98c6e5b'],
    ['abc', '44bc2cf5ad770999'],
  ])('gives the published value of "%s"', (text, expected) => {
    expect(hash(text)).toBe(expected)
  })

  it('gives the published values of longer texts, with all four lanes', () => {
    expect(hash('Nobody inspects the spammish repetition')).toBe('fbcea83c8a378bf1')
    expect(hash('xxhash', 20141025n)).toBe('b559b98d844e0635')
  })

  it('every length up to 100 bytes has its own value, whatever lies around the bytes', () => {
    const bytes = Uint8Array.from({ length: 140 }, (_, i) => (i * 37) % 256)
    const seen = new Set<bigint>()
    for (let length = 0; length <= 100; length++) {
      const own = bytes.slice(7, 7 + length)
      const view = bytes.subarray(7, 7 + length)
      expect(xxh64(view, 5n)).toBe(xxh64(own, 5n))
      seen.add(xxh64(own, 5n))
    }
    expect(seen.size).toBe(101)
  })

  it('stays within 64 bits for any seed', () => {
    for (const seed of [0n, 1n, 2n ** 63n, 2n ** 64n - 1n]) {
      const value = xxh64(encoder.encode('https://shop.example/a/rather/long/path/to/one/page'), seed)
      expect(BigInt.asUintN(64, value)).toBe(value)
    }
  })
})

describe('fingerprints', () => {
  it('are the same for the same site and URL', () => {
    const url = 'https://shop.example/página'
    expect(fingerprinter('shop.example')(url)).toBe(fingerprinter('shop.example')(url))
  })

  it('differ between sites and between URLs', () => {
    const url = 'https://shop.example/'
    expect(fingerprinter('shop.example')(url)).not.toBe(fingerprinter('blog.example')(url))
    expect(fingerprinter('shop.example')(url)).not.toBe(fingerprinter('shop.example')(`${url}a`))
  })

  it('do not collide among 50,000 URLs', () => {
    const fingerprint = fingerprinter('shop.example')
    const seen = new Set<bigint>()
    for (let page = 0; page < 50_000; page++) seen.add(fingerprint(`https://shop.example/p/${page}`))
    expect(seen.size).toBe(50_000)
  })

  it('an endpoint is known by its address alone', () => {
    expect(endpointId('https://a.example/indexnow')).toBe(endpointId('https://a.example/indexnow'))
    expect(endpointId('https://a.example/indexnow')).not.toBe(endpointId('https://b.example/indexnow'))
  })
})
