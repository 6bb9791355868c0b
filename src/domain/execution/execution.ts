import type { ChainId } from '../chain/chain'
import type { Address, Hash, Hex } from '../chain/hex'
import type { IntentSnapshot } from '../deposit/deposit-intent'
import { type ErrorCategory, type ErrorCode, RoutingError } from '../error'
import type { Fees } from '../money/fees'
import type { WorthApproval } from '../money/worth'
import type { Obstacle, Waiting } from './retry'
import type { Candidate, Order, OwnReceipt, Policy, Route } from './route'
import { isTerminal, type Status, staysApart } from './status'

/**
 * Record of routing one confirmed deposit, in one document. It is also the context of the state machine; no other
 * snapshot exists. Amounts are decimal strings in atomic units, and times are milliseconds since 1970.
 */
export type Execution = {
  /** The deposit's id, so a deposit cannot have two executions. A re-drive appends `:r1`, `:r2` and so on. */
  id: string
  organizationId: string
  userId: string
  state: string
  machineVersion: string
  /** Status in the API; null until a route is found or an attempt fails. */
  status: Status | null
  /** Every write requires the version that was read. The later of two writers is therefore refused. */
  version: number
  /** Next wake-up of the execution; null once it has ended. The sweeper needs only this field. */
  dueAt: number | null
  /**
   * Queue that wakes the execution. It is a hash of the organization, so one organization's burst does not starve the
   * others.
   */
  bucket: number
  deposit: Deposit
  facts: Facts
  retryCount: number
  /** Last failure. It is kept after a retry succeeds. */
  cause: (Failure & { at: number }) | null
  /** When the execution was first shown to integrators; null before. */
  createdAt: number | null
  completedAt: number | null
  /** Number of the last history entry. It keeps counting after old entries are dropped. */
  seq: number
  history: HistoryEntry[]
  redriveOf: string | null
  redrivenBy: string | null
  refundOf: string | null
  continuedBy: string | null
  /** Execution that included the money which this one left in its account. Absent in older records. */
  takenBy?: string | null
}

export const detectors = ['WEBHOOK', 'SCANNER', 'SWEEP'] as const
export type Detector = (typeof detectors)[number]

/** Most stored transactions of a deposit that the balance sweep found. */
export const paidInMax = 100

/** The transfer as the chain shows it. `block` is the confirmed block that contains it. */
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
  /**
   * Every possible sender of a deposit that the balance sweep found, including any who may have caused it to be sent.
   */
  senders?: Address[]
  /** Transactions that brought a deposit which the balance sweep found, if a node names them. At most `paidInMax`. */
  paidIn?: Hash[]
  /** An unknown sender may have sent part of it, because no node could identify every sender. */
  isSenderUnknown?: true
  detectedBy: Detector[]
  detectedAt: number
}

/** Facts that the steps found. */
export type Facts = {
  intent?: IntentSnapshot
  routeId?: Hash
  /** Lane that this execution pays into if its recipient is a deposit address of any organization. */
  leadsTo?: string
  /** Executions that delivered the deposit from another deposit address, or might have, as of its screening. */
  broughtBy?: string[]
  laneClearFrom?: number
  balance?: { totalReceivedRaw: string; block: number }
  /**
   * Ended records of the lane whose money is part of that balance. Set whenever the balance exceeds the deposit. Absent
   * in records that an older release verified.
   */
  residue?: string[]
  /** Since when the nodes have reported a balance below the deposit's amount. */
  lowSince?: number | null
  policy?: Policy
  route?: Route
  candidates?: Candidate[]
  /**
   * Minimum output that an operator accepts while prices cannot confirm its value, in atomic units of the target token.
   */
  worthApproval?: WorthApproval
  fees?: Fees
  /** Gas limit of the order's transaction. */
  gasLimit?: string
  /** Estimated cost of a sponsored order for its relayer, in wei, without the bridge's native fee. */
  gasCostWei?: string
  /** Amount taken from the day's budget for sponsored gas, in micro USD. */
  sponsoredMicroUsd?: string
  /** UTC day whose limit of refunds by the RecoveryExecutor includes this one. */
  givenBackOn?: string
  /** Organization and month. The quota counts the records that carry it (decision 39). */
  quotaKey?: string
  /**
   * Deadline of an order that a separate signer might have signed without its response arriving. Stored before the
   * request. This deadline and the other facts reproduce the same order.
   */
  asked?: { deadline: number } | null
  order?: Order
  /** All of our transactions that carried the order. Each replaced the previous one at a higher fee. */
  transactions?: RelayerTransaction[]
  /** Transactions of earlier orders, which have expired. `revertedIn` is the block in which one reverted. */
  dropped?: (RelayerTransaction & { revertedIn?: number })[]
  /**
   * Receipt of one of the transactions, as last seen. It is only shown: its block might be unconfirmed and can still
   * vanish.
   */
  receipt?: OwnReceipt | null
  /** Set once a confirmed block shows that the money has left the account. */
  spent?: Departure
  /**
   * Mint on the destination chain, for a provider that only attests and leaves the call to us. `id` is that of the
   * newest call, and `transactions` are all that carried a call.
   */
  mint?: Minting
  /**
   * Why the provider takes longer than the route stated, and its new estimate from the burn on. Null once the delay is
   * over.
   */
  delay?: { reason: DelayReason; expectedSeconds: number } | null
  delivery?: Delivery
  /**
   * Transaction whose role is doubtful, and when the provider first named it. As a delivery, it brought too little or
   * another execution claims it (`isTaken`). As a refund, it is not recorded as this execution's. Null if the provider
   * reports a refund without a transaction.
   */
  doubted?: { hash: Hash | null; since: number; isTaken?: true } | null
  /** Transaction of the refund that the bridge reports. */
  returned?: { hash: Hash | null }
  /** Number of times that bridges have refunded this deposit's money. */
  returns?: number
  /** A bridge might have refunded this money, but did not respond to the query. */
  isUnclaimed?: true
  waiting?: Waiting
  /** Obstacle to learning the outcome, once the money has left. */
  hold?: Obstacle
}

export type Departure = {
  hash: Hash
  block: number
  amountRaw: string
  at: number
  /** Value of the amount when it left, in USD with 8 decimals. Absent if the price was unknown then. */
  valueUsd?: string
  /** Value of the fees when they were collected, in USD with 8 decimals. Absent if the price was unknown then. */
  feesUsd?: { protocolFee: string; gasFee: string }
}
type Delivery = {
  hash: Hash
  chainId: ChainId
  token: Address
  amountRaw: string
  block: number
  /** Value of the amount when it was delivered, in USD with 8 decimals. Absent if its price was unknown then. */
  valueUsd?: string
}
export type Failure = { code: ErrorCode; category: ErrorCategory | null; message: string }

/** Entry for every transition and every stored fact that a reader can see (extensions 4.4). */
export type HistoryEntry = {
  seq: number
  at: number
  storedAt?: number // only in entries of earlier releases: part of the id of their event
  event: string
  from: string | null
  to: string
  status: Status | null
  note: string | null
}

/**
 * Whether the deposit's money is reserved. It has left the account neither by its own order nor with a later deposit,
 * and this record might still need it. Money that the security list stopped stays reserved until an operator re-drives
 * it.
 */
export const isUnspent = ({
  state,
  facts,
  redrivenBy,
  takenBy,
}: Pick<ReservedMoney, 'state' | 'facts' | 'redrivenBy' | 'takenBy'>): boolean =>
  facts.spent === undefined && !takenBy && (!isTerminal(state) || (staysApart(state) && redrivenBy === null))

/** The part of a record that shows its reserved money, and whether something signed can still move it. */
export type ReservedMoney = Pick<Execution, 'id' | 'state' | 'redriveOf' | 'redrivenBy' | 'takenBy'> & {
  deposit: Pick<Deposit, 'lane' | 'block' | 'amountRaw'>
  facts: { spent?: unknown; order?: unknown; balance?: { totalReceivedRaw: string } }
}

/**
 * Returns the unspent records of a lane. Once a re-drive is stored, only it reserves the money, even before the earlier
 * record names it.
 */
export const unspentOf = <R extends ReservedMoney>(records: R[]): R[] => {
  const redriven = new Set(records.map(({ redriveOf }) => redriveOf))
  return records.filter((record) => isUnspent(record) && !redriven.has(record.id))
}

/**
 * Whether the record has ended without a claim on money, and no other record's claim depends on it. This is permanent.
 */
export const isOver = ({ state, redriveOf }: Pick<ReservedMoney, 'state' | 'redriveOf'>): boolean =>
  isTerminal(state) && !staysApart(state) && redriveOf === null

/** Whether the record may still want to move its money. It keeps its lane until then. */
export const holdsLane = ({ state, facts }: Pick<Execution, 'state' | 'facts'>): boolean =>
  facts.spent === undefined && !isTerminal(state)

/** Whether something signed can still move money. Until it cannot, no final status and no retry is decided. */
export const isLive = ({ facts }: Pick<ReservedMoney, 'facts'>): boolean =>
  facts.order !== undefined && facts.spent === undefined

/**
 * Converts an error to the failure that the record stores. A bug has no category: the execution waits, and nothing is
 * decided.
 */
export const failureOf = (error: unknown): Failure => {
  const { code, category, message } = error instanceof RoutingError ? error : new RoutingError('UNEXPECTED')
  return { code, category, message }
}

/** Most refunds by bridges after which money is still sent out automatically (decision 27). */
export const returnsMax = 3

/** Returns the id of a deposit: the position of its transfer on the chain (decision 21). */
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

export type ConfirmedDeposit = {
  id: string
  organizationId: string
  userId: string
  deposit: Deposit
  machineVersion: string
}

/**
 * Returns the record of a newly confirmed deposit. It is due immediately. Version 0 means that it is not stored yet.
 */
export const newExecution = (confirmedDeposit: ConfirmedDeposit, at: number): Execution => ({
  id: confirmedDeposit.id,
  organizationId: confirmedDeposit.organizationId,
  userId: confirmedDeposit.userId,
  state: 'matching intent',
  machineVersion: confirmedDeposit.machineVersion,
  status: null,
  version: 0,
  dueAt: at,
  bucket: bucketOf(confirmedDeposit.organizationId),
  deposit: confirmedDeposit.deposit,
  facts: {},
  retryCount: 0,
  cause: null,
  createdAt: null,
  completedAt: null,
  seq: 1,
  history: [
    {
      seq: 1,
      at: confirmedDeposit.deposit.detectedAt,
      event: 'deposit detected',
      from: null,
      to: 'matching intent',
      status: null,
      note: confirmedDeposit.deposit.isSenderUnknown ? 'Not every sender could be identified.' : null,
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

/** Trace id of W3C Trace Context: 32 hexadecimal digits. */
export type TraceId = string

/**
 * Returns the trace id of a deposit. It is computed from the money's position on the chain. Every process, re-drive and
 * restart therefore gets the same id, as does a webhook that knows only the transaction. Nothing has to be stored or
 * passed on.
 *
 * @param id The id of a deposit or an execution, or `chainId:txHash`. All arrivals of one transaction share a trace.
 */
export const traceIdOf = (id: string): TraceId => digest(id).slice(0, 32)

/** Returns the id of the root span, the parent of all other spans of the trace: 16 hexadecimal digits. */
export const rootSpanIdOf = (id: string): string => digest(id).slice(32, 48)

const digest = (id: string): string => Bun.SHA256.hash(`switchyard/trace/v1:${sourceOf(id)}`, 'hex')

/** Removes the position of a transfer within its transaction, and the number of a re-drive. */
function sourceOf(id: string): string {
  const [chainId, source = '', ...rest] = id.split(':')
  if (source.startsWith('0x')) return `${chainId}:${source}`
  const isRedrive = /^r\d+$/.test(rest.at(-1) ?? '')
  return [chainId, source, ...(isRedrive ? rest.slice(0, -1) : rest)].join(':')
}

/** Why Circle does not attest a fast transfer early. OTHER is a reason that we do not know yet. */
export type DelayReason = 'FEE_TOO_LOW' | 'AMOUNT_TOO_LARGE' | 'ALLOWANCE_USED_UP' | 'OTHER'

/** A sent transaction with its relayer's key and nonce, and the number of orders it carries. */
export type RelayerTransaction = { hash: Hash; nonce: number; sender: string; at: number; orders?: number }

/** State of the mint of an execution's burned money. */
export type Minting = {
  nonce: Hash
  id: Hash
  attestedAt: number
  transactions: RelayerTransaction[]
  /** Call that anyone can send. Absent in records that an older release wrote. */
  call?: { target: Address; data: Hex }
  /** When the destination last reported that it would refuse the call. */
  refusedAt?: number
}

type SealedCandidate = Pick<Candidate, 'provider' | 'amountOutExpected' | 'amountOutMin' | 'quotedAt' | 'seal'>

type Routed = Pick<Route, 'provider' | 'kind' | 'amountIn' | 'amountOutExpected' | 'amountOutMin' | 'call'>

/** The part of a record that a signature depends on. The signer receives nothing else. */
export type Signable = Pick<Execution, 'id' | 'organizationId' | 'userId' | 'refundOf' | 'redriveOf'> & {
  deposit: Pick<Deposit, 'account' | 'chainId' | 'token' | 'amountRaw'>
  facts: Pick<Facts, 'intent' | 'routeId' | 'balance' | 'worthApproval' | 'fees' | 'gasLimit'> & {
    route?: Routed
    candidates?: SealedCandidate[]
  }
}
