import { chainKeyOf } from '../../domain/chain/chain'
import type { Execution } from '../../domain/execution/execution'
import { type Holding, holders, holdingOf, holdingOfUnrouted } from '../../domain/money/holding'
import { view } from '../../domain/schema'
import { isOperatorRefund } from '../../domain/seals'
import type { UnroutedDeposit } from '../../ports/queries'
import { example } from './examples'
import { decimalsOf, type FindToken, symbolOf } from './find-token'
import {
  Address,
  AddressOrNull,
  Amount,
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  described,
  Flag,
  Text,
} from './scalar'

/** Where the undelivered money is or, after everything is delivered, the delivery itself (extensions 4.3). */
export const FundsView = view({
  holder: described(
    view.enumerated(...holders),
    'Holder of the money; NONE if another execution or no one holds it, see `next`',
    'DEPOSIT_ACCOUNT',
  ),
  address: AddressOrNull('Address that holds it', example.depositAddress),
  chainId: ChainId('Chain of the money'),
  chainKey: ChainKeyName('Chain key'),
  tokenAddress: Address('The token', example.baseUsdc),
  tokenSymbol: Text('Token symbol', 'USDC'),
  tokenDecimals: CountOrNull('Token decimals', 6),
  amount: Amount('Amount, in atomic units of the token', '25000000'),
  blockNumber: Count('Block at which this was true', 38294117),
  refund: Flag(
    'Whether this is an operator’s refund to the refund address; with holder RECIPIENT, the refund has arrived',
    false,
  ),
})
export type FundsView = typeof FundsView.infer

type TokenFacts = { token: string; symbol: string; decimals: number | null }

function viewOf(
  { holder, address, chainId, token, amountRaw, block }: Holding,
  findToken: FindToken,
  { isBack = false, facts }: { isBack?: boolean; facts?: TokenFacts | undefined } = {},
): FundsView {
  const tokenFacts = facts?.token === token ? facts : null
  return {
    holder,
    address,
    chainId,
    chainKey: chainKeyOf(chainId),
    tokenAddress: token,
    tokenSymbol: symbolOf(findToken, chainId, token, tokenFacts?.symbol),
    tokenDecimals: decimalsOf(findToken, chainId, token, tokenFacts?.decimals),
    amount: amountRaw,
    blockNumber: block,
    refund: isBack,
  }
}

export const fundsOf = (execution: Execution, findToken: FindToken): FundsView => {
  const { deposit } = execution
  const holding = holdingOf(execution)
  const facts = holding.chainId === deposit.chainId ? deposit : undefined
  return viewOf(holding, findToken, { isBack: isOperatorRefund(execution), facts })
}

export const fundsOfUnrouted = (unroutedDeposit: UnroutedDeposit, findToken: FindToken): FundsView =>
  viewOf(holdingOfUnrouted(unroutedDeposit), findToken)
