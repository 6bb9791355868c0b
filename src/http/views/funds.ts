import { type ChainId as ChainIdNumber, chainKeyOf } from '../../domain/chain'
import type { Execution } from '../../domain/execution'
import type { Address as AddressText } from '../../domain/hex'
import { type } from '../../domain/schema'
import type { Sighting } from '../../domain/sighting'
import { example } from './examples'
import { type FindToken, symbolOf } from './find-token'
import { Address, AddressOrNull, Amount, ChainId, ChainKeyName, Count, shown, Text } from './scalar'

export const holders = ['SENDER', 'DEPOSIT_ACCOUNT', 'PROVIDER', 'RECIPIENT'] as const

/** Where what has not reached the recipient is; when everything has, the delivery itself. Source: beyond, 4.3. */
export const FundsView = type({
  holder: shown(type.enumerated(...holders), 'Who holds the money', 'PROVIDER'),
  address: AddressOrNull('Where', example.bridge),
  chainId: ChainId('On which chain'),
  chainKey: ChainKeyName('Its key'),
  tokenAddress: Address('Which token', example.baseUsdc),
  tokenSymbol: Text('Its symbol', 'USDC'),
  amount: Amount('How much, in atomic units of it', '24856568'),
  blockNumber: Count('The block at which this was true', 38294129),
})
export type FundsView = typeof FundsView.infer

type Place = {
  holder: FundsView['holder']
  address: AddressText | null
  chainId: ChainIdNumber
  token: AddressText
  symbol: string
  amountRaw: string
  block: number
}

const viewOf = ({ holder, address, chainId, token, symbol, amountRaw, block }: Place): FundsView => ({
  holder,
  address,
  chainId,
  chainKey: chainKeyOf(chainId),
  tokenAddress: token,
  tokenSymbol: symbol,
  amount: amountRaw,
  blockNumber: block,
})

/** Whether somebody else has the money by now: it left the account, and no bridge has sent it back. */
export const hasLeft = ({ facts, cause }: Pick<Execution, 'facts' | 'cause'>): boolean =>
  facts.spent !== undefined && cause?.code !== 'FUNDS_RETURNED'

export function fundsOf(execution: Execution, findToken: FindToken): FundsView {
  const { deposit, facts, status, cause, completedAt } = execution
  const { spent, delivery, intent } = facts
  const { chainId, token } = deposit
  const source = { chainId, token, symbol: symbolOf(findToken, chainId, token, deposit.symbol) }
  if (status === 'SUCCESS' && delivery && intent)
    return viewOf({
      ...delivery,
      holder: 'RECIPIENT',
      address: intent.targetAddress,
      symbol: symbolOf(findToken, delivery.chainId, delivery.token),
    })
  const block = facts.balance?.block ?? deposit.block
  // An attempt takes along what lies there of deposits that failed; once it has ended, each has its own again.
  const received = (completedAt === null && facts.balance?.totalReceivedRaw) || deposit.amountRaw
  if (status === 'FAILED_NO_FUNDS' && cause?.code === 'DEPOSIT_NOT_ON_CHAIN')
    return viewOf({ ...source, holder: 'SENDER', address: deposit.fromAddress, amountRaw: deposit.amountRaw, block })
  if (spent && hasLeft(execution)) {
    const address = facts.order?.target ?? facts.route?.call?.target ?? null
    const amountRaw = facts.fees?.amountForSwapRaw ?? spent.amountRaw
    return viewOf({ ...source, holder: 'PROVIDER', address, amountRaw, block: spent.block })
  }
  return viewOf({ ...source, holder: 'DEPOSIT_ACCOUNT', address: deposit.account, amountRaw: received, block })
}

export function fundsSeen(
  { chainId, token, amountRaw, block, account, fromAddress, stage }: Sighting,
  findToken: FindToken,
): FundsView {
  const symbol = symbolOf(findToken, chainId, token)
  return stage === 'ORPHANED'
    ? viewOf({ holder: 'SENDER', address: fromAddress, chainId, token, symbol, amountRaw, block })
    : viewOf({ holder: 'DEPOSIT_ACCOUNT', address: account, chainId, token, symbol, amountRaw, block })
}
