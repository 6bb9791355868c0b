import { type ChainId as ChainIdNumber, chainKeyOf, chains } from '../../domain/chain/chain'
import type { Hash as HashText } from '../../domain/chain/hex'
import type { Execution } from '../../domain/execution/execution'
import { supersedings } from '../../domain/execution/lane'
import { isRefused, mintIdOf } from '../../domain/execution/mint'
import { revertOf } from '../../domain/execution/route'
import { view } from '../../domain/schema'
import { example } from './examples'
import { Address, ChainId, ChainKeyName, CountOrNull, described, Hash, isoTime, Time } from './scalar'

const transactionRoles = ['DEPOSIT', 'SOURCE', 'DESTINATION', 'REFUND'] as const
const transactionStatuses = ['SIGNED', 'SUBMITTED', 'CONFIRMED', 'REVERTED', 'REPLACED', 'DROPPED'] as const

export const TransactionView = view({
  role: described(view.enumerated(...transactionRoles), 'Role of the transaction', 'SOURCE'),
  chainId: ChainId('Chain of the transaction'),
  chainKey: ChainKeyName('Chain key'),
  txHash: Hash('Transaction hash', example.txHash),
  status: described(view.enumerated(...transactionStatuses), 'Status of the transaction', 'SUBMITTED'),
  blockNumber: CountOrNull('Block number', null),
  at: Time('When it was first seen', '2026-11-21T10:00:25.310Z'),
})
export type TransactionView = typeof TransactionView.infer

export const MintView = view({
  chainId: ChainId('Chain of the mint', chains.arbitrum.id),
  chainKey: ChainKeyName('Chain key', 'arbitrum'),
  contract: Address('The contract to call', '0x81D40F21F12A8F0E3252Bccb954D722d4c464B64'),
  data: described(view(/^0x([0-9a-f]{2})*$/), 'Its calldata', '0x00'),
})
export type MintView = typeof MintView.infer

/** Returns the call with which any account can mint what an execution burned; null if there is nothing to send. */
export function mintOf({ facts: { mint, delivery, intent } }: Execution): MintView | null {
  if (!mint?.call || !intent || delivery || isRefused(mint)) return null
  // The call does not match the mint: it was renewed since, or a previous release renewed the mint without the call.
  if (mintIdOf(mint.call) !== mint.id) return null
  const { targetChainId: chainId } = intent
  const { target: contract, data } = mint.call
  return { chainId, chainKey: chainKeyOf(chainId), contract, data }
}

/** Returns every known transaction of an execution. */
export function transactionsOf(execution: Execution): TransactionView[] {
  const { deposit, facts, state, completedAt, history } = execution
  const { transactions = [], dropped = [], spent, mint, delivery } = facts
  const last = transactions.at(-1)
  const reverted = revertOf(execution)
  const blockOf = (hash: HashText) => [spent, reverted].find((fact) => fact?.hash === hash)?.block ?? null
  const statusOf = (hash: HashText): TransactionView['status'] => {
    if (spent) return hash === spent.hash ? 'CONFIRMED' : 'REPLACED'
    if (hash === reverted?.hash) return 'REVERTED'
    if (reverted) return 'REPLACED'
    if (hash !== last?.hash) return 'REPLACED'
    if (completedAt !== null) return 'DROPPED'
    return state === 'PENDING' ? 'SIGNED' : 'SUBMITTED'
  }
  const rows: TransactionView[] = []
  if (deposit.txHash)
    rows.push(row('DEPOSIT', deposit.chainId, deposit.txHash, 'CONFIRMED', deposit.block, deposit.detectedAt))
  for (const { hash, at, revertedIn = null } of dropped)
    if (hash !== spent?.hash)
      rows.push(row('SOURCE', deposit.chainId, hash, revertedIn === null ? 'DROPPED' : 'REVERTED', revertedIn, at))
  for (const { hash, at } of transactions)
    rows.push(row('SOURCE', deposit.chainId, hash, statusOf(hash), blockOf(hash), at))
  if (spent && !transactions.some(({ hash }) => hash === spent.hash))
    rows.push(row('SOURCE', deposit.chainId, spent.hash, 'CONFIRMED', spent.block, spent.at))
  for (const { hash, at } of mint?.transactions ?? []) {
    if (hash === delivery?.hash) continue
    const isLast = !delivery && hash === mint!.transactions.at(-1)!.hash
    const status = isLast ? 'SUBMITTED' : 'REPLACED'
    rows.push(row('DESTINATION', facts.intent!.targetChainId, hash, status, null, at))
  }
  if (delivery) {
    const at = completedAt ?? history.at(-1)?.at ?? deposit.detectedAt
    rows.push(row('DESTINATION', delivery.chainId, delivery.hash, 'CONFIRMED', delivery.block, at))
  }
  const back = backOf(execution)
  if (back) rows.push(row('REFUND', deposit.chainId, back.hash, 'CONFIRMED', null, back.at))
  return rows
}

/** The id of a deposit contains its transaction, unless a balance sweep found it. */
const ofTransaction = /^\d+:(0x[0-9a-f]{64}):\d+$/

/** Returns the transaction of the bridge's refund: from the deposit that it became, otherwise from the bridge. */
function backOf({ continuedBy, facts, cause, history }: Execution): { hash: HashText; at: number } | null {
  const hash = continuedBy?.match(ofTransaction)?.[1] ?? facts.returned?.hash ?? null
  const at = history.findLast(({ event }) => event === supersedings.continuedBy.event)?.at ?? cause?.at
  return hash === null ? null : { hash: hash as HashText, at: at ?? history.at(-1)!.at }
}

const row = (
  role: TransactionView['role'],
  chainId: ChainIdNumber,
  txHash: HashText,
  status: TransactionView['status'],
  blockNumber: number | null,
  at: number,
): TransactionView => ({ role, chainId, chainKey: chainKeyOf(chainId), txHash, status, blockNumber, at: isoTime(at) })
