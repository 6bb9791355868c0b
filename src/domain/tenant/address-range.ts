import { BlockList, isIP } from 'node:net'

const mapped = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/

/**
 * Returns the canonical form of an IP address for comparisons; null for any other text. IPv6 is compressed (RFC 5952)
 * and has no zone. An IPv4 address that is mapped into IPv6, in any form, becomes IPv4.
 */
export function canonicalAddress(text: string): string | null {
  const [address = ''] = text.split('%')
  const family = isIP(address)
  if (family !== 6) return family === 4 && address === text ? address : null
  const compressed = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const halves = mapped
    .exec(compressed)
    ?.slice(1)
    .map((half) => Number.parseInt(half, 16))
  return halves ? halves.flatMap((half) => [half >> 8, half & 0xff]).join('.') : compressed
}

/**
 * Returns the network of an address, however it is written. Only the network of an IPv6 address counts, because one
 * host has 2^64 addresses.
 */
export function networkOf(text: string): string {
  const address = canonicalAddress(text) ?? text
  if (isIP(address) !== 6) return address
  const [before = '', after] = address.split('::')
  const [first, last] = [before, after ?? ''].map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array(8 - first!.length - last!.length).fill('0')
  return [...first!, ...zeros, ...last!].slice(0, 4).join(':')
}

/** Whether a text is an IP address or a CIDR range: `192.0.2.7`, `10.0.0.0/8`, `2001:db8::/32`. */
export function isAddressRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/')
  const family = isIP(address)
  // A mapped address names no IPv6 host, and a zone is valid on one machine only.
  if (family === 0 || address.includes('%') || isIP(canonicalAddress(address)!) !== family || rest.length > 0)
    return false
  return bits === undefined || (/^(0|[1-9]\d{0,2})$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}

/** Whether an IP address lies in one of the ranges. A range contains only addresses of its own family. */
export function addressesIn(ranges: readonly string[]): (address: string) => boolean {
  // A shared list would compare an IPv4 address as a mapped one, and `::/0` contains those.
  const lists = { 4: new BlockList(), 6: new BlockList() }
  for (const each of ranges) {
    const [address, bits] = each.split('/') as [string, string | undefined]
    const family = isIP(address) === 6 ? 6 : 4
    if (bits === undefined) lists[family].addAddress(address, `ipv${family}`)
    else lists[family].addSubnet(address, Number(bits), `ipv${family}`)
  }
  return (text) => {
    const address = canonicalAddress(text)
    if (address === null) return false
    const family = isIP(address) as 4 | 6
    return lists[family].check(address, `ipv${family}`)
  }
}
