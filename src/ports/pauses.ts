import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Records } from './records'

/**
 * What is paused: `all`, `chain:<id>`, `provider:<name>`, `token:<chain>:<address>`, `organization:<id>` or
 * `tenant:<id>`.
 */
export type PauseScope = string

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

/** The pauses in memory, which are at most a second behind the database. */
export interface Pauses {
  /** Returns the first of the scopes that is paused now. */
  find(scopes: readonly PauseScope[]): Pause | null
}

export const pauseScopes = {
  all: 'all',
  chain: (id: ChainId): PauseScope => `chain:${id}`,
  provider: (name: string): PauseScope => `provider:${name}`,
  token: (chainId: ChainId, token: Address): PauseScope => `token:${chainId}:${token}`.toLowerCase(),
  /** By its own people, who end it as well. */
  organization: (id: string): PauseScope => `organization:${id}`,
  /** An organization, by the platform: its own people cannot end that. */
  tenant: (id: string): PauseScope => `tenant:${id}`,
} as const
