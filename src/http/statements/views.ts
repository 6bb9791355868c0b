import { chainKeyOf } from '../../domain/chain/chain'
import { usdText } from '../../domain/money/amount'
import { type StatementRow, statementCounts } from '../../domain/money/statement'
import { view } from '../../domain/schema'
import { example } from '../views/examples'
import { decimalsOf, type FindToken, symbolOf } from '../views/find-token'
import {
  Address,
  Amount,
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  described,
  Flag,
  Text,
  TextOrNull,
  Time,
} from '../views/scalar'

const signed = view(/^(0|-?[1-9][0-9]{0,77})$/)
export const Signed = (description: string, sample: string) => described(signed, description, sample)

const sums = {
  deposits: Count('Deposits that arrived', 40),
  deliveries: Count('Deliveries', 38),
  unpricedDeliveries: Count('Deliveries without a known price; their value is in no sum', 0),
  deliveredUsd: TextOrNull('Value of the priced deliveries, each at its own time; null if none has a price', '950.11'),
  refunds: Count('Refunds', 0),
  unpricedRefunds: Count('Refunds without a known price', 0),
  refundedUsd: TextOrNull('Value of the priced refunds, each at its own time; null if none has a price', '0.00'),
  departures: Count('Executions whose money left the deposit accounts', 38),
  unpricedDepartures: Count('Departures whose price was unknown when the money left; their value is in no sum', 0),
  volumeUsd: TextOrNull('Value of the priced departures, each when it left; null if none has a price', '950.00'),
  charges: Count('Executions that paid a fee', 38),
  unpricedCharges: Count('Executions whose fees had no known price; their value is in no sum', 0),
  protocolFeeUsd: TextOrNull('Value of the priced protocol fees when they were collected; null if none', '5.000000'),
  gasFeeUsd: TextOrNull('Value of the priced gas fees when they were collected; null if none', '0.737280'),
} as const

export const StatementRowView = view({
  chainId: ChainId('Chain'),
  chainKey: ChainKeyName('Chain key'),
  tokenAddress: Address('Token', example.baseUsdc),
  tokenSymbol: Text('Symbol', 'USDC'),
  tokenDecimals: CountOrNull('Decimals', 6),
  opening: Signed('In the deposit accounts when the period began', '25000000'),
  received: Amount('Deposits that arrived', '1000000000'),
  returned: Amount('Sent back by bridges, as new deposits', '0'),
  corrected: Signed(
    'Missing deposits, rounding, and with apiKeyId leftovers included by a deposit of another key',
    '0',
  ),
  protocolFee: Amount('Protocol fees collected', '5000000'),
  gasFee: Amount('Gas fees collected', '737280'),
  routed: Amount('Left the accounts towards a recipient or a refund address', '944262720'),
  closing: Signed('In the deposit accounts at the end', '75000000'),
  inProgress: Amount('Part of it that unfinished executions will route', '50000000'),
  leftInAccount: Signed('Rest of it, which ended executions left', '25000000'),
  delivered: Amount('Arrived at recipients on this chain in this token, from any source', '950110000'),
  refunded: Amount('Arrived at refund addresses', '0'),
  ...sums,
})

export const StatementTotalsView = view(sums)

export const StatementView = view({
  month: Text('The month, in UTC, or the days as `2026-11-03/2026-11-09`', '2026-11'),
  apiKeyId: TextOrNull('The key of its deposits; null for all', null),
  from: Time('Its beginning, inclusive', '2026-11-01T00:00:00.000Z'),
  to: Time('Its end, exclusive', '2026-12-01T00:00:00.000Z'),
  isFinal: Flag('Whether the period is over and nothing in it can change', false),
  isClosed: Flag('Whether it is final and each of its deposits has ended', false),
  unfinishedDeposits: Count('Confirmed deposits of the period that have not ended', 2),
  asOf: Time('End of the figures: the end of the period, or now', '2026-11-21T10:00:29.000Z'),
  rows: described(StatementRowView.array(), 'By chain and token'),
  totals: described(StatementTotalsView, 'Sums of all rows'),
})

const values = [
  'deliveredUsdCents',
  'refundedUsdCents',
  'volumeUsdCents',
  'protocolFeeMicroUsd',
  'gasFeeMicroUsd',
] as const
type Sums = Pick<StatementRow, (typeof statementCounts)[number] | (typeof values)[number]>

/** An unknown value stays unknown: only a sum without any known price is null. */
const usdOf = (value: bigint, decimals: number, count: number, unpriced: number): string | null =>
  count > 0 && unpriced === count ? null : usdText(value, decimals)

function sumsView(of: Sums) {
  const { deposits, deliveries: count, unpricedDeliveries, refunds, unpricedRefunds, charges, unpricedCharges } = of
  const { departures, unpricedDepartures } = of
  return {
    deposits,
    deliveries: count,
    unpricedDeliveries,
    deliveredUsd: usdOf(of.deliveredUsdCents, 2, count, unpricedDeliveries),
    refunds,
    unpricedRefunds,
    refundedUsd: usdOf(of.refundedUsdCents, 2, refunds, unpricedRefunds),
    departures,
    unpricedDepartures,
    volumeUsd: usdOf(of.volumeUsdCents, 2, departures, unpricedDepartures),
    charges,
    unpricedCharges,
    protocolFeeUsd: usdOf(of.protocolFeeMicroUsd, 6, charges, unpricedCharges),
    gasFeeUsd: usdOf(of.gasFeeMicroUsd, 6, charges, unpricedCharges),
  }
}

export const statementRowView = (row: StatementRow, findToken: FindToken) => ({
  chainId: row.chainId,
  chainKey: chainKeyOf(row.chainId),
  tokenAddress: row.token,
  tokenSymbol: symbolOf(findToken, row.chainId, row.token, row.symbol),
  tokenDecimals: decimalsOf(findToken, row.chainId, row.token, row.decimals),
  opening: String(row.openingRaw),
  received: String(row.receivedRaw),
  returned: String(row.returnedRaw),
  corrected: String(row.correctedRaw),
  protocolFee: String(row.protocolFeeRaw),
  gasFee: String(row.gasFeeRaw),
  routed: String(row.routedRaw),
  closing: String(row.closingRaw),
  inProgress: String(row.inProgressRaw),
  leftInAccount: String(row.closingRaw - row.inProgressRaw),
  delivered: String(row.deliveredRaw),
  refunded: String(row.refundedRaw),
  ...sumsView(row),
})

export const totalsView = (rows: readonly StatementRow[]) =>
  sumsView(
    Object.fromEntries([
      ...statementCounts.map((field) => [field, rows.reduce((sum, row) => sum + row[field], 0)]),
      ...values.map((field) => [field, rows.reduce((sum, row) => sum + row[field], 0n)]),
    ]) as Sums,
  )
