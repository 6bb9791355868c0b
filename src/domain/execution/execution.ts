import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { IntentSnapshot } from '../deposit/deposit-intent'
import { type ErrorCategory, type ErrorCode, RoutingError } from '../error'
import type { Fees } from '../money/fees'
import type { WorthApproval } from '../money/worth'
import type { DelayReason, Minting, Sent } from './minting'
import type { Hold, WaitReason } from './retry'
import type { Candidate, Order, Policy, Route, SeenReceipt } from './route'
import { isTerminal, type Status } from './status'

/**
 * The record of routing one confirmed deposit, in one document. It is also the context of the state machine: there is
 * no other snapshot. Amounts are decimal strings in atomic units, and times are milliseconds since 1970.
 */
export type Execution = {
  /** The deposit's id, so that no deposit can have two executions. A re-drive appends `:r1`, `:r2` and so on. */
  id: string
  organizationId: string
  userId: string
  state: string
  machineVersion: string
  /** The status that the API shows; null until a route is found or an attempt fails. */
  status: Status | null
  /** Every write requires the version that was read, so the later of two writers is refused. */
  version: number
  /** When this execution has to be woken; null once it has ended. The sweeper needs nothing else. */
  dueAt: number | null
  /**
   * The queue that wakes it. It is a hash of the organization, so that a burst of one organization does not starve
   * others.
   */
  bucket: number
  deposit: Deposit
  facts: Facts
  retryCount: number
  /** What went wrong last. It is kept after a retry succeeds. */
  cause: (Failure & { at: number }) | null
  /** When the execution was first shown to integrators; null before. */
  createdAt: number | null
  completedAt: number | null
  /** The number of the last history entry. It keeps counting when old entries are dropped. */
  seq: number
  history: HistoryEntry[]
  redriveOf: string | null
  redrivenBy: string | null
  refundOf: string | null
  continuedBy: string | null
  /** Which took along the money that this one left in its account. Absent in records from before it was stored. */
  takenBy?: string | null
}

export const detectors = ['WEBHOOK', 'SCANNER', 'SWEEP'] as const
export type Detector = (typeof detectors)[number]

/** What arrived, as the chain shows it. `block` is the confirmed block that contains it. */
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
  /** Null for a deposit that the balance sweep found. */
  txHash: Hash | null
  logIndex: number | null
  fromAddress: Address | null
  /** For a deposit that the balance sweep found: everybody who sent it or may have caused it to be sent. */
  senders?: Address[]
  /** For a deposit that the balance sweep found: the transactions that brought it, as far as a node names them. */
  paidIn?: Hash[]
  /** Somebody else may have sent part of it, because no node could tell. */
  isSenderUnknown?: true
  detectedBy: Detector[]
  detectedAt: number
}

/** What the steps found out. */
export type Facts = {
  intent?: IntentSnapshot
  routeId?: Hash
  /** The lane that this execution pays if its recipient is a deposit address, of any organization. */
  leadsTo?: string
  laneClearFrom?: number
  balance?: { totalReceivedRaw: string; block: number }
  /**
   * The ended records of the lane whose money is part of that balance. Set whenever it is more than the deposit; absent
   * in records that an older release verified.
   */
  residue?: string[]
  /** Since when the nodes report a balance below what the deposit brought. */
  lowSince?: number | null
  policy?: Policy
  route?: Route
  candidates?: Candidate[]
  /**
   * The least output that an operator accepts when nobody can tell what it is worth, in atomic units of the target
   * token.
   */
  worthApproval?: WorthApproval
  fees?: Fees
  /** The gas limit of the order's transaction. */
  gasLimit?: string
  /** The estimated cost of a sponsored order for its relayer, in wei, without the bridge's native fee. */
  gasCostWei?: string
  /** What was taken for its gas out of the day's budget for sponsored gas, in micro USD. */
  sponsoredMicroUsd?: string
  /** The UTC day among whose refunds by the RecoveryExecutor it has a place. */
  givenBackOn?: string
  /** Organization and month. The quota counts the records that carry it (decision 39). */
  quotaKey?: string
  /**
   * The deadline of an order that the signer may have signed, because it did not answer. The same order follows from it
   * and from the other facts.
   */
  asked?: { deadline: number } | null
  order?: Order
  /** All of our transactions that carried the order. Each replaced the one before at a higher fee. */
  transactions?: Sent[]
  /** The transactions of earlier orders, which are void. `revertedIn` is the block in which one reverted. */
  dropped?: (Sent & { revertedIn?: number })[]
  /**
   * The receipt of one of the transactions, as last seen. Its block may be unconfirmed and may still vanish, so it is
   * only shown.
   */
  receipt?: SeenReceipt | null
  /** Set once a confirmed block shows that the money has left the account. */
  spent?: Spent
  /**
   * What hands the money out on the destination chain where its provider only attests it, and we send the call. `id` is
   * that of the newest call, and `transactions` are all that carried one.
   */
  mint?: Minting
  /** Why the provider takes longer than the route said, and how long from the burn; null once it is over. */
  delay?: { reason: DelayReason; expectedSeconds: number } | null
  delivery?: Delivery
  /** The transaction that the provider calls the delivery although it brought too little, and since when it does. */
  tooLittle?: { hash: Hash; since: number }
  /** Where the bridge says that it sent the money back. */
  returned?: { hash: Hash | null }
  /** How often bridges have sent this deposit's money back so far. */
  returns?: number
  /** A bridge may have sent this money back, but did not answer when it was asked. */
  isUnclaimed?: true
  /** What the execution waits for, and since when. The longer it waits, the less often it asks. */
  waiting?: { for: WaitReason; since: number }
  /** Once the money has left: what keeps us from learning what became of it. */
  hold?: Hold
}

export type Spent = { hash: Hash; block: number; amountRaw: string; at: number }
type Delivery = { hash: Hash; chainId: ChainId; token: Address; amountRaw: string; block: number }
export type Failure = { code: ErrorCode; category: ErrorCategory | null; message: string }

/** One entry for every transition and every stored fact that a reader can see (extensions 4.4). */
export type HistoryEntry = {
  seq: number
  at: number
  storedAt?: number // the entry's place in the feed; only set when it was stored late
  event: string
  from: string | null
  to: string
  status: Status | null
  note: string | null
}

/**
 * Whether the deposit's money is reserved: it has not left the account, and this record may still want it. Money that
 * the security list stopped stays reserved until an operator has it re-driven.
 */
export const isUnspent = ({ state, facts, redrivenBy }: Pick<Reserved, 'state' | 'facts' | 'redrivenBy'>): boolean =>
  facts.spent === undefined && (!isTerminal(state) || (state === 'TOKEN_BLACKLISTED' && redrivenBy === null))

/** The part of a record that tells what it reserves in the account, and whether something signed may still move it. */
export type Reserved = Pick<Execution, 'id' | 'state' | 'redriveOf' | 'redrivenBy'> & {
  deposit: Pick<Deposit, 'lane' | 'block' | 'amountRaw'>
  facts: { spent?: unknown; order?: unknown; balance?: { totalReceivedRaw: string } }
}

/**
 * Returns those of a lane's records that are unspent. Once a re-drive is stored, it alone reserves the money, even when
 * the record that it re-drives does not say so yet.
 */
export const unspentOf = <R extends Reserved>(records: R[]): R[] => {
  const redriven = new Set(records.map(({ redriveOf }) => redriveOf))
  return records.filter((record) => isUnspent(record) && !redriven.has(record.id))
}

/**
 * Whether the record has ended without a claim on money, and no other record's claim depends on it. This never changes
 * back.
 */
export const isOver = ({ state, redriveOf }: Pick<Reserved, 'state' | 'redriveOf'>): boolean =>
  isTerminal(state) && state !== 'TOKEN_BLACKLISTED' && redriveOf === null

/**
 * Throws if a record is neither due nor ended, or both. The store finds open records by `dueAt` and ended ones by
 * `completedAt`, so any other record would be in no list, and no sweep would find it.
 *
 * @throws {TypeError}
 */
export function assureDueOrEnded({ id, dueAt, completedAt }: Pick<Execution, 'id' | 'dueAt' | 'completedAt'>): void {
  if ((dueAt === null) === (completedAt === null)) throw new TypeError(`${id} must be either due or ended`)
}

/** Whether the record may still want to move its money. It keeps its lane until then. */
export const holdsLane = ({ state, facts }: Pick<Execution, 'state' | 'facts'>): boolean =>
  facts.spent === undefined && !isTerminal(state)

/** Whether something signed may still move money. No final status and no retry is decided while it may. */
export const isLive = ({ facts }: Pick<Reserved, 'facts'>): boolean =>
  facts.order !== undefined && facts.spent === undefined

/**
 * Turns an error into what the record says about it. A bug has no category: the execution waits, and nothing is
 * decided.
 */
export const failureOf = (error: unknown): Failure => {
  const { code, category, message } = error instanceof RoutingError ? error : new RoutingError('UNEXPECTED')
  return { code, category, message }
}

/** Money that bridges have sent back more often than this is not sent out again by itself (decision 27). */
export const returnsMax = 3

/** Returns the id of a deposit: the place of the transfer on the chain (decision 21). */
export const depositIdOf = (chainId: ChainId, txHash: Hash, logIndex: number): string =>
  `${chainId}:${txHash}:${logIndex}`
export const sweptDepositIdOf = (chainId: ChainId, account: Address, token: Address, find: number): string =>
  `${chainId}:sweep:${account.toLowerCase()}:${token.toLowerCase()}:${find}`

export const bucketsMax = 8
/** Returns the queue of an organization. FNV-1a gives the same result in every process. */
const bucketOf = (organizationId: string): number => {
  let hash = 0x811c9dc5
  for (let n = 0; n < organizationId.length; n++) hash = Math.imul(hash ^ organizationId.charCodeAt(n), 0x01000193)
  return (hash >>> 0) % bucketsMax
}

export type FoundDeposit = {
  id: string
  organizationId: string
  userId: string
  deposit: Deposit
  machineVersion: string
  /** Nothing was stored of it before, so its detection takes its place in the feed when the record is stored. */
  isUnseen?: boolean
}

/**
 * Makes the record of a deposit that was just confirmed. It is due at once. Version 0 means that it is not stored yet.
 */
export const newExecution = (found: FoundDeposit, at: number): Execution => ({
  id: found.id,
  organizationId: found.organizationId,
  userId: found.userId,
  state: 'matching intent',
  machineVersion: found.machineVersion,
  status: null,
  version: 0,
  dueAt: at,
  bucket: bucketOf(found.organizationId),
  deposit: found.deposit,
  facts: {},
  retryCount: 0,
  cause: null,
  createdAt: null,
  completedAt: null,
  seq: 1,
  history: [
    {
      seq: 1,
      at: found.deposit.detectedAt,
      ...(found.isUnseen && at > found.deposit.detectedAt && { storedAt: at }),
      event: 'deposit detected',
      from: null,
      to: 'matching intent',
      status: null,
      note: found.deposit.isSenderUnknown ? 'Not everybody who sent it could be named.' : null,
    },
  ],
  redriveOf: null,
  redrivenBy: null,
  refundOf: null,
  continuedBy: null,
})

/** Returns the key of an organization's month (UTC). The quota counts the executions that carry it (decision 39). */
export const quotaKeyOf = (organizationId: string, at: number): string =>
  `${organizationId}:${new Date(at).toISOString().slice(0, 7)}`
