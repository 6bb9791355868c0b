import { BoundedMap } from '../../domain/bounded-map'
import type { ChainId } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import type { Deposit } from '../../domain/execution/execution'
import type { TokenList } from '../../domain/money/token'
import type { Chains } from '../../ports/chain-client'

const rememberedMax = 1_000

/**
 * Returns a token's symbol and decimals: from the token list, and from the token's contract only when it is not listed.
 */
export function describeToken({ tokens, chains }: { tokens: TokenList; chains: Chains }) {
  const described = new BoundedMap<string, { symbol: string; decimals: number }>(rememberedMax)

  return async (chainId: ChainId, token: Address): Promise<Pick<Deposit, 'token' | 'symbol' | 'decimals'>> => {
    const listed = tokens.find(chainId, token)
    if (listed) return { token: listed.address, symbol: listed.symbol, decimals: listed.decimals }
    const key = `${chainId}:${token}`
    const metadata = described.get(key) ?? (await chains[chainId].tokenMetadata(token))
    if (metadata) described.set(key, metadata)
    return { token, symbol: metadata?.symbol ?? 'UNKNOWN', decimals: metadata?.decimals ?? null }
  }
}
