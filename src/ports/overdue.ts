import type { ChainId } from '../domain/chain/chain'
import type { OverdueKind } from '../domain/execution/overdue'
import type { Sign, Thing } from '../domain/execution/overdue-sign'
import type { Records } from './records'

/** A few dozen documents at most: one for each thing that there is. */
export interface Signs {
  /** @param okAt null: it is not well now. Of what was never seen well the first look counts as that. */
  note(thing: Thing, at: number, okAt: number | null): Promise<void>
  all(): Promise<Sign[]>
}

/** What the log was told and not yet that it is over; one record for all processes. */
export type Told = { id: string; version: number; at: number; said: Said[] }
export type Said = { id: string; kind: OverdueKind; chainId: ChainId | null; at: number }
export type Tellings = Records<Told>

/** One thing that is overdue, as the operators' page, the log and the metric say it. */
export type Overdue = Thing & {
  /** The same for as long as it lasts. */
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

/** What is overdue now. Null is the platform's operators: every organization's, and what is nobody's. */
export interface OverdueNow {
  /** The longest overdue first. */
  list(organizationId: string | null): Promise<Overdue[]>
  /** What is nobody's alone: chains, relayers, providers, workers. */
  things(): Promise<Overdue[]>
  /** Of all organizations; up to 10,000 executions are counted. */
  counts(): Promise<OverdueCount[]>
}
