import { type ChainId as ChainIdNumber, chainKeyOf, chains } from '../../domain/chain/chain'
import { depositStages } from '../../domain/deposit/deposit-stage'
import type { UnsupportedDeposit } from '../../domain/deposit/unsupported'
import { confirmedAtBest, confirmingDeadline } from '../../domain/execution/deadline'
import { detectors, traceIdOf } from '../../domain/execution/execution'
import { overdueRow } from '../../domain/execution/overdue'
import { arrivedRawOf } from '../../domain/money/amount'
import { view } from '../../domain/schema'
import type { DepositRecord, UnroutedDeposit } from '../../ports/queries'
import { example } from './examples'
import { updatedAtOf } from './execution'
import { decimalsOf, type FindToken, symbolOf } from './find-token'
import { FundsView, fundsOf, fundsOfUnrouted } from './funds'
import { HistoryEntryView, historyView } from './history'
import { NextView, next, nextOf } from './next'
import {
  Address,
  AddressOrNull,
  Amount,
  ChainId,
  ChainKeyName,
  Count,
  CountOrNull,
  chainId,
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
  toChainId: described(chainId.or('null'), 'Destination chain; null until it has an intent', chains.arbitrum.id),
  toTokenAddress: AddressOrNull('Destination token; null until it has an intent', example.arbitrumUsdc),
  amountIn: Amount('Arrived amount, in atomic units, measured on chain', '25000000'),
  fromAddress: AddressOrNull('Sender; null for several senders or an unknown one', example.sender),
  depositTxHash: HashOrNull('Funding transaction; null if a balance sweep found the deposit', example.depositTxHash),
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

export function depositView(depositRecord: DepositRecord, context: ViewContext): DepositView {
  const { findToken, confirmationsRequired, scannedBlock, now, isPlatform } = context
  const { execution, newest, sighting } = depositRecord
  const seen = execution?.deposit ?? sighting!
  const { chainId, token } = seen
  const intent = newest?.facts.intent
  const { organizationId, userId } = execution ?? sighting!
  const recorded = execution?.deposit ?? { symbol: '', decimals: null }
  const required = confirmationsRequired(chainId)
  const confirmed = Math.min(Math.max(scannedBlock(chainId) + required - seen.block, 0), required)
  return {
    id: depositRecord.id,
    userId,
    depositAddress: seen.account,
    stage: depositRecord.stage,
    fromChainId: chainId,
    fromChainKey: chainKeyOf(chainId),
    fromTokenSymbol: symbolOf(findToken, chainId, token, recorded.symbol),
    fromTokenAddress: token,
    fromTokenDecimals: decimalsOf(findToken, chainId, token, recorded.decimals),
    toChainId: intent?.targetChainId ?? null,
    toTokenAddress: intent?.targetTokenAddress ?? null,
    amountIn: execution ? String(arrivedRawOf(execution)) : seen.amountRaw,
    fromAddress: seen.fromAddress,
    depositTxHash: seen.txHash,
    logIndex: seen.logIndex,
    blockNumber: seen.block,
    confirmations: execution ? required : depositRecord.stage === 'ORPHANED' ? 0 : confirmed,
    confirmationsRequired: required,
    detectedBy: seen.detectedBy,
    executionId: execution ? (execution.createdAt === null ? null : newest.id) : successorOf(sighting!),
    funds: execution ? fundsOf(newest, findToken) : fundsOfUnrouted(sighting!, findToken),
    next: execution ? nextOf(newest, now, findToken) : nextOfUnrouted(sighting!, required, now),
    seq: execution ? execution.seq : depositRecord.stage === 'ORPHANED' ? 2 : 1,
    createdAt: isoTime(depositRecord.detectedAt),
    confirmedAt: isoTimeOrNull(execution?.history.find(({ event }) => event === 'balance verified')?.at ?? null),
    updatedAt: isoTime(execution ? updatedAtOf(execution) : sighting!.updatedAt),
    traceId: traceIdOf(depositRecord.id),
    ...(isPlatform && { organizationId }),
  }
}

const successorOf = (unroutedDeposit: UnroutedDeposit): string | null =>
  unroutedDeposit.stage === 'UNSUPPORTED' && unroutedDeposit.isSuccessorShown ? unroutedDeposit.successorId : null

export function depositDetailView(depositRecord: DepositRecord, context: ViewContext): typeof DepositDetailView.infer {
  const { execution, sighting } = depositRecord
  const entry = {
    seq: 1,
    at: depositRecord.detectedAt,
    event: 'deposit seen',
    from: null,
    to: depositRecord.stage === 'UNSUPPORTED' ? 'unsupported' : 'confirming',
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
    ...depositView(depositRecord, context),
    state: execution ? execution.state : statesSeen[sighting!.stage],
    history: historyView(
      execution ? execution.history : depositRecord.stage === 'ORPHANED' ? [entry, dropped] : [entry],
    ),
  }
}

const dropped =
  'The chain dropped the block of this transfer, and no other block contained its transaction at the last check. If it ' +
  'is mined again, it is shown as a deposit. Until then the sender has the money.'
const moved = (id: string): string =>
  `The chain dropped the block of this transfer and mined its transaction in another block: it is now deposit ${id}.`

/** Returns who acts next on a transfer that is not routed yet (extensions 4.3). */
function nextOfUnrouted(unroutedDeposit: UnroutedDeposit, confirmations: number, now: number): NextView {
  if (unroutedDeposit.stage === 'UNSUPPORTED') return nextUnsupported(unroutedDeposit)
  const { stage, detectedAt, chainId } = unroutedDeposit
  if (stage === 'ORPHANED' && unroutedDeposit.movedTo)
    return next('NOBODY', 'FOLLOW', moved(unroutedDeposit.movedTo), { executionId: unroutedDeposit.movedTo })
  if (stage === 'ORPHANED') return next('NOBODY', 'NONE', dropped)
  const { kind, by } = confirmingDeadline(chainId, detectedAt, confirmations)
  const { actor, action, message } = overdueRow(kind)
  if (now > by) return next(actor, action, message)
  return next('SERVICE', 'CONFIRM', 'The transfer has been seen and is routed after the chain has confirmed it.', {
    expectedAt: confirmedAtBest(chainId, detectedAt, confirmations),
    by,
  })
}

const onNoList =
  'No routing provider prices this token and it is unlisted, so it is not routed. Most such tokens are unsolicited. If ' +
  'this one was intended, request a rescan: it is then routed like any other deposit.'

/** Returns the possible actions for an unrequested token (decision 43). */
function nextUnsupported({ count, others, isWanted, successorId, txHash }: UnsupportedDeposit): NextView {
  if (successorId !== null) {
    const message = `The money is routed as deposit ${successorId}.`
    return next('NOBODY', 'FOLLOW', message, { executionId: successorId })
  }
  if (isWanted)
    return next('SERVICE', 'CONFIRM', 'It is routed after the chain has confirmed it and its balance is measured.')
  if (others !== null) {
    const message =
      `${others} further unlisted tokens have arrived here, in ${count} transfers. To route one, search for its contract ` +
      'address.'
    return next('INTEGRATOR', 'NONE', message)
  }
  if (txHash === null)
    return next('INTEGRATOR', 'RESCAN', `${onNoList} It arrived among many others: the rescan measures its amount.`)
  const merged = count > 1 ? ` Its ${count} transfers are shown as one.` : ''
  return next('INTEGRATOR', 'RESCAN', `${onNoList}${merged}`)
}
