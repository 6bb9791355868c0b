import { chainIds, chainKeyOf, chains } from '../../domain/chain/chain'
import { isNative, type Token } from '../../domain/money/token'
import { view } from '../../domain/schema'
import type { Figures } from '../../ports/prices'
import { example } from './examples'
import { tidyName } from './find-token'
import {
  Address,
  AmountOrNull,
  ChainId,
  ChainKeyName,
  Count,
  described,
  Flag,
  isoTime,
  Text,
  TextOrNull,
  Time,
} from './scalar'

export const DurationView = view({
  typical: Count('Median, in seconds', 39),
  slow: Count('95th percentile, in seconds', 84),
})

export const TokenRouteView = view({
  toChainId: ChainId('Destination chain', chains.arbitrum.id),
  toChainKey: ChainKeyName('Chain key', 'arbitrum'),
  minimumAmountIn: AmountOrNull('Minimum amount that covers the current fees, in atomic units; not enforced', '73728'),
  expectedSeconds: described(
    DurationView.or('null'),
    'From detection to delivery, over the last 7 days; null with under 20 samples',
  ),
})

/** A token that can be sent or received, with its routes (extensions 5.2). */
export const TokenView = view({
  chainId: ChainId('Chain of the token'),
  chainKey: ChainKeyName('Chain key'),
  tokenAddress: Address('Token address; the zero address is the native coin', example.baseUsdc),
  tokenSymbol: Text('Token symbol', 'USDC'),
  tokenName: Text('Token name', 'USD Coin'),
  decimals: Count('Token decimals', 6),
  native: Flag('Whether it is the native coin', false),
  acceptsDeposits: Flag('Whether it can be sent', true),
  delivers: Flag('Whether it can be received', true),
  message: TextOrNull('Why `acceptsDeposits` or `delivers` is false', null),
  updatedAt: Time('When any of this last changed', '2026-11-21T09:59:41.000Z'),
  routes: described(TokenRouteView.array(), 'One entry per destination chain'),
})

export function tokenView(token: Token, figures: Figures, sponsoredGas: boolean): typeof TokenView.infer {
  const { acceptsDeposits, delivers, message, updatedAt } = figures.ofToken(token)
  return {
    chainId: token.chainId,
    chainKey: chainKeyOf(token.chainId),
    tokenAddress: token.address,
    tokenSymbol: tidyName(token.symbol),
    tokenName: tidyName(token.name),
    decimals: token.decimals,
    native: isNative(token.address),
    acceptsDeposits,
    delivers,
    message,
    updatedAt: isoTime(updatedAt),
    routes: chainIds.map((toChainId) => ({
      toChainId,
      toChainKey: chainKeyOf(toChainId),
      minimumAmountIn: figures.minimumAmountIn(token, toChainId, sponsoredGas)?.toString() ?? null,
      expectedSeconds: figures.expectedSeconds(token.chainId, toChainId),
    })),
  }
}
