import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { DepositStage } from '../domain/deposit/deposit-stage'
import type { SightingSeen } from '../domain/deposit/sighting'
import type { UnsupportedSeen } from '../domain/deposit/unsupported-seen'
import type { ErrorCode } from '../domain/error'
import type { Execution } from '../domain/execution/execution'
import type { Status } from '../domain/execution/status'
import type { ChainHead, LinkedEntry, ListedEntry } from '../domain/tenant/audit-chain'
import type { AuditName } from '../domain/tenant/audit-stands'
import type { OverdueCount } from './overdue'
import type { Page, TenantScope } from './page'

/** All conditions must hold (extensions 4.2). `createdFrom` is inclusive and `createdTo` exclusive. */
export type ExecutionFilter = TenantScope & {
  userId?: string | undefined
  /** Any of its transactions: deposit, source (including those replaced), or destination. */
  txHash?: Hash | undefined
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
  provider?: string | undefined
  causeCode?: ErrorCode | undefined
  apiKeyId?: string | undefined
  /** Whether another record has its money now. */
  superseded?: boolean | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
  /** Those that ended at this time or later. */
  completedFrom?: number | undefined
}

/** `superseded`: of how many another record has the money now. `oldestAt`: when the oldest of them was detected. */
/** `unlisted`: of those that are not shown yet, re-drives and returned deposits, which are among no open deposits. */
/** `forProvider`: what nothing but a routing provider keeps, see `waitsForProvider`. */
export type StateCount = {
  state: string
  status: Status | null
  count: number
  superseded: number
  unlisted: number
  forProvider: number
  oldestAt: number
}

/** How far an execution has come. `seq` is the number of its last history entry. */
type Move = Pick<Execution, 'id' | 'organizationId' | 'seq'>

/** Reads for people and programs outside. Nothing that moves money asks here. */
export interface ExecutionQueries {
  /** Returns the executions that are shown, which have a `createdAt`, newest first. */
  list(filter: ExecutionFilter, page: Page): Promise<Execution[]>
  /**
   * Returns null for another organization's execution, as for one that does not exist. One that is not shown yet is
   * found.
   */
  find(tenant: TenantScope, id: string): Promise<Execution | null>
  /**
   * Returns whole records with a history entry whose place in the feed, or time, is `from` or later and before `to`:
   * the source of events. They come in no order. With `after`, they come by id, beginning behind that id.
   */
  movedBetween(
    tenant: TenantScope & { userId?: string | undefined },
    from: number,
    to: number,
    limit: number,
    after?: string,
  ): Promise<Execution[]>
  /** Returns the same for every organization, by id and beginning behind `after`, as ids and numbers only. */
  movesBetween(from: number, to: number, after: string, limit: number): Promise<Move[]>
  /** Returns the executions of every organization, in no order. Those that do not exist are left out. */
  findAll(ids: readonly string[]): Promise<Execution[]>
  /** Counts what `list` would return, up to `most`. */
  count(filter: ExecutionFilter, most: number): Promise<number>
  /**
   * Counts every record by its state, including those not shown yet. Of those that have ended, the age is of the first
   * shown.
   */
  countByState(tenant: TenantScope): Promise<StateCount[]>
  /**
   * Returns unfinished executions in a state of the machine, including those not shown yet, the latest detected first.
   */
  inState(tenant: TenantScope, state: string, limit: number): Promise<Execution[]>
  /** Returns executions that should have moved by then, the longest overdue first, including those not shown yet. */
  overdue(tenant: TenantScope, now: number, limit: number): Promise<Execution[]>
  /** Counts them for every organization, looking at up to `most`. */
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
  depositAddress?: Address | undefined
  /** Who sent it, or may have sent it. */
  fromAddress?: Address | undefined
  /** Who receives what arrives at its account, by a present or former intent. */
  targetAddress?: Address | undefined
  fromChainId?: ChainId | undefined
  fromTokenAddress?: Address | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

/** A deposit that is shown and not routed. */
export type Seen = SightingSeen | UnsupportedSeen

/**
 * A deposit as far as it is known: only seen, or confirmed. `execution` is the deposit's first one and never a
 * re-drive; `newest` is the last of its re-drives, or itself. Its place in a list is (`detectedAt`, id).
 */
export type DepositFound =
  | { id: string; detectedAt: number; stage: DepositStage; sighting: Seen; execution: null; newest: null }
  | { id: string; detectedAt: number; stage: DepositStage; sighting: null; execution: Execution; newest: Execution }

export interface DepositQueries {
  list(filter: DepositFilter, page: Page): Promise<DepositFound[]>
  find(tenant: TenantScope, id: string): Promise<DepositFound | null>
}

type AuditFilter = TenantScope & {
  verb?: string | undefined
  target?: string | undefined
  actorId?: string | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

export interface AuditQueries {
  /** Returns entries newest first. An entry's place is (`at`, `placeOf` it). */
  list(filter: AuditFilter, page: Page): Promise<ListedEntry[]>
  /** Returns what stands for names in the entries of an organization, with the names that are still known. */
  names(organizationId: string): Promise<AuditName[]>
  /** Returns the end of an organization's chain. */
  head(organizationId: string): Promise<ChainHead>
  /** Returns entries behind a place in the chain, in its order and as they are hashed: other texts stand for names. */
  chain(organizationId: string, after: number, limit: number): Promise<LinkedEntry[]>
  /** Returns whether every entry stands in a chain. Those of an earlier release do not until `migrate` has run. */
  isWhole(organizationId: string | null): Promise<boolean>
  /** Returns the first organization behind this one, by id, that has a chain. */
  nextChain(after: string): Promise<string | null>
}
