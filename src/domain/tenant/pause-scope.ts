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
  /** An organization, by its own people, who can also end it. */
  organization: (id: string): PauseScope => `organization:${id}`,
  /** An organization, by the platform. Its own people cannot end it. */
  tenant: (id: string): PauseScope => `tenant:${id}`,
} as const

/** What is said of a chain or a token that is paused. */
export const pausedMessages = {
  chain: 'Routing on this chain is paused: deposits are kept safe and wait.',
  token: 'Routing of this token is paused: deposits are kept safe and wait.',
} as const
