import type { ChainId } from '../../domain/chain/chain'
import { isNative, type TokenList } from '../../domain/money/token'
import type { Transfer } from '../../ports/chain-client'

/** Native transfers that some chains also show as a log (EIP-7708). The balance sweep finds that money. */
const nativeLogEmitter = '0xfffffffffffffffffffffffffffffffffffffffe'

/** Zero moves nothing, and neither does a transfer to oneself; what is native leaves no log that counts. */
export const isDepositOn =
  (tokens: TokenList) =>
  (chainId: ChainId, { token, from, to, amountRaw }: Transfer): boolean => {
    if (amountRaw <= 0n || from.toLowerCase() === to.toLowerCase()) return false
    if (token.toLowerCase() === nativeLogEmitter) return false
    return !isNative(tokens.find(chainId, token)?.address ?? token)
  }
