import { type ChainId, perChain } from '../../domain/chain/chain'
import type { Address } from '../../domain/chain/hex'
import { isNative, type TokenList } from '../../domain/money/token'

/**
 * The tokens whose transfers the scanner reads: those of the token list and any others that are named. All other tokens
 * are unlisted.
 */
export function scannedTokens(tokens: TokenList, alsoScanned?: (chainId: ChainId) => readonly Address[]) {
  const listed = perChain((chainId) =>
    tokens.all.filter((token) => token.chainId === chainId && !isNative(token.address)).map(({ address }) => address),
  )
  const of = (chainId: ChainId): readonly Address[] => {
    const also = alsoScanned?.(chainId) ?? []
    return also.length === 0 ? listed[chainId] : [...new Set([...listed[chainId], ...also])]
  }
  return {
    of,
    has: (chainId: ChainId, token: Address): boolean =>
      tokens.find(chainId, token) !== null ||
      of(chainId).some((address) => address.toLowerCase() === token.toLowerCase()),
  }
}
