import type { ChainId } from '../domain/chain/chain'
import type { Address, Hash } from '../domain/chain/hex'
import type { DepositStage } from '../domain/deposit/deposit-stage'
import type { Sighting } from '../domain/deposit/sighting'
import type { UnsupportedSeen } from '../domain/deposit/unsupported-seen'
import type { ErrorCode } from '../domain/error'
import type { Execution } from '../domain/execution/execution'
import type { Status } from '../domain/execution/status'
import type { OverdueCount } from './overdue'
import type { Page, Tenant } from './page'
import type { AuditEntry } from './tenants'

/** All of them must hold (extensions 4.2). Times: `createdFrom` inclusive, `createdTo` exclusive. */
export type ExecutionFilter = Tenant & {
  userId?: string | undefined
  /** Any transaction of it: deposit, source, replaced ones too, destination. */
  txHash?: Hash | undefined
  depositAddress?: Address | undefined
  /** Who its intent said is to receive it. */
  targetAddress?: Address | undefined
  routeId?: Hash | undefined
  /** Finds re-drives too. */
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

/** How far an execution has come: `seq` is that of its last history entry. */
export type Move = Pick<Execution, 'id' | 'organizationId' | 'seq'>

/** What is read for people and programs outside. Nothing that moves money asks here. */
export interface ExecutionQueries {
  /** Those that are shown: `createdAt` is set. Newest first. */
  list(filter: ExecutionFilter, page: Page): Promise<Execution[]>
  /** Null for another organization's, as for one that does not exist; one that is not shown yet is found. */
  find(tenant: Tenant, id: string): Promise<Execution | null>
  /**
   * Whole records that have a history entry whose place in the feed, or time, is `from` or later and before `to`: the
   * source of events. In no order; where `after` is said, by id, those behind that id.
   */
  movedBetween(
    tenant: Tenant & { userId?: string | undefined },
    from: number,
    to: number,
    limit: number,
    after?: string,
  ): Promise<Execution[]>
  /** Which these are, of every organization, by id, those behind `after`: for whoever looks again and again. */
  movesBetween(from: number, to: number, after: string, limit: number): Promise<Move[]>
  /** Of every organization, in no order; what does not exist is left out. */
  findAll(ids: readonly string[]): Promise<Execution[]>
  /** How many `list` would give; `most` when there are as many or more. */
  count(filter: ExecutionFilter, most: number): Promise<number>
  /** Every record, not yet shown ones as well, by what it is doing; of what has ended, the age of the first shown. */
  countByState(tenant: Tenant): Promise<StateCount[]>
  /** Unfinished ones in a state of the machine, not yet shown ones as well: those detected last, newest first. */
  inState(tenant: Tenant, state: string, limit: number): Promise<Execution[]>
  /** Those that should have moved by then, the longest overdue first: not yet shown ones as well. */
  overdue(tenant: Tenant, now: number, limit: number): Promise<Execution[]>
  /** How many these are, of every organization: `most` are looked at. */
  countOverdue(now: number, most: number): Promise<OverdueCount[]>
  /** How many there are, shown ones, by status. */
  countByStatus(tenant: Tenant): Promise<Partial<Record<Status, number>>>
}

/** All of them must hold (extensions 3.2). */
export type DepositFilter = Tenant & {
  userId?: string | undefined
  stage?: readonly DepositStage[] | undefined
  /** The funding transaction. */
  txHash?: Hash | undefined
  depositAddress?: Address | undefined
  /** Who sent it, or may have. */
  fromAddress?: Address | undefined
  /** Who receives what arrives at its account, by an intent of now or before. */
  targetAddress?: Address | undefined
  fromChainId?: ChainId | undefined
  fromTokenAddress?: Address | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

/** What is shown and not routed. */
export type Seen = Sighting | UnsupportedSeen
/**
 * A deposit as far as it is known: only seen, or confirmed. `execution` is the deposit's first one (never a re-drive;
 * `newest` is the last of its re-drives, or itself). Its place in a list is (`detectedAt`, id).
 */
export type DepositFound =
  | { id: string; detectedAt: number; stage: DepositStage; sighting: Seen; execution: null; newest: null }
  | { id: string; detectedAt: number; stage: DepositStage; sighting: null; execution: Execution; newest: Execution }

export interface DepositQueries {
  list(filter: DepositFilter, page: Page): Promise<DepositFound[]>
  find(tenant: Tenant, id: string): Promise<DepositFound | null>
}

type AuditFilter = Tenant & {
  verb?: string | undefined
  target?: string | undefined
  actorId?: string | undefined
  createdFrom?: number | undefined
  createdTo?: number | undefined
}

export interface AuditQueries {
  /** Newest first; an entry's place is (`at`, id). */
  list(filter: AuditFilter, page: Page): Promise<AuditEntry[]>
}
