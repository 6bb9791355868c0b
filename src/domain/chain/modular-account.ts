import type { ChainId } from './chain'
import type { Address, Hash } from './hex'

/** A user's deposit account. Its salt and address are stored when it is made and never computed again (decision 3). */
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
