import type { ChainId } from '../domain/chain/chain'
import type { Component, Observation, OverdueKind } from '../domain/execution/overdue'
import type { Records } from './records'

/** Stores observations, one for each component. There are a few dozen at most. */
export interface Observations {
  /**
   * @param okAt Null when it is not well now. For something that was never seen well, the first look counts as that.
   * @param balanceRaw What a relayer holds, in wei.
   */
  note(component: Component, at: number, okAt: number | null, balanceRaw?: bigint): Promise<void>
  all(): Promise<Observation[]>
}

/** What was written to the log as overdue and not yet as over. All processes share one record. */
export type OverdueReport = { id: string; version: number; at: number; said: ReportedOverdue[] }
export type ReportedOverdue = { id: string; kind: OverdueKind; chainId: ChainId | null; at: number }
export type OverdueReports = Records<OverdueReport>

/** One thing that is overdue, as the operators' page, the log and the metric show it. */
export type Overdue = Component & {
  /** The id stays the same for as long as it lasts. */
  id: string
  since: number
  /** When it should have moved. */
  by: number
  depositId: string | null
  executionId: string | null
  organizationId: string | null
  message: string
  advice: string
}

export type OverdueCount = { kind: OverdueKind; chainId: ChainId | null; count: number }

/**
 * What is overdue now. Null stands for the platform's operators, who see every organization and what belongs to none.
 */
export interface OverdueNow {
  /** Returns the longest overdue first. */
  list(organizationId: string | null): Promise<Overdue[]>
  /** Returns what belongs to no single organization: chains, relayers, providers and workers. */
  components(): Promise<Overdue[]>
  /** Counts what is overdue in all organizations, looking at up to 10,000 executions. */
  counts(): Promise<OverdueCount[]>
}
