import { amount } from '../data/format'
import type { DepositRow, ExecutionRow } from '../data/types'

/** An amount in tokens, for a spreadsheet: exact, and without separators. Empty if the decimals are unknown. */
const inTokens = (raw: string | null, decimals: number | null): string =>
  raw === null || decimals === null ? '' : amount(raw, decimals, decimals).replaceAll(',', '')

type Flattened = Pick<DepositRow, 'amountIn' | 'fromTokenDecimals' | 'next' | 'funds'>

/** Flattens an execution or a deposit into table columns: its fields, who acts next, and where the money is. */
export const flatRow = <Row extends Flattened>({ next, funds, ...row }: Row) => ({
  ...row,
  amountInTokens: inTokens(row.amountIn, row.fromTokenDecimals),
  nextActor: next.actor,
  nextAction: next.action,
  nextExpectedAt: next.expectedAt,
  fundsHolder: funds.holder,
  fundsAmount: funds.amount,
  fundsTokens: inTokens(funds.amount, funds.tokenDecimals),
  fundsSymbol: funds.tokenSymbol,
})

type Charged = Flattened & Pick<ExecutionRow, 'protocolFee' | 'gasFee'>
/** Flattens an execution, with the fees that it paid. */
export const flatExecution = <Row extends Charged>(row: Row) => ({
  ...flatRow(row),
  protocolFeeTokens: inTokens(row.protocolFee, row.fromTokenDecimals),
  gasFeeTokens: inTokens(row.gasFee, row.fromTokenDecimals),
})
