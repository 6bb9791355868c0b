import { type ChainId, chainIds, chainOf } from '../chain/chain'
import type { Hash, Hex } from '../chain/hex'

/** What somebody looks for, by the looks of it. `chainId`: the chain that the text names, if it names one. */
export type Sought =
  | { kind: 'HASH'; text: Hash; chainId: ChainId | null }
  | { kind: 'ADDRESS'; text: Hex; chainId: ChainId | null }
  /** The id of a deposit, or of one of its executions. */
  | { kind: 'DEPOSIT'; text: string; chainId: ChainId | null }
  /** Anything else: a user has whatever id the integrator gave. */
  | { kind: 'USER'; text: string; chainId: null }
export const soughtKinds = ['HASH', 'ADDRESS', 'DEPOSIT', 'USER'] as const satisfies Sought['kind'][]

const hosts = new Map(chainIds.map((id) => [new URL(chainOf(id).explorerUrl).hostname, id]))
const ofHex = /^0x(?:[0-9a-f]{64}|[0-9a-f]{40})$/i
/** What `depositIdOf` and `sweptDepositIdOf` make, with what a re-drive appends. */
const ofDeposit = /^(\d{1,10}):(?:0x[0-9a-f]{64}:\d{1,9}|sweep:0x[0-9a-f]{40}:0x[0-9a-f]{40}:\d{1,9})(?::r\d{1,6})?$/i

/** The chain whose explorer it is; a host that only ends or begins like one is none. */
const chainAt = ({ protocol, hostname }: URL): ChainId | null =>
  protocol === 'https:' || protocol === 'http:' ? (hosts.get(hostname.replace(/^www\./, '')) ?? null) : null

/**
 * What a piece of text is: a hash, an address, an id, or the address of a page about one of them, as an explorer's or
 * the dashboard's. Only an explorer of our chains names a chain. Nothing is ever fetched.
 */
export function soughtIn(text: string): Sought {
  const bare = text.trim()
  const plain = namedBy(bare, null)
  if (plain) return plain
  const url = urlOf(bare)
  for (const part of url?.pathname.split('/') ?? []) {
    const named = namedBy(decoded(part), chainAt(url!))
    if (named) return named
  }
  return { kind: 'USER', text: bare, chainId: null }
}

function namedBy(text: string, chainId: ChainId | null): Sought | null {
  const lower = text.toLowerCase()
  if (ofHex.test(text)) return { kind: text.length === 66 ? 'HASH' : 'ADDRESS', text: lower as Hex, chainId }
  const [, chain] = ofDeposit.exec(text) ?? []
  return chain === undefined
    ? null
    : { kind: 'DEPOSIT', text: lower, chainId: chainIds.find((id) => String(id) === chain) ?? null }
}

/** As every browser reads it. */
function urlOf(text: string): URL | null {
  try {
    return /^https?:\/\//i.test(text) ? new URL(text) : null
  } catch {
    return null
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
