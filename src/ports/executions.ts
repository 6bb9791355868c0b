import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Execution, Reserved } from '../domain/execution/execution'
import type { LaneBook } from '../domain/execution/lane-book'
import type { Residue } from '../domain/money/residue'
import type { Carrier } from '../domain/tenant/quota'
import type { Records } from './records'

/** What is owed a wake-up. `version` tells one debt from the next. */
export type Due = { id: string; version: number; dueAt: number; bucket: number }

/** Where executions are kept. Every write is one document and one condition; nothing here needs a transaction. */
export interface Executions extends Records<Execution> {
  loadMany(ids: string[]): Promise<Execution[]>
  /** What was begun here a moment ago, as it was begun, to the first who asks: most often nobody has seen it since. */
  begun(id: string): Execution | null
  /** What became due later than `after` and by `now`, oldest first. */
  due(now: number, after: number, limit: number): Promise<Due[]>
  /** The executions of a lane whose money is still in the account, blacklisted ones included. */
  unspentIn(lane: string): Promise<Reserved[]>
  /** What ended in a lane with its money in the account, taken along by none so far as is noted. */
  residueIn(lane: string): Promise<Residue[]>
  /** Those that wait for a lane, the longest waiting first. */
  waitingForLane(lane: string, limit: number): Promise<Due[]>
  /** Deposits of an account that wait for an intent, oldest first. */
  waitingForIntent(account: Address): Promise<Due[]>
  /** Executions of an account whose order a bridge of a chain may have taken and not delivered, or sent back. */
  sentFrom(account: Address, chainId: ChainId): Promise<Execution[]>
  /** What is stored of executions that hold a place in a month's quota; what is not there is left out. */
  carriers(ids: readonly string[]): Promise<Carrier[]>
  /** How many executions carry a quota key. Counted in the database, all of them: not for every deposit. */
  countQuota(quotaKey: string, except?: readonly string[]): Promise<number>
  /** The whole of a lane, ended ones included. Null when it is too much to be read at once, and changes meanwhile. */
  bookOf(lane: string, block: number): Promise<LaneBook | null>
}

/** One transfer on a destination chain, named by its place there, and the only execution whose delivery it is. */
export type DeliveryClaim = { id: string; version: number; executionId: string }

/** Who comes first has it, for good. */
export type Deliveries = Records<DeliveryClaim>
