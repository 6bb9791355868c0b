import type { ChainId } from '../chain/chain'
import type { Address } from '../chain/hex'

/**
 * Scope of a pause: `all`, `chain:<id>`, `provider:<name>`, `token:<chain>:<address>`, `organization:<id>` or
 * `tenant:<id>`.
 */
export type PauseScope = string

export const pauseScopes = {
  all: 'all',
  chain: (id: ChainId): PauseScope => `chain:${id}`,
  provider: (name: string): PauseScope => `provider:${name}`,
  token: (chainId: ChainId, token: Address): PauseScope => `token:${chainId}:${token}`.toLowerCase(),
  /** An organization, paused by its own members. They can also end the pause. */
  organization: (id: string): PauseScope => `organization:${id}`,
  /** An organization, paused by the platform. Its members cannot end the pause. */
  tenant: (id: string): PauseScope => `tenant:${id}`,
} as const

/** A chain, with the token that a deposit has, or is to have, there. */
type Place = { chainId: ChainId; token: Address }

/**
 * Scopes whose pause holds a deposit. `places` are where its money is and, once an intent names it, where the money is
 * to arrive. A paused provider holds no deposit by itself, because others can replace it.
 */
export const holdingScopes = (organizationId: string, places: readonly Place[]): PauseScope[] => [
  pauseScopes.all,
  pauseScopes.organization(organizationId),
  pauseScopes.tenant(organizationId),
  ...places.flatMap(({ chainId, token }) => [pauseScopes.chain(chainId), pauseScopes.token(chainId, token)]),
]

/** Messages for a paused chain or token. */
export const pausedMessages = {
  chain: 'Routing on this chain is paused. Deposits are safe and wait.',
  token: 'Routing of this token is paused. Deposits are safe and wait.',
} as const
