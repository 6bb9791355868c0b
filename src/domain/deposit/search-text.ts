import { type ChainId, chainIds, chainOf } from '../chain/chain'
import type { Hash, Hex } from '../chain/hex'
import type { Token } from '../money/token'
import { decodedText } from '../plain-text'

/** Search text, classified by its form. `chainId` is the chain that the text names, or null. */
export type SearchText =
  | { kind: 'HASH'; text: Hash; chainId: ChainId | null }
  | { kind: 'ADDRESS'; text: Hex; chainId: ChainId | null }
  /** Id of a deposit or of one of its executions. */
  | { kind: 'DEPOSIT'; text: string; chainId: ChainId | null }
  /** Any other text: integrators choose their users' ids freely. */
  | { kind: 'USER'; text: string; chainId: null }
export const searchKinds = ['HASH', 'ADDRESS', 'DEPOSIT', 'USER'] as const satisfies SearchText['kind'][]

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
export function parseSearchText(text: string): SearchText {
  const bare = text.trim()
  const plain = namedBy(bare, null)
  if (plain) return plain
  const url = urlOf(bare)
  for (const part of url?.pathname.split('/') ?? []) {
    const named = namedBy(decodedText(part), chainAt(url!))
    if (named) return named
  }
  return { kind: 'USER', text: bare, chainId: null }
}

function namedBy(text: string, chainId: ChainId | null): SearchText | null {
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

type SymbolToken = Pick<Token, 'symbol' | 'decimals'>
const form = /^(\d{1,30}(?:[.,]\d{1,18})*)(?:\s+(\S{1,32}))?$/

/** An amount as a person says it, in the atomic units of every token that it could be of. `symbol` is null for any. */
type SearchAmount = { amountsRaw: string[]; symbol: string | null }

/**
 * Reads `500`, `25.5`, `1,500` or `500 USDC` as an amount. A comma is read as a decimal sign and as a separator of
 * thousands. Returns null for any other text, and if no token can have the amount.
 */
export function parseSearchAmount(text: string, tokens: readonly SymbolToken[]): SearchAmount | null {
  const [, digits, name] = form.exec(text.trim()) ?? []
  if (digits === undefined) return null
  const named = name === undefined ? tokens : tokens.filter((one) => one.symbol.toLowerCase() === name.toLowerCase())
  const decimals = [...new Set(named.map((one) => one.decimals))]
  const amounts = decimals.flatMap((each) => readings(digits).flatMap((reading) => rawOf(reading, each)))
  if (amounts.length === 0) return null
  return { amountsRaw: [...new Set(amounts)], symbol: name === undefined ? null : named[0]!.symbol }
}

/** Returns the numbers that a text can mean, with a point as decimal sign. */
function readings(digits: string): string[] {
  const asDecimal = digits.replace(',', '.')
  const isGrouped = /^\d{1,3}(,\d{3})+(\.\d+)?$/.test(digits)
  return [...(/^\d+(\.\d+)?$/.test(asDecimal) ? [asDecimal] : []), ...(isGrouped ? [digits.replaceAll(',', '')] : [])]
}

function rawOf(number: string, decimals: number): string[] {
  const [whole = '', part = ''] = number.split('.')
  if (part.length > decimals) return []
  const raw = BigInt(whole + part.padEnd(decimals, '0'))
  return raw > 0n ? [String(raw)] : []
}
