import { type ChainId, chainIds, chainOf } from '../chain/chain'
import type { Hash, Hex } from '../chain/hex'

/** Search text, classified by its form. `chainId` is the chain that the text names, or null. */
export type Sought =
  | { kind: 'HASH'; text: Hash; chainId: ChainId | null }
  | { kind: 'ADDRESS'; text: Hex; chainId: ChainId | null }
  /** Id of a deposit or of one of its executions. */
  | { kind: 'DEPOSIT'; text: string; chainId: ChainId | null }
  /** Any other text: integrators choose their users' ids freely. */
  | { kind: 'USER'; text: string; chainId: null }
export const soughtKinds = ['HASH', 'ADDRESS', 'DEPOSIT', 'USER'] as const satisfies Sought['kind'][]

const hosts = new Map(chainIds.map((id) => [new URL(chainOf(id).explorerUrl).hostname, id]))
const ofHex = /^0x(?:[0-9a-f]{64}|[0-9a-f]{40})$/i
/** Matches the ids of `depositIdOf` and `sweptDepositIdOf`, with or without a re-drive's suffix. */
const ofDeposit = /^(\d{1,10}):(?:0x[0-9a-f]{64}:\d{1,9}|sweep:0x[0-9a-f]{40}:0x[0-9a-f]{40}:\d{1,9})(?::r\d{1,6})?$/i

/** Returns the chain whose explorer serves a page. The host must match exactly, apart from `www.`. */
const chainAt = ({ protocol, hostname }: URL): ChainId | null =>
  protocol === 'https:' || protocol === 'http:' ? (hosts.get(hostname.replace(/^www\./, '')) ?? null) : null

/**
 * Classifies a text as a hash, an address, an id, or the URL of a page about one of them, on an explorer or the
 * dashboard. Only the URL of a supported chain's explorer names a chain. Nothing is ever fetched.
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
  if (ofHex.test(text))
    return text.length === 66
      ? { kind: 'HASH', text: lower as Hash, chainId }
      : { kind: 'ADDRESS', text: lower as Hex, chainId }
  const [, chain] = ofDeposit.exec(text) ?? []
  return chain === undefined
    ? null
    : { kind: 'DEPOSIT', text: lower, chainId: chainIds.find((id) => String(id) === chain) ?? null }
}

/** Parses a URL like a browser; null for any other text. */
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
