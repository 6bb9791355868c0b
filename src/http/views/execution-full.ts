import { chainKeyOf, chains } from '../../domain/chain/chain'
import type { DepositIntent, IntentSnapshot } from '../../domain/deposit/deposit-intent'
import { depositIdOfExecution, stageOf } from '../../domain/deposit/deposit-stage'
import { errorCodes } from '../../domain/error'
import { type Execution, traceIdOf } from '../../domain/execution/execution'
import { defaultPolicy, quoteOutcomes } from '../../domain/execution/route'
import { usdText } from '../../domain/money/amount'
import { gasFeeSkipReasons } from '../../domain/money/fees'
import { centsOf, microUsdOf } from '../../domain/money/statement'
import { view } from '../../domain/schema'
import type { DepositRecord } from '../../ports/queries'
import { DepositView, depositView, type ViewContext } from './deposit'
import { example } from './examples'
import { deliveryFields, ErrorCategoryOrNull, executionFields, executionView } from './execution'
import { decimalsOf, type FindToken } from './find-token'
import { FundsView, fundsOf } from './funds'
import { HistoryEntryView, historyView } from './history'
import { NextView, nextOf } from './next'
import { PolicyView } from './policy'
import {
  Address,
  AddressOrNull,
  Amount,
  AmountOrNull,
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  described,
  Flag,
  HashOrNull,
  isoTime,
  Text,
  TextOrNull,
  Time,
  TraceIdText,
} from './scalar'
import { MintView, mintOf, TransactionView, transactionsOf } from './transaction'

export const CauseView = view({
  code: described(view.enumerated(...errorCodes), 'Cause of the failure; more values may be added', 'PROVIDER_TIMEOUT'),
  category: described(ErrorCategoryOrNull, 'Category of the cause', 'TIMEOUT'),
  message: Text('The cause in one sentence', 'A routing provider did not answer in time.'),
  at: Time('Time of the failure', '2026-11-21T10:00:23.900Z'),
})

/** What left the account, its fees and what arrived, with the values that statements add up. */
const collectedFields = {
  volumeUsd: TextOrNull('Value of what left the account, fees included, then; null if unknown', '25.00'),
  deliveredUsd: TextOrNull('Value of what arrived then; null if unknown', '24.83'),
  protocolFee: AmountOrNull('Protocol fee, once collected, in atomic units', '125000'),
  gasFee: AmountOrNull('Gas fee, once collected, in atomic units', '18432'),
  protocolFeeUsd: TextOrNull('Its value then; null if unknown', '0.125000'),
  gasFeeUsd: TextOrNull('Its value then; null if unknown', '0.018432'),
} as const

const fullFields = {
  ...executionFields,
  seq: Count('Number of its latest history entry: keep the highest per id', 8),
  apiKeyId: TextOrNull('The key that created the intent', 'key_9fT2'),
  depositId: Text('The deposit that it routes', example.depositId),
  depositTxHash: HashOrNull('The user’s funding transaction', example.depositTxHash),
  fromTokenDecimals: CountOrNull('Decimals of the deposited token', 6),
  ...deliveryFields,
  ...collectedFields,
  cause: described(CauseView.or('null'), 'Cause of the last failure; kept after a retry succeeds', null),
  funds: described(FundsView, 'Where the money is'),
  next: described(NextView, 'Who acts next, and by when'),
  traceId: TraceIdText,
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
} as const

export function deliveredView({ facts: { intent, delivery } }: Execution, findToken: FindToken) {
  const isWanted = delivery && intent && delivery.token === intent.targetTokenAddress
  return {
    destinationTxHash: delivery?.hash ?? null,
    amountOut: isWanted ? delivery.amountRaw : null,
    toTokenDecimals: intent ? decimalsOf(findToken, intent.targetChainId, intent.targetTokenAddress) : null,
  }
}

function collectedView({ facts: { spent, fees, delivery }, completedAt }: Execution) {
  const cents = (value: string | undefined) => (value === undefined ? null : usdText(centsOf(BigInt(value)), 2))
  const usd = (value: string | undefined) => (value === undefined ? null : usdText(microUsdOf(BigInt(value)), 6))
  return {
    volumeUsd: cents(spent?.valueUsd),
    deliveredUsd: completedAt === null ? null : cents(delivery?.valueUsd),
    protocolFee: spent && fees ? fees.protocolFeeEffective : null,
    gasFee: spent && fees ? fees.gasFeeRaw : null,
    protocolFeeUsd: usd(spent?.feesUsd?.protocolFee),
    gasFeeUsd: usd(spent?.feesUsd?.gasFee),
  }
}

/** The client's execution with our extensions (extensions 4.1). */
export const FullExecutionView = view(fullFields)
export type FullExecutionView = typeof FullExecutionView.infer

export function fullExecutionView(
  execution: Execution,
  { findToken, now, isPlatform }: ViewContext,
): FullExecutionView {
  const { deposit, facts, cause } = execution
  const { intent } = facts
  return {
    ...executionView(execution, findToken),
    seq: execution.seq,
    apiKeyId: intent?.apiKeyId ?? null,
    depositId: depositIdOfExecution(execution.id),
    depositTxHash: deposit.txHash,
    fromTokenDecimals: decimalsOf(findToken, deposit.chainId, deposit.token, deposit.decimals),
    ...deliveredView(execution, findToken),
    ...collectedView(execution),
    cause: cause && { code: cause.code, category: cause.category, message: cause.message, at: isoTime(cause.at) },
    funds: fundsOf(execution, findToken),
    next: nextOf(execution, now, findToken),
    traceId: traceIdOf(execution.id),
    ...(isPlatform && { organizationId: execution.organizationId }),
  }
}

export const FeesView = view({
  totalReceivedRaw: Amount('Confirmed balance that was routed, in atomic units', '25000000'),
  protocolFeeRaw: Amount('Protocol fee as calculated', '125000'),
  protocolFeeEffective: Amount('Protocol fee that is collected', '125000'),
  protocolFeeForgiven: Amount('Protocol fee that is forgiven', '0'),
  gasFeeRaw: Amount('Gas fee in the deposited token', '18432'),
  amountForSwapRaw: described(
    view(/^-?(0|[1-9][0-9]{0,77})$/),
    'Amount left to route; zero or less if fees exceed the deposit',
    '24856568',
  ),
  gasFeeSkipReason: described(view.enumerated(...gasFeeSkipReasons), 'Why no gas is charged', 'NONE'),
  collected: Flag('Whether the fee transfer is confirmed on chain', true),
})

export const QuoteView = view({
  provider: Text('The requested provider', 'lifi'),
  amountOutExpected: AmountOrNull('Expected output', '24831711'),
  amountOutMin: AmountOrNull('Guaranteed output', '24707552'),
  expectedSeconds: CountOrNull('Expected duration, in seconds', 30),
  slippageBps: CountOrNull('Slippage in basis points', 50),
  hops: CountOrNull('Steps of the route', 1),
  outcome: described(view.enumerated(...quoteOutcomes), 'Result of the quote', 'CHOSEN'),
  reason: TextOrNull('Why it was not chosen', null),
  quotedAt: Time('Time of the request', '2026-11-21T10:00:23.871Z'),
})

const snapshotFields = {
  version: Count('Version of the intent', 3),
  targetChainId: ChainId('Destination chain', chains.arbitrum.id),
  targetChainKey: ChainKeyName('Chain key', 'arbitrum'),
  targetTokenAddress: Address('Destination token', example.arbitrumUsdc),
  targetAddress: Address('Recipient', example.recipient),
  protocolFeeBps: Count('Protocol fee in basis points', 50),
  sponsoredGas: Flag('Whether the platform pays the gas', false),
} as const
export const IntentSnapshotView = view(snapshotFields)
export const CurrentIntentView = view({
  ...snapshotFields,
  refundAddress: AddressOrNull('Address for refunds by an operator if routing fails', null),
})

/** An execution with all its known facts (extensions 4.2). */
export const ExecutionDetailView = view({
  ...fullFields,
  state: Text('State of the machine; see `GET /api/lifecycle`', 'RUNNING'),
  machineVersion: Text('The machine version that wrote it', '1'),
  deposit: described(DepositView, 'The deposit that it routes'),
  intent: described(IntentSnapshotView.or('null'), 'The intent at the time when the deposit was matched'),
  currentIntent: described(CurrentIntentView.or('null'), 'The user’s current intent', null),
  policy: described(PolicyView, 'The limits for its route'),
  fees: described(FeesView.or('null'), 'How the deposit is split'),
  quotes: described(QuoteView.array(), 'Every quote of the last attempt'),
  transactions: described(TransactionView.array(), 'All its transactions'),
  mint: described(MintView.or('null'), 'The call with which any account can mint it', null),
  redriveOf: TextOrNull('The execution that this one re-drives', null),
  redrivenBy: TextOrNull('The execution that re-drives this one', null),
  refundOf: TextOrNull('The execution whose bridge refunded this money', null),
  continuedBy: TextOrNull('The execution of the refunded money', null),
  takenBy: TextOrNull('The execution of a later deposit that included this money', null),
  history: described(HistoryEntryView.array(), 'History, oldest first; the newest 200 entries'),
})

/** @param depositRecord The deposit, which is required if it has several executions. */
export function executionDetailView(
  execution: Execution,
  context: ViewContext,
  depositRecord: DepositRecord | null = null,
  currentIntent: DepositIntent | null = null,
): typeof ExecutionDetailView.infer {
  const { deposit, facts, redriveOf, redrivenBy, refundOf, continuedBy, takenBy } = execution
  const only = { id: depositIdOfExecution(execution.id), detectedAt: deposit.detectedAt, stage: stageOf(execution) }
  return {
    ...fullExecutionView(execution, context),
    state: execution.state,
    machineVersion: execution.machineVersion,
    deposit: depositView(depositRecord ?? { ...only, sighting: null, execution, newest: execution }, context),
    intent: facts.intent ? snapshotView(facts.intent) : null,
    currentIntent: currentIntent && { ...snapshotView(currentIntent), refundAddress: currentIntent.refundAddress },
    policy: facts.policy ?? defaultPolicy,
    fees: facts.fees ? { ...facts.fees, collected: facts.spent !== undefined } : null,
    quotes: (facts.candidates ?? []).map(({ quotedAt, seal: _, ...quote }) => ({
      ...quote,
      quotedAt: isoTime(quotedAt),
    })),
    transactions: transactionsOf(execution),
    mint: mintOf(execution),
    redriveOf,
    redrivenBy,
    refundOf,
    continuedBy,
    takenBy: takenBy ?? null,
    history: historyView(execution.history),
  }
}

function snapshotView(intent: IntentSnapshot): typeof IntentSnapshotView.infer {
  const { version, targetChainId, targetTokenAddress, targetAddress, protocolFeeBps, sponsoredGas } = intent
  const targetChainKey = chainKeyOf(targetChainId)
  return { version, targetChainId, targetChainKey, targetTokenAddress, targetAddress, protocolFeeBps, sponsoredGas }
}
