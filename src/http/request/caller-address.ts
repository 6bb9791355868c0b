import { isIP } from 'node:net'
import { addressesIn, canonicalAddress } from '../../domain/tenant/address-range'

/** Addresses and CIDR ranges of proxies, as configured. */
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
 * Returns the caller's address: the nearest address that is not a trusted proxy. `x-forwarded-for` is read from the
 * right, only through the entries that trusted proxies wrote. The entries further left are claims of the caller.
 */
export function callerAddress(proxies: TrustedProxies) {
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
