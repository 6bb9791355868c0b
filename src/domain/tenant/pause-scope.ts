import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/**
 * What is paused: `all`, `chain:<id>`, `provider:<name>`, `token:<chain>:<address>`, `organization:<id>` or
 * `tenant:<id>`.
 */
export type PauseScope = string

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
