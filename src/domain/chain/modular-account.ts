import type { ChainId } from './chain'
import type { Address, Hash } from './hex'

/** A user's deposit account. Salt and address are stored with it and never computed anew (decision 3). */
export type Account = {
  /** The address, checksummed. */
  id: Address
  version: number
  organizationId: string
  userId: string
  accountSalt: Hash
  canonicalChainId: ChainId
  label: string | null
  createdAt: number
  updatedAt: number
}
