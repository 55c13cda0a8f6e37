/** The one door for outgoing addresses: what a site's owner types must not reach into anybody's private network. */

export interface GuardOptions {
  /** Opens loopback, on any port, for the sandbox and the tests. */
  readonly allowPrivateNetwork: boolean
}

const OPEN_PORTS = ['', '80', '443']
/** Reserved for, or widely used in, networks of one's own; the public name system holds none of them. */
const PRIVATE_SUFFIXES = [
  '.localhost',
  '.local',
  '.internal',
  '.localdomain',
  '.lan',
  '.home.arpa',
  '.intranet',
  '.corp',
  '.home',
  '.private',
]

function isLoopback(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127\.\d+\.\d+\.\d+$/.test(hostname)
  )
}

/** `URL` has already turned every spelling of an IPv4 address (decimal, hex, octal) into four numbers. */
function isLiteralAddress(hostname: string): boolean {
  return hostname.startsWith('[') || /^\d+\.\d+\.\d+\.\d+$/.test(hostname)
}

/** Names with an empty label are no names, but some resolvers read them as if the dots were not there. */
function isPrivateName(hostname: string): boolean {
  const labels = hostname.split('.')
  return (
    labels.length < 2 ||
    labels.includes('') ||
    PRIVATE_SUFFIXES.some((suffix) => `.${hostname}`.endsWith(suffix))
  )
}

const EXAMPLE = 'https://example.com/sitemap.xml'
const PUBLIC_ONLY = 'must be on a public host name'

/** Why this address may not be asked, as the end of a sentence ("SITEMAP_URL …"), or null when it may. */
export function refusalOf(
  address: string,
  { allowPrivateNetwork }: GuardOptions,
  example = EXAMPLE,
): string | null {
  if (!URL.canParse(address)) return `must be a full address such as ${example}`
  const url = new URL(address)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must start with https:// or http://'
  if (url.username !== '' || url.password !== '') return 'must not carry a user name or password'
  const hostname = url.hostname.replace(/\.$/, '')
  if (isLoopback(hostname)) {
    return allowPrivateNetwork
      ? null
      : `${PUBLIC_ONLY}; to try this machine’s own, set ALLOW_PRIVATE_NETWORK to true`
  }
  if (isLiteralAddress(hostname) || isPrivateName(hostname)) return PUBLIC_ONLY
  if (!OPEN_PORTS.includes(url.port) && !allowPrivateNetwork) return 'must use port 80 or 443'
  return null
}
