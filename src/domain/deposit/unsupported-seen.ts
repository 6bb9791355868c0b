import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { Detector } from '../execution/execution'
import { claimedBy, lastBlockOf, type Routed, type Unsupported, unsupportedIdOf } from './unsupported'

/** The deposit of an unlisted token as it is shown: what of it nobody has routed. */
export type UnsupportedSeen = {
  id: string
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  token: Address
  stage: 'UNSUPPORTED'
  amountRaw: string
  /** How many transfers it stands for. */
  count: number
  /** How many tokens share the record; null for a record of one token. */
  others: number | null
  fromAddress: Address | null
  txHash: Hash | null
  logIndex: number | null
  block: number
  detectedBy: Detector[]
  detectedAt: number
  updatedAt: number
  /** Whether somebody asked for it to be routed. It is routed once its block is deep enough to be measured. */
  isWanted: boolean
  /** The execution that has the money which this record no longer claims. */
  successorId: string | null
  /** Whether that execution is shown by now. */
  isSuccessorShown: boolean
}

/** @param token One of the tokens that share the record, when it is asked for by itself. */
export function unsupportedSeen(record: Unsupported, routed: Routed, token?: Address): UnsupportedSeen {
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
  // Amounts of different tokens have no common sum. How much there is of each, its balance says once somebody wants it.
  return { ...named, ...whose, ...what, ...when, amountRaw: '0', ...told }
}
