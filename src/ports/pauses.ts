import type { PauseScope } from '../domain/tenant/pause-scope'
import type { Records } from './records'

/**
 * A pause. Deposits are still found, and they wait. Nothing new is signed, and what is signed is finished. A pause is
 * never deleted: `resumedAt` ends it.
 */
export type Pause = {
  /** The scope. */
  id: PauseScope
  version: number
  reason: string
  /** When it ends by itself; null when somebody has to end it. */
  until: number | null
  by: string
  createdAt: number
  updatedAt: number
  resumedAt: number | null
}

export interface PauseEntries extends Records<Pause> {
  /** Returns every pause, including ended ones, that was written at or after a time. 0 returns all. */
  changedSince(time: number): Promise<Pause[]>
}

/** From when to when a scope was paused; `to` is null where nobody and nothing has ended that yet. */
export type PausePeriod = { scope: PauseScope; from: number; to: number | null }

export interface PausePeriods {
  /** The periods of these scopes that had not ended before a time, past ones too. */
  since(scopes: readonly PauseScope[], time: number): Promise<PausePeriod[]>
}

/** The pauses in memory, which are at most a second behind the database. */
export interface Pauses {
  /** Returns the first of the scopes that is paused now. */
  find(scopes: readonly PauseScope[]): Pause | null
}
