import type { ChainId } from '../../domain/chain/chain'
import { isNative, type TokenList } from '../../domain/money/token'
import type { Transfer } from '../../ports/chain-client'

/** The address that logs native transfers on some chains (EIP-7708). The balance sweep finds that money. */
const nativeLogEmitter = '0xfffffffffffffffffffffffffffffffffffffffe'

/**
 * Whether a transfer is a deposit. A transfer of zero or to oneself moves nothing, and native coin is found by its
 * balance.
 */
export const isDepositOn =
  (tokens: TokenList) =>
  (chainId: ChainId, { token, from, to, amountRaw }: Transfer): boolean => {
    if (amountRaw <= 0n || from.toLowerCase() === to.toLowerCase()) return false
    if (token.toLowerCase() === nativeLogEmitter) return false
    return !isNative(tokens.find(chainId, token)?.address ?? token)
  }
