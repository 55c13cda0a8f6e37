import { describe, expect, it } from 'vitest'
import { refusalOf } from '../../src/net/guard'

const publicly = (address: string) => refusalOf(address, { allowPrivateNetwork: false })
const privately = (address: string) => refusalOf(address, { allowPrivateNetwork: true })

const OPEN = [
  'https://example.com/sitemap.xml',
  'http://example.com/',
  'https://example.com:443/',
  'http://example.com:80/',
  'https://example.com:80/',
  'https://sub.domain.example.co.uk/a?b=c#d',
  'https://münchen.example/',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com./',
  'https://localhost.example.com/',
  'https://10.0.0.1.example.com/',
]

const LITERALS = [
  'http://10.0.0.1/',
  'http://192.168.1.1/',
  'http://172.16.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://0.0.0.0/',
  'http://8.8.8.8/',
  'http://0xa000001/',
  'http://167772161/',
  'http://012.0.0.1/',
  'http://10.1/',
  'http://１０.0.0.1/',
  'http://10。0。0。1/',
  'http://10.0.0.1./',
  'http://[fd00::1]/',
  'http://[::ffff:10.0.0.1]/',
  'http://[fe80::1]/',
  'http://[::]/',
  'http://[64:ff9b::a00:1]/',
]

const PRIVATE_NAMES = [
  'http://intranet/',
  'http://router.local/',
  'http://db.internal/',
  'http://metadata.google.internal/',
  'http://nas.lan/',
  'http://printer.home.arpa/',
  'http://box.localdomain/',
  'http://ROUTER.LOCAL./',
]

const LOOPBACK = [
  'http://localhost/',
  'http://localhost./',
  'http://shop.localhost/',
  'http://127.0.0.1/',
  'http://127.255.0.9/',
  'http://2130706433/',
  'http://0x7f.1/',
  'http://[::1]/',
  'http://[0:0:0:0:0:0:0:1]/',
]

const NO_ADDRESSES = [
  '',
  'example.com',
  '/sitemap.xml',
  'https://',
  'https://exa mple.com/',
  'http://[::1',
  'x',
]
const OTHER_SCHEMES = [
  'ftp://example.com/',
  'file:///etc/passwd',
  'data:text/xml,a',
  'javascript:1',
  'ws://a.example/',
]
const WITH_USER = ['https://user@example.com/', 'https://user:pw@example.com/', 'https://:pw@example.com/']
const OTHER_PORTS = ['https://example.com:8443/', 'http://example.com:22/', 'http://example.com:6379/']

describe('addresses that may be asked', () => {
  it.each(OPEN)('%s, everywhere', (address) => {
    expect(publicly(address)).toBeNull()
    expect(privately(address)).toBeNull()
  })

  it.each([
    ...LOOPBACK,
    'http://localhost:8787/',
    'http://127.0.0.1:49152/a',
    'http://[::1]:3000/',
  ])('%s, only where private networks are allowed', (address) => {
    expect(publicly(address)).toMatch(/^must be on a public host name; .+ set ALLOW_PRIVATE_NETWORK to true$/)
    expect(privately(address)).toBeNull()
  })
})

describe('addresses that may not be asked', () => {
  it.each([...LITERALS, ...PRIVATE_NAMES])('%s, private networks allowed or not', (address) => {
    expect(publicly(address)).toBe('must be on a public host name')
    expect(privately(address)).toBe('must be on a public host name')
  })

  it.each(NO_ADDRESSES)('"%s" is no address', (address) => {
    expect(publicly(address)).toMatch(/^must be a full address/)
    expect(privately(address)).toMatch(/^must be a full address/)
  })

  it.each(OTHER_SCHEMES)('%s is not of the web', (address) => {
    expect(publicly(address)).toBe('must start with https:// or http://')
    expect(privately(address)).toBe('must start with https:// or http://')
  })

  it.each(WITH_USER)('%s carries a user', (address) => {
    expect(publicly(address)).toBe('must not carry a user name or password')
    expect(privately('http://user@127.0.0.1/')).toBe('must not carry a user name or password')
  })

  it.each(OTHER_PORTS)('%s is on another port', (address) => {
    expect(publicly(address)).toBe('must use port 80 or 443')
  })
})
