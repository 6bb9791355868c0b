import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Sighting } from '../../domain/deposit/sighting'
import type { Deposit, Detector } from '../../domain/execution/execution'
import { isNative, type TokenList } from '../../domain/money/token'
import type { Chains, Transfer } from '../../ports/chain-client'
import type { Holder } from './address-map'

/** The address that logs native transfers on some chains (EIP-7708). The balance sweep finds that money. */
const nativeLogEmitter = '0xfffffffffffffffffffffffffffffffffffffffe'

/**
 * Whether a transfer is a deposit. A transfer of zero or to its own sender moves nothing, and native coin is found by
 * its balance.
 */
export const isDepositOn =
  (tokens: TokenList) =>
  (chainId: ChainId, { token, from, to, amountRaw }: Transfer): boolean => {
    if (amountRaw <= 0n || from.toLowerCase() === to.toLowerCase()) return false
    if (token.toLowerCase() === nativeLogEmitter) return false
    return !isNative(tokens.find(chainId, token)?.address ?? token)
  }

const rememberedMax = 1_000

/** Returns a token's symbol and decimals: from the token list, or from the token's contract if it is not listed. */
export function describeToken({ tokens, chains }: { tokens: TokenList; chains: Chains }) {
  const described = new BoundedMap<string, { symbol: string; decimals: number }>(rememberedMax)

  return async (chainId: ChainId, token: Address): Promise<Pick<Deposit, 'token' | 'symbol' | 'decimals'>> => {
    const listed = tokens.find(chainId, token)
    if (listed) return { token: listed.address, symbol: listed.symbol, decimals: listed.decimals }
    const key = `${chainId}:${token}`
    const { [chainId]: chain } = chains
    // Without decimals the deposit ends, so one node's answer is not enough.
    const metadata =
      described.get(key) ?? (await chain.tokenMetadata(token)) ?? (await chain.second?.tokenMetadata(token)) ?? null
    if (metadata) described.set(key, metadata)
    return { token, symbol: metadata?.symbol ?? 'UNKNOWN', decimals: metadata?.decimals ?? null }
  }
}

/** Creates the sighting of a transfer that no detector has seen before. */
export const newSighting = (
  id: string,
  chainId: ChainId,
  { token, from, txHash, logIndex, block, blockHash, amountRaw }: Transfer,
  { id: account, organizationId, userId }: Holder,
  detector: Detector,
  at: number,
): Sighting => ({
  id,
  version: 0,
  organizationId,
  userId,
  account,
  chainId,
  token,
  amountRaw: String(amountRaw),
  fromAddress: from,
  txHash,
  logIndex,
  block,
  blockHash,
  detectedBy: [detector],
  detectedAt: at,
  stage: 'CONFIRMING',
  updatedAt: at,
})

export const merged = (detectors: readonly Detector[], detector: Detector): Detector[] =>
  detectors.includes(detector) ? [...detectors] : [...detectors, detector]
export const sameAs = ({ detectedBy }: Sighting, detectors: Detector[]): boolean =>
  detectedBy.length === detectors.length
