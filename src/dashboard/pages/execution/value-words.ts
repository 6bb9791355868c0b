import type { ExecutionDetail } from '../../data/types'
import { exactUsd } from '../statement/statement-figures'

type Valued = Pick<ExecutionDetail, 'protocolFee' | 'volumeUsd' | 'deliveredUsd' | 'destinationTxHash' | 'completedAt'>

/** The value of what left and of what arrived, each at its own time. It is never looked up later. */
export function valueWords({ protocolFee, volumeUsd, deliveredUsd, destinationTxHash, completedAt }: Valued): string {
  // The fees are collected with the departure.
  if (protocolFee === null) return 'stored when the money leaves'
  const left = `${exactUsd(volumeUsd)} when it left`
  return destinationTxHash === null || completedAt === null
    ? left
    : `${left}, ${exactUsd(deliveredUsd)} when it arrived`
}
