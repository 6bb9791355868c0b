import type { ChainId } from '../domain/chain/chain'
import type { Address } from '../domain/chain/hex'
import type { Records } from './records'

/** `all`, `chain:<id>`, `provider:<name>`, `token:<chain>:<address>`, `organization:<id>`, `tenant:<id>`. */
export type PauseScope = string

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
