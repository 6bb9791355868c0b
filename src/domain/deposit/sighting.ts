import type { ChainId } from '../chain/chain'
import type { Address, Hash } from '../chain/hex'
import type { Detector } from '../execution/execution'

/**
 * A transfer to one of our accounts that was seen on a chain and is not confirmed yet. It is shown and not routed. Once
 * it is confirmed, the execution's record begins under the same id.
 */
export type Sighting = {
  id: string
  version: number
  organizationId: string
  userId: string
  account: Address
  chainId: ChainId
  token: Address
  amountRaw: string
  fromAddress: Address | null
  txHash: Hash
  logIndex: number
  block: number
  blockHash: Hash
  detectedBy: Detector[]
  detectedAt: number
  stage: 'CONFIRMING' | 'CONFIRMED' | 'ORPHANED'
  updatedAt: number
}
