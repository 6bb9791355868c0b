import type { ChainId } from '../chain/chain'
import type { OverdueKind } from './overdue'

/** Something that is not a tenant's, and by which provider, relayer or chain it is. */
export type Thing = {
  kind: OverdueKind
  chainId: ChainId | null
  provider: string | null
  /** A relayer's address, say. */
  subject: string | null
}

/** What any process saw of a thing, for all of them. `okAt`: when it was last as it should be; `at`: last looked at. */
export type Sign = Thing & { id: string; okAt: number; at: number }

export const signId = ({ kind, chainId, provider, subject }: Thing): string =>
  [kind, chainId, provider, subject].filter((part) => part !== null).join(':')
