import { chainKeyOf } from '../../domain/chain/chain'
import { usdText } from '../../domain/money/amount'
import { entriesOf, entryKinds, type LedgerEntry, ledgerAccounts } from '../../domain/money/ledger'
import { centsOf, microUsdOf } from '../../domain/money/statement'
import { view } from '../../domain/schema'
import type { LedgerLine } from '../../ports/limits'
import { example } from '../views/examples'
import { decimalsOf, type FindToken, symbolOf } from '../views/find-token'
import {
  Address,
  ChainId,
  ChainKeyName,
  CountOrNull,
  described,
  isoTime,
  Text,
  TextOrNull,
  Time,
} from '../views/scalar'
import { Signed } from './views'

export const PostingView = view({
  account: described(view.enumerated(...ledgerAccounts), 'Where money is taken or added', 'DEPOSIT_ACCOUNT'),
  amount: Signed('Atomic units; negative if taken', '25000000'),
})

export const LedgerEntryView = view({
  kind: described(
    view.enumerated(...entryKinds),
    'Why money moved. SPENT: it left the deposit account. More values may be added',
    'RECEIVED',
  ),
  executionId: Text('Its execution', example.depositId),
  at: Time('Decides in which statement it is', '2026-11-21T10:00:02.118Z'),
  chainId: ChainId('Chain'),
  chainKey: ChainKeyName('Chain key'),
  tokenAddress: Address('Token', example.baseUsdc),
  tokenSymbol: Text('Symbol', 'USDC'),
  tokenDecimals: CountOrNull('Decimals', 6),
  postings: described(PostingView.array(), 'They add up to zero'),
  valueUsd: TextOrNull('Value of what left, was delivered or refunded; null if unknown', null),
  protocolFeeUsd: TextOrNull('Value of the protocol fee; null if unknown', null),
  gasFeeUsd: TextOrNull('Value of the gas fee; null if unknown', null),
})

export const LedgerLineView = view({
  depositId: Text('The deposit', example.depositId),
  userId: Text('Your stable identifier of the user', example.userId),
  createdAt: Time('When it was detected', '2026-11-21T10:00:02.118Z'),
  entries: described(LedgerEntryView.array(), 'Its movements so far, re-drives included'),
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
})

type Shown = { findToken: FindToken; isPlatform: boolean }

/** The entries of a deposit, rounded as a statement rounds them, so that sums agree to the cent. */
export function ledgerLineView({ first, records }: LedgerLine, { findToken, isPlatform }: Shown) {
  const { id, userId, organizationId, deposit } = first
  const entryView = ({ chainId, token, valueUsd, feesUsd, ...entry }: LedgerEntry) => {
    const isOwn = chainId === deposit.chainId && token === deposit.token
    return {
      kind: entry.kind,
      executionId: entry.executionId,
      at: isoTime(entry.at),
      chainId,
      chainKey: chainKeyOf(chainId),
      tokenAddress: token,
      tokenSymbol: symbolOf(findToken, chainId, token, isOwn ? deposit.symbol : ''),
      tokenDecimals: decimalsOf(findToken, chainId, token, isOwn ? deposit.decimals : null),
      postings: entry.postings.map(({ account, amountRaw }) => ({ account, amount: String(amountRaw) })),
      valueUsd: valueUsd === null ? null : usdText(centsOf(valueUsd), 2),
      protocolFeeUsd: feesUsd && usdText(microUsdOf(feesUsd.protocolFee), 6),
      gasFeeUsd: feesUsd && usdText(microUsdOf(feesUsd.gasFee), 6),
    }
  }
  return {
    depositId: id,
    userId,
    createdAt: isoTime(deposit.detectedAt),
    entries: entriesOf(records).map(entryView),
    ...(isPlatform && { organizationId: organizationId! }),
  }
}
