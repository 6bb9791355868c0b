import type { RescanRequest } from '../../../http/routes/rescan'
import type { DepositRow } from '../../data/types'

export type Rescannable = Pick<DepositRow, 'id' | 'stage' | 'next' | 'fromChainId' | 'depositTxHash'>

/** Returns the rescan that helps a deposit: of an unlisted token, or of a transfer whose confirmation is late. */
export function rescanOf({
  id,
  stage,
  next,
  fromChainId,
  depositTxHash: txHash,
}: Rescannable): typeof RescanRequest.infer | null {
  if (next.action === 'RESCAN') return { depositId: id }
  const isLate = stage === 'CONFIRMING' && next.actor === 'OPERATOR'
  return isLate && txHash !== null ? { fromChainId, txHash } : null
}
