import { chainIds } from '../domain/chain/chain'
import type { ChainPair } from '../domain/chain/chain-pair'
import { type Address, zeroAddress } from '../domain/chain/hex'
import { defaultPolicy } from '../domain/execution/route'
import type { TokenList } from '../domain/money/token'
import type { RouteRequest } from '../ports/gate'

const symbol = 'USDC'
const amountIn = 100_000_000n
/** Any address will do, because nothing is sent. */
const nobody: Address = '0x000000000000000000000000000000000000dEaD'

/**
 * Returns the most common request between two chains: a provider that cannot quote it fails there. Null if the token
 * list lacks a token.
 */
export function usualRequest(tokens: TokenList, { fromChainId, toChainId }: ChainPair): RouteRequest | null {
  const fromToken = tokens.findBySymbol(fromChainId, symbol)?.address
  const toToken = fromChainId === toChainId ? zeroAddress : tokens.findBySymbol(toChainId, symbol)?.address
  if (!fromToken || !toToken) return null
  const asked = { fromChainId, fromToken, toChainId, toToken }
  return { ...asked, amountIn, account: nobody, recipient: nobody, policy: defaultPolicy }
}

/**
 * Every pair of chains once, ordered by their distance in the list of chains. Neighbours in this order share no chain,
 * so two probes in a row do not both meet one failing chain.
 */
const everyTwo: ChainPair[] = [1, 2].flatMap((apart) =>
  chainIds.map((_, n) => {
    const from = (2 * apart * n) % chainIds.length
    return { fromChainId: chainIds[from]!, toChainId: chainIds[(from + apart) % chainIds.length]! }
  }),
)

export const usualRequests = (tokens: TokenList): RouteRequest[] =>
  everyTwo.flatMap((pair) => usualRequest(tokens, pair) ?? [])
