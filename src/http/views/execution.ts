import { chainKeyOf, chains } from '../../domain/chain/chain'
import { type ErrorCategory, errorCategories } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { routeIdOf } from '../../domain/execution/route'
import { isTerminal, statuses } from '../../domain/execution/status'
import { arrivedRawOf } from '../../domain/money/amount'
import { view } from '../../domain/schema'
import { example } from './examples'
import { type FindToken, symbolOf } from './find-token'
import {
  Address,
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
  isoTimeOrNull,
  StatusField,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
} from './scalar'

export const errorCategory = view.enumerated(...(Object.keys(errorCategories) as ErrorCategory[]))
export const ErrorCategoryOrNull = errorCategory.or('null')

export const executionFields = {
  id: Text('Identifier of the execution', example.depositId),
  routeId: described(
    view(/^(0x[0-9a-f]{64})?$/).describe('a hash of 32 bytes, or nothing'),
    'Deterministic identifier and idempotency key of the route; empty before there is an intent',
    example.routeId,
  ),
  userId: Text('Your stable identifier of the user', example.userId),
  status: StatusField('Its status', 'RUNNING'),
  fromChainId: ChainId('Source chain'),
  fromChainKey: ChainKeyName('Chain key'),
  fromTokenSymbol: Text('Symbol of the deposited token', 'USDC'),
  fromTokenAddress: Address('The deposited token', example.baseUsdc),
  toChainId: ChainId('Destination chain', chains.arbitrum.id),
  toChainKey: ChainKeyName('Chain key', 'arbitrum'),
  toTokenSymbol: Text('Symbol of the destination token', 'USDC'),
  toTokenAddress: Address('The destination token', example.arbitrumUsdc),
  amountIn: Amount('The deposit, in atomic units of its token', '25000000'),
  amountOutExpected: Amount(
    'Expected output after fees, in atomic units; 0 before there is a route, or if it ended without using one',
    '24831711',
  ),
  txHash: HashOrNull('Source transaction that moves the money out of the account', example.txHash),
  retryable: Flag('Whether it will be retried automatically', false),
  retryCount: Count('Retries so far', 0),
  lastErrorCode: TextOrNull('Status of a final failure, or cause of a retried failure', null),
  lastErrorMessage: TextOrNull('The error in one sentence', null),
  lastErrorCategory: described(ErrorCategoryOrNull, 'Category of the error', null),
  createdAt: Time('When the execution was first shown'),
  updatedAt: Time('When it last changed', '2026-11-21T10:00:25.310Z'),
  completedAt: TimeOrNull('When it ended, in any status', null),
} as const

/** What arrived, and where. */
export const deliveryFields = {
  destinationTxHash: HashOrNull('The delivery transaction', null),
  amountOut: AmountOrNull(
    'Delivered amount, in atomic units of the destination token; null if another token arrived, see `funds`',
    null,
  ),
  toTokenDecimals: CountOrNull('Decimals of the destination token', 6),
} as const

/** The client's execution, with exactly its fields (interface 2.5; decisions 12, 33, 40). */
export const ExecutionView = view(executionFields)
export type ExecutionView = typeof ExecutionView.infer

/** An execution in the client's list, which shows what arrived if requested (extensions 1.3). */
export const UserExecutionView = view({
  ...executionFields,
  'destinationTxHash?': deliveryFields.destinationTxHash,
  'amountOut?': deliveryFields.amountOut,
  'toTokenDecimals?': deliveryFields.toTokenDecimals,
})

export function executionView(execution: Execution, findToken: FindToken): ExecutionView {
  const { deposit, facts, status } = execution
  const intent = facts.intent
  const toChainId = intent?.targetChainId ?? deposit.chainId
  const toTokenAddress = intent?.targetTokenAddress ?? deposit.token
  const updatedAt = updatedAtOf(execution)
  // An execution that ended while its money was still in the account has no expected output.
  const isExpected = execution.completedAt === null || facts.spent !== undefined
  return {
    id: execution.id,
    routeId: facts.routeId ?? (intent ? routeIdOf({ ...execution, executionId: execution.id, intent }) : ''),
    userId: execution.userId,
    status: status ?? 'PENDING',
    fromChainId: deposit.chainId,
    fromChainKey: chainKeyOf(deposit.chainId),
    fromTokenSymbol: symbolOf(findToken, deposit.chainId, deposit.token, deposit.symbol),
    fromTokenAddress: deposit.token,
    toChainId,
    toChainKey: chainKeyOf(toChainId),
    toTokenSymbol: symbolOf(findToken, toChainId, toTokenAddress),
    toTokenAddress,
    amountIn: String(arrivedRawOf(execution)),
    amountOutExpected: isExpected ? (facts.route?.amountOutExpected ?? '0') : '0',
    txHash: sourceTxHash(execution),
    retryable: status === 'FAILED',
    retryCount: execution.retryCount,
    ...lastErrorOf(execution),
    createdAt: isoTime(execution.createdAt ?? updatedAt),
    updatedAt: isoTime(updatedAt),
    completedAt: isoTimeOrNull(execution.completedAt),
  }
}

export const updatedAtOf = ({ history, deposit }: Execution): number => history.at(-1)?.at ?? deposit.detectedAt

/** Returns the source transaction: null until it is sent, and kept afterwards (decision 33). */
function sourceTxHash({ state, facts }: Execution) {
  if (facts.spent) return facts.spent.hash
  const sent = state === 'PENDING' ? undefined : facts.transactions?.at(-1)
  return (sent ?? facts.dropped?.at(-1))?.hash ?? null
}

/** Names a final failure by its status, and a retried failure by its cause (decision 40). */
function lastErrorOf({ status, cause }: Execution) {
  const hasFailed = status === 'FAILED' || (status !== null && status !== 'SUCCESS' && isTerminal(status))
  if (!hasFailed) return { lastErrorCode: null, lastErrorMessage: null, lastErrorCategory: null }
  return {
    lastErrorCode: status === 'FAILED' ? (cause?.code ?? status) : status,
    lastErrorMessage: cause?.message ?? statuses[status].description,
    lastErrorCategory: cause?.category ?? null,
  }
}

export const executionExample: ExecutionView = {
  id: example.depositId,
  routeId: example.routeId,
  userId: example.userId,
  status: 'RUNNING',
  fromChainId: chains.base.id,
  fromChainKey: 'base',
  fromTokenSymbol: 'USDC',
  fromTokenAddress: example.baseUsdc,
  toChainId: chains.arbitrum.id,
  toChainKey: 'arbitrum',
  toTokenSymbol: 'USDC',
  toTokenAddress: example.arbitrumUsdc,
  amountIn: '25000000',
  amountOutExpected: '24831711',
  txHash: example.txHash,
  retryable: false,
  retryCount: 0,
  lastErrorCode: null,
  lastErrorMessage: null,
  lastErrorCategory: null,
  createdAt: '2026-11-21T10:00:24.640Z',
  updatedAt: '2026-11-21T10:00:25.310Z',
  completedAt: null,
}
