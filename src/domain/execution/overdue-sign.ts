import type { ChainId } from '../chain/chain'
import type { OverdueKind } from './overdue'

/** Something that belongs to no single organization, and the provider, relayer or chain that it concerns. */
export type Thing = {
  kind: OverdueKind
  chainId: ChainId | null
  provider: string | null
  /** What else identifies it, such as a relayer's address. */
  subject: string | null
}

/**
 * What a process noted about a thing, for all processes. `okAt` is when it was last well, and `at` when it was last
 * looked at, both in milliseconds since 1970.
 */
export type Sign = Thing & { id: string; okAt: number; at: number }

export const signId = ({ kind, chainId, provider, subject }: Thing): string =>
  [kind, chainId, provider, subject].filter((part) => part !== null).join(':')
