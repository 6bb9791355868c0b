import type { PauseScope } from '../domain/tenant/pause-scope'
import type { Records } from './records'

/** Deposits are found and wait; nothing new is signed; what is signed finishes. Never deleted: `resumedAt` ends it. */
export type Pause = {
  /** The scope. */
  id: PauseScope
  version: number
  reason: string
  /** When it ends by itself; null: when somebody ends it. */
  until: number | null
  by: string
  createdAt: number
  updatedAt: number
  resumedAt: number | null
}

export interface PauseEntries extends Records<Pause> {
  /** Every pause, ended ones too, that was written at or after a time. 0: all. */
  changedSince(time: number): Promise<Pause[]>
}

/** Read from memory: it is kept within a second of what is stored. */
export interface Pauses {
  /** The first of the scopes that is paused now. */
  find(scopes: readonly PauseScope[]): Pause | null
}
