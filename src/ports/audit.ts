import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { Status } from '../domain/execution/status'

/** Fees of an execution, as decimal strings in atomic units. */
export type FeeSplit = {
  totalReceivedRaw: string
  protocolFeeRaw: string
  protocolFeeEffective: string
  protocolFeeForgiven: string
  gasFeeRaw: string
  amountForSwapRaw: string
}

/** A route as the executor's event shows it. Amounts are atomic units of the token that left. */
export type ExecutedRoute = {
  routeId: Hash
  spentRaw: bigint
  protocolFeeRaw: bigint
  gasFeeRaw: bigint
  recipient: Address
}

/** What a record states about its route. Fees and recipient are null before they are set. */
export type RecordedRoute = {
  status: Status | null
  spentRaw: bigint | null
  verifiedRaw: bigint | null
  protocolFeeRaw: bigint | null
  gasFeeRaw: bigint | null
  recipient: Address | null
}

/** A transfer log of a token to or from a deposit account. */
export type Move = {
  token: Address
  from: Address
  to: Address
  amountRaw: bigint
  txHash: Hash
  logIndex: number
  block: number
}

/** A route that an executor carried out, from its event. Native fees are wei. */
export type RouteFact = ExecutedRoute & {
  account: Address
  token: Address
  nativeFeeRaw: bigint
  collector: Address
  relayer: Address
  txHash: Hash
  block: number
}

/** Money that the holders of the RecoveryExecutor took out, from its event. */
export type RecoveryFact = { account: Address; token: Address; amountRaw: bigint; txHash: Hash; block: number }

/** The part of an execution that the audit reads. `txHash` is null if the balance sweep found the deposit. */
export type AuditRecord = RecordedRoute & {
  id: string
  status: Status | null
  account: Address
  chainId: ChainId
  token: Address
  symbol: string
  decimals: number | null
  amountRaw: bigint
  txHash: Hash | null
  block: number
  routeId: Hash | null
  spentBlock: number | null
  protocolFeeBps: number | null
  fees: FeeSplit | null
  /** Record that included this one's leftover. */
  takenBy: string | null
  /** How the money arrived; null while it has not. */
  arrival: 'DELIVERED' | 'MINTED' | 'REFUNDED' | null
  /** Whether a bridge refunded the money, which another record now has. */
  isReturned: boolean
}

/** Everything about one account and token on one chain. */
export type LaneFacts = {
  account: Address
  chainId: ChainId
  token: Address
  isNative: boolean
  /** Balance at the stated block. Null for a token whose balance is not read: it is neither listed nor routed. */
  heldRaw: bigint | null
  /** Up to the stated block. Native coin has none. */
  moves: readonly Move[]
  routes: readonly RouteFact[]
  recoveries: readonly RecoveryFact[]
  /** At any time, including later than the stated block. */
  records: readonly AuditRecord[]
  /** Whether a record of unlisted tokens covers this token. */
  isUnsupported: boolean
  /** Up to here the service has recorded every transfer of this token. */
  recordedTo: number
}

/** The accounts' history on one chain. Every failure is a RoutingError with an RPC_ code. */
export interface AccountHistory {
  /** Returns the transfer logs of any token to or from these accounts. Both blocks are included. */
  moves(accounts: readonly Address[], fromBlock: number, toBlock: number): Promise<Move[]>
  /** Returns the routes that the executors carried out for these accounts. Both blocks are included. */
  routes(accounts: readonly Address[], fromBlock: number, toBlock: number): Promise<RouteFact[]>
  /** Returns what the holders recovered from these accounts. Both blocks are included. */
  recoveries(accounts: readonly Address[], fromBlock: number, toBlock: number): Promise<RecoveryFact[]>
  /** Returns the routes of every account, and the accounts from which something was recovered. */
  executed(fromBlock: number, toBlock: number): Promise<{ routes: RouteFact[]; recovered: Address[] }>
  /** Returns what a mined transaction cost its sender besides its value, in wei. */
  gasOf(txHash: Hash): Promise<bigint>
}

/** Tokens of an account that are neither listed nor priced. A null token stands for all further ones. */
export type UnsupportedFact = { account: Address; chainId: ChainId; token: Address | null }

/** Reads for the audit. Nothing is written. */
export interface AuditQueries {
  /** Returns every deposit account, in the order of its lower-case address, and when the first one was created. */
  accounts(): Promise<{ addresses: Address[]; firstCreatedAt: number | null }>
  /**
   * Returns the executions of all accounts in a range of lower-case addresses, `from` included and `to` not; null for
   * the end.
   */
  records(from: string, to: string | null): Promise<AuditRecord[]>
  unsupported(from: string, to: string | null): Promise<UnsupportedFact[]>
  /** Returns the addresses of the relayers that the service has used, in lower case. */
  relayers(): Promise<Set<string>>
  /** Returns the last scanned block of a chain, for listed tokens and for all others. Null before the first scan. */
  recordedTo(chainId: ChainId): Promise<{ listed: number | null; others: number | null }>
}
