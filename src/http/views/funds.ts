import { chainKeyOf } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { type Holding, holders, holdingOf, holdingSeen } from '../../domain/money/holding'
import { type } from '../../domain/schema'
import type { Seen } from '../../ports/queries'
import { example } from './examples'
import { decimalsOf, type FindToken, symbolOf } from './find-token'
import { Address, AddressOrNull, Amount, ChainId, ChainKeyName, Count, CountOrNull, shown, Text } from './scalar'

/** Where what has not reached the recipient is; when everything has, the delivery itself (extensions 4.3). */
export const FundsView = type({
  holder: shown(
    type.enumerated(...holders),
    'Who holds the money; NONE: another execution has it now, or nobody, see `next`',
    'DEPOSIT_ACCOUNT',
  ),
  address: AddressOrNull('Where', example.depositAddress),
  chainId: ChainId('On which chain'),
  chainKey: ChainKeyName('Its key'),
  tokenAddress: Address('Which token', example.baseUsdc),
  tokenSymbol: Text('Its symbol', 'USDC'),
  tokenDecimals: CountOrNull('Its decimals', 6),
  amount: Amount('How much, in atomic units of it', '25000000'),
  blockNumber: Count('The block at which this was true', 38294117),
})
export type FundsView = typeof FundsView.infer

type Said = { token: string; symbol: string; decimals: number | null }

function viewOf(
  { holder, address, chainId, token, amountRaw, block }: Holding,
  findToken: FindToken,
  said?: Said,
): FundsView {
  const known = said?.token === token ? said : null
  return {
    holder,
    address,
    chainId,
    chainKey: chainKeyOf(chainId),
    tokenAddress: token,
    tokenSymbol: symbolOf(findToken, chainId, token, known?.symbol),
    tokenDecimals: decimalsOf(findToken, chainId, token, known?.decimals),
    amount: amountRaw,
    blockNumber: block,
  }
}

export const fundsOf = (execution: Execution, findToken: FindToken): FundsView => {
  const { deposit } = execution
  const holding = holdingOf(execution)
  return viewOf(holding, findToken, holding.chainId === deposit.chainId ? deposit : undefined)
}

export const fundsSeen = (seen: Seen, findToken: FindToken): FundsView => viewOf(holdingSeen(seen), findToken)
