import type { ChainId } from '../../domain/chain/chain'
import type { Sighting } from '../../domain/deposit/sighting'
import type { Detector } from '../../domain/execution/execution'
import type { Transfer } from '../../ports/chain-client'
import type { Holder } from './address-map'

/** Makes the sighting of a transfer that nobody has seen before. */
export const newSighting = (
  id: string,
  chainId: ChainId,
  { token, from, txHash, logIndex, block, blockHash, amountRaw }: Transfer,
  { id: account, organizationId, userId }: Holder,
  detector: Detector,
  at: number,
): Sighting => ({
  id,
  version: 0,
  organizationId,
  userId,
  account,
  chainId,
  token,
  amountRaw: String(amountRaw),
  fromAddress: from,
  txHash,
  logIndex,
  block,
  blockHash,
  detectedBy: [detector],
  detectedAt: at,
  stage: 'CONFIRMING',
  updatedAt: at,
})

export const merged = (detectors: readonly Detector[], detector: Detector): Detector[] =>
  detectors.includes(detector) ? [...detectors] : [...detectors, detector]
export const sameAs = ({ detectedBy }: Sighting, detectors: Detector[]): boolean =>
  detectedBy.length === detectors.length
