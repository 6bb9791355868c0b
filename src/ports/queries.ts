import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { DepositStage } from '../domain/deposit/deposit-stage'
import type { HashPart } from '../domain/deposit/hash-part'
import type { MovedSighting } from '../domain/deposit/sighting'
import type { UnsupportedDeposit } from '../domain/deposit/unsupported'
import type { ErrorCode } from '../domain/error'
import type { Execution } from '../domain/execution/execution'
import type { Status } from '../domain/execution/status'
import type { ChainHead, LinkedEntry, ListedEntry } from '../domain/tenant/audit-chain'
import type { AuditName } from '../domain/tenant/audit-pseudonyms'
import type { OverdueCount } from './observing'
import type { Page, TenantScope } from './records'

/** All conditions must hold (extensions 4.2). `createdFrom` is inclusive and `createdTo` exclusive. */
export type ExecutionFilter = TenantScope & {
  userId?: string | undefined
  /** Any of its transactions: deposit, source (including those replaced), or destination. */
  txHash?: Hash | undefined
  /** The beginning and end of the hash of any of its transactions. */
  hashPart?: HashPart | undefined
  depositAddress?: Address | undefined
  /** The recipient that its intent names. */
  targetAddress?: Address | undefined
  routeId?: Hash | undefined
  /** Also finds re-drives. */
  depositId?: string | undefined
  status?: readonly Status[] | undefined
  fromChainId?: ChainId | undefined
  toChainId?: ChainId | undefined
  fromTokenAddress?: Address | undefined
  /** The symbol of the deposited token, as its deposit has it. */
  fromTokenSymbol?: string | undefined
  /** Any of these deposited amounts, in atomic units. */
  amountsRaw?: readonly string[] | undefined
  provider?: string | undefined
  causeCode?: ErrorCode | undefined
  apiKeyId?: string | undefined
  /** Whether another record has taken over its money. */
  superseded?: boolean | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
  /** Executions that ended at this time or later. */
  completedFrom?: number | undefined
  /** Executions that neither failed nor ended after this time. */
  settledTo?: number | undefined
}

/**
 * The executions of one state and status.
 *
 * - `superseded`: the number whose money another record has taken over.
 * - `unlisted`: the re-drives and returned deposits among those not shown yet. They are not open deposits.
 * - `forProvider`: those held up only by a routing provider, see `waitsForProvider`.
 * - `oldestAt`: when the oldest deposit was detected.
 * - `enteredAt`: start of the longest stay in the state. Null if unknown, and for ended executions.
 * - `overdue`: the number past its deadline, see `deadlineOf`.
 * - `endedLastDay`: the number that ended within the last 24 hours.
 */
export type StateCount = {
  state: string
  status: Status | null
  count: number
  superseded: number
  unlisted: number
  forProvider: number
  oldestAt: number
  enteredAt: number | null
  overdue: number
  endedLastDay: number
}

/** Reads for people and external programs. Code that moves money does not use them. */
export interface ExecutionQueries {
  /** Returns the executions that are shown (those with a `createdAt`), newest first. */
  list(filter: ExecutionFilter, page: Page): Promise<Execution[]>
  /**
   * Returns null for another organization's execution, as for a missing one. An execution that is not shown yet is
   * returned.
   */
  find(tenant: TenantScope, id: string): Promise<Execution | null>
  /** Returns the executions of every organization, in no particular order. Missing ids are left out. */
  findAll(ids: readonly string[]): Promise<Execution[]>
  /** Counts what `list` would return, up to `most`. */
  count(filter: ExecutionFilter, most: number): Promise<number>
  /**
   * Counts every record by its state, including those not shown yet. For ended ones, the age is of the oldest that is
   * shown.
   */
  countByState(tenant: TenantScope, now: number): Promise<StateCount[]>
  /**
   * Returns unfinished executions in a state of the machine, including those not shown yet, the oldest detected first.
   */
  inState(tenant: TenantScope, state: string, limit: number): Promise<Execution[]>
  /** Returns executions that are overdue at `now`, the longest overdue first, including those not shown yet. */
  overdue(tenant: TenantScope, now: number, limit: number): Promise<Execution[]>
  /** Counts the overdue executions of every organization, reading up to `most`. */
  countOverdue(now: number, most: number): Promise<OverdueCount[]>
  /** Counts the shown executions by status. */
  countByStatus(tenant: TenantScope): Promise<Partial<Record<Status, number>>>
}

/** All conditions must hold (extensions 3.2). */
export type DepositFilter = TenantScope & {
  userId?: string | undefined
  stage?: readonly DepositStage[] | undefined
  /** The funding transaction. */
  txHash?: Hash | undefined
  /** Part of a hash of any of its transactions. */
  hashPart?: HashPart | undefined
  depositAddress?: Address | undefined
  /** The address that sent it, or might have sent it. */
  fromAddress?: Address | undefined
  /** A recipient of the account, by its current or a former intent. */
  targetAddress?: Address | undefined
  fromChainId?: ChainId | undefined
  fromTokenAddress?: Address | undefined
  /** Any of these amounts, in atomic units. */
  amountsRaw?: readonly string[] | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

/** A deposit that is shown but not routed. */
export type UnroutedDeposit = MovedSighting | UnsupportedDeposit

/**
 * A deposit as currently known: unconfirmed or confirmed. `execution` is the deposit's first one and never a re-drive;
 * `newest` is its last re-drive, or `execution` itself. Its position in a list is (`detectedAt`, id).
 */
export type DepositRecord =
  | { id: string; detectedAt: number; stage: DepositStage; sighting: UnroutedDeposit; execution: null; newest: null }
  | { id: string; detectedAt: number; stage: DepositStage; sighting: null; execution: Execution; newest: Execution }

export interface DepositQueries {
  list(filter: DepositFilter, page: Page): Promise<DepositRecord[]>
  find(tenant: TenantScope, id: string): Promise<DepositRecord | null>
}

type AuditFilter = TenantScope & {
  verb?: string | undefined
  target?: string | undefined
  actorId?: string | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

export interface AuditQueries {
  /** Returns entries newest first. An entry's position is (`at`, `placeOf(entry)`). */
  list(filter: AuditFilter, page: Page): Promise<ListedEntry[]>
  /** Returns the pseudonyms in an organization's entries, with the names that are still stored. */
  names(organizationId: string): Promise<AuditName[]>
  /** Returns the end of an organization's chain. */
  head(organizationId: string): Promise<ChainHead>
  /**
   * Returns the entries after a position in the chain, in its order and as they are hashed: with pseudonyms for names.
   */
  chain(organizationId: string, after: number, limit: number): Promise<LinkedEntry[]>
  /** Whether every entry is part of a chain. Entries of a previous release are not until `migrate` has run. */
  isWhole(organizationId: string | null): Promise<boolean>
  /** Returns the next organization after this one, by id, that has a chain. */
  nextChain(after: string): Promise<string | null>
}
