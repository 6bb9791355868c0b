import { isIP } from 'node:net'
import { addressesIn, canonicalAddress } from '../../domain/tenant/address-range'

/** Addresses and CIDR ranges of proxies, as they are configured. */
export type TrustedProxies = readonly string[]

/** Strips brackets and port from an address, and writes it in its canonical form. Other texts stay as they are. */
function plain(text: string): string {
  const bare = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1')
  return canonicalAddress(bare) ?? bare
}

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
