import { BlockList, isIP } from 'node:net'
import { urlLengthMax } from './endpoint'

/** Ranges outside the public Internet (IANA's special-purpose registries), and the metadata address of a cloud. */
const refused4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32', // metadata service of Azure, on a public address
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]
/** The only public range of IPv6. Mapped, NAT64, unique local, link-local and multicast addresses are outside it. */
const public6 = '2000::/3'
/**
 * Refused ranges within `public6`: protocol assignments with Teredo, documentation, and 6to4, which carries any IPv4
 * address.
 */
const refused6 = ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']

const listOf = (ranges: readonly string[], family: 'ipv4' | 'ipv6'): BlockList => {
  const list = new BlockList()
  for (const range of ranges) {
    const [address, bits] = range.split('/') as [string, string]
    list.addSubnet(address, Number(bits), family)
  }
  return list
}
const [refusedOf4, refusedOf6] = [listOf(refused4, 'ipv4'), listOf(refused6, 'ipv6')]
const publicOf6 = listOf([public6], 'ipv6')
const loopbackOf4 = listOf(['127.0.0.0/8'], 'ipv4')

/** Whether an address belongs to the public Internet. Text that is not an address, or that has a zone, does not. */
export function isPublicAddress(address: string): boolean {
  if (address.includes('%')) return false
  const family = isIP(address)
  if (family === 4) return !refusedOf4.check(address, 'ipv4')
  return family === 6 && publicOf6.check(address, 'ipv6') && !refusedOf6.check(address, 'ipv6')
}

/** Whether an address is a loopback address in one of its two usual forms. */
export const isOwnAddress = (address: string): boolean =>
  isIP(address) === 4 ? loopbackOf4.check(address, 'ipv4') : address === '::1'

/** Names that resolve only in a private network. */
const privateName = /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|private|arpa|onion|test)$/

/** Other protocols own the ports below this one. The port of https is the exception. */
const freePortLeast = 1_024

const isPrivateName = (host: string): boolean => !host.includes('.') || host.endsWith('.') || privateName.test(host)

/** Returns the host of a URL, without the brackets of an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Whether events may be posted to an address.
 *
 * @param toLoopback Whether loopback addresses are allowed too, as they are on a network of test money.
 */
export const mayReach = (address: string, toLoopback: boolean): boolean =>
  isPublicAddress(address) || (toLoopback && isOwnAddress(address))

/** What a URL must be, as the end of a sentence, where loopback addresses are allowed and where they are not. */
const wantedHttps = { false: 'must be an https:// URL', true: 'must be an https:// URL, or one of this machine' }
const wantedPublic = {
  false: 'must be reachable on the public Internet',
  true: 'must be reachable on the public Internet, or be of this machine, as http://localhost:4242 is',
}

/** Returns the fault of an endpoint's URL, as the end of a sentence that begins with `url`; null for a valid URL. */
export function urlObjection(text: string, toLoopback: boolean): string | null {
  if (text.length > urlLengthMax) return `must be at most ${urlLengthMax} characters long`
  const [notHttps, notPublic] = [wantedHttps[`${toLoopback}`], wantedPublic[`${toLoopback}`]]
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return notHttps
  const url = new URL(text)
  const host = hostOf(url).toLowerCase()
  if (toLoopback && (host === 'localhost' || isOwnAddress(host))) return null
  const isPrivate = isIP(host) === 0 ? isPrivateName(host) : !isPublicAddress(host)
  if (isPrivate) return notPublic
  if (url.protocol !== 'https:') return notHttps
  if (url.username !== '' || url.password !== '') return 'must not contain a user name or a password'
  if (url.port !== '' && Number(url.port) < freePortLeast)
    return `must use port 443, or port ${freePortLeast} or higher`
  return null
}
