import type { PauseScope } from '../domain/tenant/pause-scope'
import type { Records } from './records'

/**
 * A pause. Deposits are still found, and they wait. Nothing new is signed, but signed orders are completed. A pause is
 * never deleted: `resumedAt` ends it.
 */
export type Pause = {
  /** The scope. */
  id: PauseScope
  version: number
  reason: string
  /** When it ends automatically; null if an operator must end it. */
  until: number | null
  by: string
  createdAt: number
  updatedAt: number
  resumedAt: number | null
}

export interface PauseEntries extends Records<Pause> {
  /** Returns every pause, including ended ones, written at or after a time. 0 returns all. */
  changedSince(time: number): Promise<Pause[]>
}

/** One pause of a scope. `to` is null while the pause has no end. */
export type PausePeriod = { scope: PauseScope; from: number; to: number | null }

export interface PausePeriods {
  /** Returns the periods of these scopes, past ones included, that had not ended before a time. */
  since(scopes: readonly PauseScope[], time: number): Promise<PausePeriod[]>
}

/** The pauses in memory, at most a second behind the database. */
export interface Pauses {
  /** Returns the first of the scopes that is paused now. */
  find(scopes: readonly PauseScope[]): Pause | null
}
