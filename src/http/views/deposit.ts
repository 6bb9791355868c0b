import { type ChainId as ChainIdNumber, chainKeyOf } from '../../domain/chain/chain'
import { depositStages } from '../../domain/deposit/deposit-stage'
import { detectors } from '../../domain/execution/execution'
import { traceIdOf } from '../../domain/execution/trace'
import { arrivedRawOf } from '../../domain/money/rounding'
import { view } from '../../domain/schema'
import type { DepositRecord, UnroutedDeposit } from '../../ports/queries'
import { example } from './examples'
import { updatedAtOf } from './execution'
import { decimalsOf, type FindToken, symbolOf } from './find-token'
import { FundsView, fundsOf, fundsOfUnrouted } from './funds'
import { HistoryEntryView, historyView } from './history'
import { NextView, nextOf } from './next'
import { nextOfUnrouted } from './next-of-unrouted'
import {
  Address,
  AddressOrNull,
  Amount,
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  described,
  HashOrNull,
  isoTime,
  isoTimeOrNull,
  Text,
  TextOrNull,
  Time,
  TimeOrNull,
  TraceIdText,
} from './scalar'

const depositFields = {
  id: Text('Identifier of the deposit, and of its first execution', example.depositId),
  userId: Text('Your stable identifier of the user', example.userId),
  depositAddress: Address('Address where it arrived', example.depositAddress),
  stage: described(
    view.enumerated(...depositStages),
    'Its stage. UNSUPPORTED means an unlisted token, not routed until a rescan; more values may be added',
    'ROUTED',
  ),
  fromChainId: ChainId('Source chain'),
  fromChainKey: ChainKeyName('Chain key'),
  fromTokenSymbol: Text('Symbol of the token', 'USDC'),
  fromTokenAddress: Address('The token; the zero address is the native coin', example.baseUsdc),
  fromTokenDecimals: CountOrNull('Token decimals', 6),
  amountIn: Amount('Arrived amount, in atomic units, measured on chain', '25000000'),
  fromAddress: AddressOrNull('Sender; null for several senders or an unknown one', example.sender),
  depositTxHash: HashOrNull('Funding transaction; null if a balance scan found the deposit', example.depositTxHash),
  logIndex: CountOrNull('Log index of the transfer', 12),
  blockNumber: CountOrNull('Block of the transfer', 38294117),
  confirmations: Count('Confirmations so far, up to the required number', 10),
  confirmationsRequired: Count('Confirmations required before it is routed', 10),
  detectedBy: described(view.enumerated(...detectors).array(), 'Detectors that saw it, the first one first', [
    'WEBHOOK',
    'SCANNER',
  ]),
  executionId: TextOrNull('Its latest execution', example.depositId),
  funds: described(FundsView, 'Where the money is'),
  next: described(NextView, 'Who acts next, and by when'),
  seq: Count('Number of its latest history entry: keep the highest per id', 8),
  createdAt: Time('When it was detected', '2026-11-21T10:00:02.118Z'),
  confirmedAt: TimeOrNull('When its balance was verified at the required depth', '2026-11-21T10:00:22.400Z'),
  updatedAt: Time('When it last changed', '2026-11-21T10:00:25.310Z'),
  traceId: TraceIdText,
  'organizationId?': Text('For the platform’s operators only', 'org_1'),
} as const

export const DepositView = view(depositFields)
export type DepositView = typeof DepositView.infer

export const DepositDetailView = view({
  ...depositFields,
  state: Text('State of the machine; see `GET /api/lifecycle`', 'RUNNING'),
  history: described(HistoryEntryView.array(), 'History, oldest first; the newest 200 entries'),
})

const statesSeen = {
  CONFIRMING: 'confirming',
  CONFIRMED: 'confirming',
  ORPHANED: 'orphaned',
  UNSUPPORTED: 'unsupported',
}

/** Facts that views show and no record holds. */
export type ViewContext = {
  findToken: FindToken
  confirmationsRequired: (chainId: ChainIdNumber) => number
  /** The last block whose deposits are all recorded. */
  scannedBlock: (chainId: ChainIdNumber) => number
  now: number
  /** Whether the reader sees every organization. */
  isPlatform: boolean
}

export function depositView(found: DepositRecord, context: ViewContext): DepositView {
  const { findToken, confirmationsRequired, scannedBlock, now, isPlatform } = context
  const { execution, newest, sighting } = found
  const seen = execution?.deposit ?? sighting!
  const { chainId, token } = seen
  const { organizationId, userId } = execution ?? sighting!
  const recorded = execution?.deposit ?? { symbol: '', decimals: null }
  const required = confirmationsRequired(chainId)
  const confirmed = Math.min(Math.max(scannedBlock(chainId) + required - seen.block, 0), required)
  return {
    id: found.id,
    userId,
    depositAddress: seen.account,
    stage: found.stage,
    fromChainId: chainId,
    fromChainKey: chainKeyOf(chainId),
    fromTokenSymbol: symbolOf(findToken, chainId, token, recorded.symbol),
    fromTokenAddress: token,
    fromTokenDecimals: decimalsOf(findToken, chainId, token, recorded.decimals),
    amountIn: execution ? String(arrivedRawOf(execution)) : seen.amountRaw,
    fromAddress: seen.fromAddress,
    depositTxHash: seen.txHash,
    logIndex: seen.logIndex,
    blockNumber: seen.block,
    confirmations: execution ? required : found.stage === 'ORPHANED' ? 0 : confirmed,
    confirmationsRequired: required,
    detectedBy: seen.detectedBy,
    executionId: execution ? (execution.createdAt === null ? null : newest.id) : successorOf(sighting!),
    funds: execution ? fundsOf(newest, findToken) : fundsOfUnrouted(sighting!, findToken),
    next: execution ? nextOf(newest, now, findToken) : nextOfUnrouted(sighting!, required, now),
    seq: execution ? execution.seq : found.stage === 'ORPHANED' ? 2 : 1,
    createdAt: isoTime(found.detectedAt),
    confirmedAt: isoTimeOrNull(execution?.history.find(({ event }) => event === 'balance verified')?.at ?? null),
    updatedAt: isoTime(execution ? updatedAtOf(execution) : sighting!.updatedAt),
    traceId: traceIdOf(found.id),
    ...(isPlatform && { organizationId }),
  }
}

const successorOf = (seen: UnroutedDeposit): string | null =>
  seen.stage === 'UNSUPPORTED' && seen.isSuccessorShown ? seen.successorId : null

export function depositDetailView(found: DepositRecord, context: ViewContext): typeof DepositDetailView.infer {
  const { execution, sighting } = found
  const entry = {
    seq: 1,
    at: found.detectedAt,
    event: 'deposit seen',
    from: null,
    to: found.stage === 'UNSUPPORTED' ? 'unsupported' : 'confirming',
    status: null,
    note: null,
  }
  const dropped = {
    ...entry,
    seq: 2,
    at: sighting?.updatedAt ?? 0,
    event: 'deposit orphaned',
    from: 'confirming',
    to: 'orphaned',
  }
  return {
    ...depositView(found, context),
    state: execution ? execution.state : statesSeen[sighting!.stage],
    history: historyView(execution ? execution.history : found.stage === 'ORPHANED' ? [entry, dropped] : [entry]),
  }
}
