import { isIP } from 'node:net'
import { addressesIn } from '../../domain/tenant/address-range'

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

/**
 * Finds where a request comes from: the nearest address that is not a trusted proxy. `x-forwarded-for` is read from the
 * right, and only as far as trusted proxies wrote it. Everything to the left of that is a claim of the client.
 */
export function clientAddress(proxies: TrustedProxies) {
  const isTrusted = addressesIn(proxies)
  return (request: Request, socketAddress: string): string => {
    const hops = (request.headers.get('x-forwarded-for') ?? '').split(',').map(plain)
    let address = plain(socketAddress)
    for (let hop = hops.pop(); hop && isIP(hop) !== 0 && isTrusted(address); hop = hops.pop()) address = hop
    return address
  }
}

const isOwn = addressesIn(['127.0.0.0/8', '::1'])

/** Whether an address is this machine's own. */
export const isLoopback = (address: string): boolean => {
  const bare = plain(address)
  return bare === 'localhost' || isOwn(bare)
}
