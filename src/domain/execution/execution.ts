import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { IntentSnapshot } from '../deposit/deposit-intent'
import { type ErrorCategory, type ErrorCode, RoutingError } from '../error'
import type { GasFeeSkipReason } from '../money/fees'
import type { WorthApproval } from '../money/worth-approval'
import type { Order } from './order'
import type { SeenReceipt } from './receipt'
import type { Candidate, Policy, Route } from './route'
import { isTerminal, type Status } from './status'
import type { WaitReason } from './wait-reason'

/**
 * One confirmed deposit, until its final status and after, in one document. The machine's context is this record: there
 * is no other snapshot. Amounts are decimal strings in atomic units, times are milliseconds since 1970.
 */
export type Execution = {
  /** The deposit's id, so that a deposit cannot have two; a re-drive appends `:r1`, `:r2`, … */
  id: string
  organizationId: string
  userId: string
  state: string
  machineVersion: string
  /** What the API shows; null until a route is resolved or the first failure. */
  status: Status | null
  /** Every write is conditional on it: the late writer of two is refused. */
  version: number
  /** When this execution is owed a wake-up; null once it has ended. The sweeper needs nothing else. */
  dueAt: number | null
  /** Which queue wakes it: a hash of the organization, so that one tenant's burst does not starve another. */
  bucket: number
  deposit: Deposit
  facts: Facts
  retryCount: number
  /** What went wrong last; kept after a retry succeeds. */
  cause: (Failure & { at: number }) | null
  /** When the execution is first seen from outside; null before. */
  createdAt: number | null
  completedAt: number | null
  /** Number of the last history entry; it does not restart when old entries are dropped. */
  seq: number
  history: HistoryEntry[]
  redriveOf: string | null
  redrivenBy: string | null
  refundOf: string | null
  continuedBy: string | null
  /** The execution that took its residue along; records of before it was noted do not have it. */
  takenBy?: string | null
}

export const detectors = ['WEBHOOK', 'SCANNER', 'SWEEP'] as const
export type Detector = (typeof detectors)[number]

/** What arrived, as the chain shows it. `block` is where it stands, confirmed. */
export type Deposit = {
  /** `account:chain:token`, lower case. */
  lane: string
  account: Address
  chainId: ChainId
  token: Address
  symbol: string
  decimals: number | null
  amountRaw: string
  block: number
  /** Null for what a balance sweep found. */
  txHash: Hash | null
  logIndex: number | null
  fromAddress: Address | null
  /** Of what a balance showed: everybody who sent it or may have had it sent. */
  senders?: Address[]
  /** Somebody else may have sent some of it: no node could tell. */
  isSenderUnknown?: true
  detectedBy: Detector[]
  detectedAt: number
}

/** What the steps found out. */
export type Facts = {
  intent?: IntentSnapshot
  routeId?: Hash
  laneClearFrom?: number
  balance?: { totalReceivedRaw: string; block: number }
  /** Since when the balance is said to be too low for what the deposit brought. */
  lowSince?: number | null
  policy?: Policy
  route?: Route
  candidates?: Candidate[]
  /** The least output that an operator accepts where nobody can say what it is worth, in atomic units of the target. */
  worthApproval?: WorthApproval
  fees?: Fees
  /** What the order's transaction may use. */
  gasLimit?: string
  /** What the estimate says that a sponsored order costs its relayer, beside the bridge's native fee. */
  gasCostWei?: string
  /** What was taken for its gas out of the day's budget for sponsored gas: micro USD. */
  sponsoredMicroUsd?: string
  /** Organization and month: the records that have it are the count of the quota (decision 39). */
  quotaKey?: string
  order?: Order
  /** Ours, every one that ever carried the order: each replaces the one before at a higher fee. */
  transactions?: Sent[]
  /** Those of orders before it, which are void; `revertedIn`: the block that has it, refused. */
  dropped?: (Sent & { revertedIn?: number })[]
  /** The block that has one of them, as last seen: confirmed or not, so that it may be taken back. It is only shown. */
  receipt?: SeenReceipt | null
  /** The money has left the account: seen in a confirmed block. */
  spent?: Spent
  delivery?: Delivery
  /** Where a bridge says that it sent the money back. */
  returned?: { hash: Hash | null }
  /** How often the money of this deposit has come back from bridges, by now. */
  returns?: number
  /** A bridge may have sent this money back, and did not say so when it was asked. */
  isUnclaimed?: true
  /** What is waited for, and since when: polls grow rarer with it. */
  waiting?: { for: WaitReason; since: number }
}

export type Sent = { hash: Hash; nonce: number; sender: string; at: number }

export type Fees = {
  totalReceivedRaw: string
  protocolFeeRaw: string
  protocolFeeEffective: string
  protocolFeeForgiven: string
  gasFeeRaw: string
  amountForSwapRaw: string
  gasFeeSkipReason: GasFeeSkipReason
}

export type Spent = { hash: Hash; block: number; amountRaw: string; at: number }
export type Delivery = { hash: Hash; chainId: ChainId; token: Address; amountRaw: string; block: number }
export type Failure = { code: ErrorCode; category: ErrorCategory | null; message: string }

/** One entry for every transition and every stored fact that a reader can see (extensions 4.4). */
export type HistoryEntry = {
  seq: number
  at: number
  storedAt?: number // only where that was a while after it happened: its place in the feed
  event: string
  from: string | null
  to: string
  status: Status | null
  note: string | null
}

/**
 * Whether others leave the deposit's money alone: it has not left, and the record may still want it. What the security
 * list stopped stays reserved until an operator has it re-driven.
 */
export const isUnspent = ({ state, facts, redrivenBy }: Pick<Reserved, 'state' | 'facts' | 'redrivenBy'>): boolean =>
  facts.spent === undefined && (!isTerminal(state) || (state === 'TOKEN_BLACKLISTED' && redrivenBy === null))

/** As much of a record as tells what is reserved of an account, and whether something signed may move it. */
export type Reserved = Pick<Execution, 'id' | 'state' | 'redriveOf' | 'redrivenBy'> & {
  deposit: Pick<Deposit, 'lane' | 'block' | 'amountRaw'>
  facts: { spent?: unknown; order?: unknown }
}

/** Of a lane's records those that are unspent. A re-drive that is stored has what it re-drives, noted there or not. */
export const unspentOf = <R extends Reserved>(records: R[]): R[] => {
  const redriven = new Set(records.map(({ redriveOf }) => redriveOf))
  return records.filter((record) => isUnspent(record) && !redriven.has(record.id))
}

/** Whether it has ended without a claim on money, and no other record's claim hangs on it. What is over stays so. */
export const isOver = ({ state, redriveOf }: Pick<Reserved, 'state' | 'redriveOf'>): boolean =>
  isTerminal(state) && state !== 'TOKEN_BLACKLISTED' && redriveOf === null

/** Whether the record may still want to move its money: it keeps its lane until then. */
export const holdsLane = ({ state, facts }: Pick<Execution, 'state' | 'facts'>): boolean =>
  facts.spent === undefined && !isTerminal(state)

/** Whether something signed may still move money. Nothing final, and no retry, is decided while it may. */
export const isLive = ({ facts }: Pick<Reserved, 'facts'>): boolean =>
  facts.order !== undefined && facts.spent === undefined

/** What the record says about an error. A bug has no category: it is waited out, never decided upon. */
export const failureOf = (error: unknown): Failure => {
  const { code, category, message } = error instanceof RoutingError ? error : new RoutingError('UNEXPECTED')
  return { code, category, message }
}

/** Money that has come back this often is not sent out again by itself (decision 27). */
export const returnsMax = 3

/** The deposits that are found once each: the id is the transfer's place on the chain (decision 21). */
export const depositIdOf = (chainId: ChainId, txHash: Hash, logIndex: number): string =>
  `${chainId}:${txHash}:${logIndex}`
export const sweptDepositIdOf = (chainId: ChainId, account: Address, token: Address, find: number): string =>
  `${chainId}:sweep:${account.toLowerCase()}:${token.toLowerCase()}:${find}`

export const bucketsMax = 8
/** FNV-1a: the same in every process. */
export const bucketOf = (organizationId: string): number => {
  let hash = 0x811c9dc5
  for (let n = 0; n < organizationId.length; n++) hash = Math.imul(hash ^ organizationId.charCodeAt(n), 0x01000193)
  return (hash >>> 0) % bucketsMax
}
