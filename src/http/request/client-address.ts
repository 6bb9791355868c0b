import { BlockList, isIP } from 'node:net'

/** Addresses and CIDR ranges of proxies, as they are configured. */
export type TrustedProxies = readonly string[]

/** Strips brackets, port and zone from an address, and unwraps an IPv4 address that is mapped into IPv6. */
const plain = (text: string): string =>
  text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
    .replace(/%.*$/, '')
    .replace(/^::ffff:(?=\d+\.)/i, '')

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')

/**
 * Finds where a request comes from: the nearest address that is not a trusted proxy. `x-forwarded-for` is read from the
 * right, and only as far as trusted proxies wrote it. Everything to the left of that is a claim of the client.
 */
export function clientAddress(proxies: TrustedProxies) {
  const trusted = new BlockList()
  for (const each of proxies) {
    const [address, bits] = each.split('/') as [string, string | undefined]
    if (bits === undefined) trusted.addAddress(address, familyOf(address))
    else trusted.addSubnet(address, Number(bits), familyOf(address))
  }
  const isTrusted = (address: string) => isIP(address) !== 0 && trusted.check(address, familyOf(address))

  return (request: Request, socketAddress: string): string => {
    const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map(plain)
    let address = plain(socketAddress)
    for (let hop = hops.pop(); hop && isIP(hop) !== 0 && isTrusted(address); hop = hops.pop()) address = hop
    return address
  }
}

const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean => {
  const bare = plain(address)
  return bare === 'localhost' || (isIP(bare) !== 0 && loopback.check(bare, familyOf(bare)))
}
