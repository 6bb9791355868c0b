import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { Execution, ReservedMoney } from '../domain/execution/execution'
import type { LaneLedger, Residue, Spend } from '../domain/execution/lane'
import type { Carrier } from '../domain/limits/quota'
import type { Records } from './records'

/** A record that is owed a wake-up. `version` distinguishes one owed wake-up from the next. */
export type Due = { id: string; version: number; dueAt: number; bucket: number }

/** A token on its chain, and the token on the target chain that it becomes. */
export type TokenPair = { fromChainId: ChainId; fromToken: Address; toChainId: ChainId; toToken: Address }

/** Stores executions. Every write is one document under one condition, and nothing here needs a transaction. */
export interface Executions extends Records<Execution> {
  loadMany(ids: string[]): Promise<Execution[]>
  /** Returns a record that this process just stored, to the first caller only. It is usually still current. */
  begun(id: string): Execution | null
  /** Returns the records that became due after `after` and no later than `now`, oldest first. */
  due(now: number, after: number, limit: number): Promise<Due[]>
  /**
   * Returns the executions of a lane whose money is still in the account, including those the security list stopped.
   */
  unspentIn(lane: string): Promise<ReservedMoney[]>
  /**
   * Returns the executions that ended with their money in the account, unless another execution is known to have
   * included it.
   */
  residueIn(lane: string): Promise<Residue[]>
  /** Returns the executions that wait for a lane, the longest waiting first. */
  waitingForLane(lane: string, limit: number): Promise<Due[]>
  /**
   * Returns the executions that failed through a provider and wait for their next attempt to route this pair of tokens,
   * the next first.
   */
  failedBetween(route: TokenPair, limit: number): Promise<Due[]>
  /** Returns the executions of an account that wait for an intent, oldest first. */
  waitingForIntent(account: Address): Promise<Due[]>
  /**
   * Returns the executions of an account whose money a bridge took from this chain and either refunded or has not
   * provably delivered.
   */
  sentFrom(account: Address, chainId: ChainId): Promise<Execution[]>
  /**
   * Returns executions of all organizations that pay a lane and might have delivered a deposit there: those under way,
   * and those with the deposit's transaction. Without a transaction, the newest completed ones instead.
   */
  leadingTo(lane: string, txHash: Hash | null): Promise<Execution[]>
  /** Returns the stored executions that count towards a month's quota. Missing ids are left out. */
  carriers(ids: readonly string[]): Promise<Carrier[]>
  /**
   * Counts the executions with a quota key. The database counts them one by one, so do not call it for every deposit.
   */
  countQuota(quotaKey: string, except?: readonly string[]): Promise<number>
  /**
   * Adds up all records of a lane, including ended ones. Returns null if they are too many for one read and change
   * between reads.
   */
  ledgerOf(lane: string, block: number): Promise<LaneLedger | null>
  /**
   * Returns each amount that ever left a lane, by block. It reads the whole history, so do not call it for every
   * deposit.
   */
  spendsOf(lane: string): Promise<Spend[]>
}

/**
 * One transfer on a destination chain, named by its position there, and the only execution whose delivery it proves.
 */
export type DeliveryClaim = { id: string; version: number; executionId: string }

/**
 * Claims of deliveries. The first execution to claim a transfer keeps it, unless it completes by a different transfer.
 */
export type Deliveries = Records<DeliveryClaim>
