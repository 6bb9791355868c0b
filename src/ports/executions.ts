import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { Execution, Reserved } from '../domain/execution/execution'
import type { LaneBook, Residue, Spend } from '../domain/execution/lane'
import type { Carrier } from '../domain/tenant/quota'
import type { Records } from './records'

/** A record that is owed a wake-up. `version` tells one debt from the next. */
export type Due = { id: string; version: number; dueAt: number; bucket: number }

/** A token on its chain, and the token on the target chain that it becomes. */
export type TokenPair = { fromChainId: ChainId; fromToken: Address; toChainId: ChainId; toToken: Address }

/** Stores executions. Every write is one document under one condition, and nothing here needs a transaction. */
export interface Executions extends Records<Execution> {
  loadMany(ids: string[]): Promise<Execution[]>
  /**
   * Returns a record that this process stored a moment ago, to the first caller. Most often nobody has changed it
   * since.
   */
  begun(id: string): Execution | null
  /** Returns what became due later than `after` and by `now`, oldest first. */
  due(now: number, after: number, limit: number): Promise<Due[]>
  /**
   * Returns the executions of a lane whose money is still in the account, including those the security list stopped.
   */
  unspentIn(lane: string): Promise<Reserved[]>
  /**
   * Returns the executions that ended with their money in the account, as far as none is known to have taken it along.
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
   * Returns the executions of an account whose money a bridge on a chain may have taken and not delivered, or sent
   * back.
   */
  sentFrom(account: Address, chainId: ChainId): Promise<Execution[]>
  /**
   * Returns executions of all organizations that pay a lane and can have delivered a deposit there: those under way,
   * and those with the deposit's transaction. Without a transaction: the newest that have ended.
   */
  leadingTo(lane: string, txHash: Hash | null): Promise<Execution[]>
  /**
   * Returns what is stored of executions that hold a place in a month's quota. Those that do not exist are left out.
   */
  carriers(ids: readonly string[]): Promise<Carrier[]>
  /**
   * Counts the executions that carry a quota key. The database counts all of them, so this is not for every deposit.
   */
  countQuota(quotaKey: string, except?: readonly string[]): Promise<number>
  /**
   * Adds up all records of a lane, including those that have ended. Returns null when there are too many to read at
   * once and they change in the meantime.
   */
  bookOf(lane: string, block: number): Promise<LaneBook | null>
  /** Returns each amount that ever left a lane, by block. It reads the whole history, so not for every deposit. */
  spendsOf(lane: string): Promise<Spend[]>
}

/** One transfer on a destination chain, named by its place there, and the only execution whose delivery it proves. */
export type DeliveryClaim = { id: string; version: number; executionId: string }

/** Claims of deliveries. The first to claim a transfer has it, unless it ends by another one. */
export type Deliveries = Records<DeliveryClaim>
