import type { Account } from '../../domain/chain/account'
import { chainIds, chainKeyOf } from '../../domain/chain/chain'
import { type SearchText, searchKinds } from '../../domain/deposit/search-text'
import { view } from '../../domain/schema'
import type { DepositRecord } from '../../ports/queries'
import { DepositView, depositView, type ViewContext } from './deposit'
import { example } from './examples'
import { FullExecutionView, fullExecutionView } from './execution-full'
import { Address, ChainId, ChainKeyName, CountOrNull, chainId, described, Text, TextOrNull, userIdText } from './scalar'

export const FoundUserView = view({
  userId: described(userIdText, 'The user', example.userId),
  depositAddress: Address('Deposit address of the user', example.depositAddress),
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
})

export const ReadChainView = view({
  chainId: ChainId('The chain'),
  chainKey: ChainKeyName('Chain key'),
  scannedBlock: CountOrNull('Every block up to this one was read; null before the first', 38294125),
})

export const SearchView = view({
  kind: described(
    view.enumerated(...searchKinds),
    'Interpretation of `q`; it is always also searched as a user',
    'HASH',
  ),
  text: Text('The hash, address or id that `q` names, otherwise `q` itself', example.depositTxHash),
  chainId: described(chainId.or('null'), 'The chain that `q` names, if any; results are of every chain', null),
  users: described(FoundUserView.array(), 'Users with this deposit address, or an id in which `q` begins a word'),
  tokenSymbol: TextOrNull('Symbol, if `q` is the address of a token', null),
  deposits: described(DepositView.array(), 'Deposits, newest first'),
  executions: described(FullExecutionView.array(), 'Executions that match, and the latest execution of each deposit'),
  checked: described(ReadChainView.array(), 'The last block read of each chain; later deposits are not found yet'),
})
export type SearchView = typeof SearchView.infer

export type Matches = {
  users: Account[]
  deposits: DepositRecord[]
  executions: Parameters<typeof fullExecutionView>[0][]
}

export function searchView(
  { kind, text, chainId: named }: SearchText,
  { users, deposits, executions }: Matches,
  context: ViewContext,
): SearchView {
  const { findToken, scannedBlock, isPlatform } = context
  const token = kind === 'ADDRESS' ? chainIds.map((id) => findToken(id, text)).find((each) => each !== null) : null
  return {
    kind,
    text,
    chainId: named,
    users: users.map(({ userId, id, organizationId }) => ({
      userId,
      depositAddress: id,
      ...(isPlatform && { organizationId }),
    })),
    tokenSymbol: token?.symbol ?? null,
    deposits: deposits.map((row) => depositView(row, context)),
    executions: executions.map((row) => fullExecutionView(row, context)),
    checked: chainIds.map((id) => ({
      chainId: id,
      chainKey: chainKeyOf(id),
      scannedBlock: scannedBlock(id) || null,
    })),
  }
}
