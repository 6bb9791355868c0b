import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { Detector } from '../execution/execution'
import { claimedBy, lastBlockOf, type Routed, type Unsupported, unsupportedIdOf } from './unsupported'

/** Deposit of an unlisted token as shown: the part that has not been routed. */
export type UnsupportedDeposit = {
  id: string
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  token: Address
  stage: 'UNSUPPORTED'
  amountRaw: string
  /** Number of transfers in the record. */
  count: number
  /** Number of tokens that share the record; null for a record of one token. */
  others: number | null
  fromAddress: Address | null
  txHash: Hash | null
  logIndex: number | null
  block: number
  detectedBy: Detector[]
  detectedAt: number
  updatedAt: number
  /** Whether routing was requested. The deposit is routed once its block is deep enough to be measured. */
  isWanted: boolean
  /** Execution that has the money which this record no longer claims. */
  successorId: string | null
  /** Whether that execution is already shown. */
  isSuccessorShown: boolean
}

/** @param token A token of a shared record, if it is requested separately. */
export function unsupportedDepositOf(record: Unsupported, routed: Routed, token?: Address): UnsupportedDeposit {
  const { id, organizationId, userId, account, chainId, others, newest, wantedTo } = record
  const { detectedBy, detectedAt, updatedAt } = record
  const { amountRaw, count } = claimedBy(record, routed)
  const [last] = newest
  const isOne = others === null && newest.length > 0
  const whose = { organizationId, userId, account, chainId, stage: 'UNSUPPORTED' } as const
  const when = { detectedBy, detectedAt, updatedAt }
  const what = {
    fromAddress: isOne && count === 1 ? last!.fromAddress : null,
    txHash: isOne ? last!.txHash : null,
    logIndex: isOne ? last!.logIndex : null,
    block: Math.max(0, lastBlockOf(record)),
    isWanted: wantedTo !== null,
    successorId: count === 0 && others === null ? routed.executionId : null,
    isSuccessorShown: routed.isShown,
  }
  if (others === null)
    return { id, token: record.token, ...whose, ...what, ...when, amountRaw: String(amountRaw), count, others }
  const named = token ? { id: unsupportedIdOf(chainId, account, token), token } : { id, token: record.token }
  const told = token ? { count: 0, others: null } : { count, others: others.length }
  // Amounts of different tokens have no common sum. Each token's balance is measured once routing is requested.
  return { ...named, ...whose, ...what, ...when, amountRaw: '0', ...told }
}
