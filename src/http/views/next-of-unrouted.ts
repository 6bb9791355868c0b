import type { UnsupportedDeposit } from '../../domain/deposit/unsupported-deposit'
import { confirmedAtBest, confirmingDeadline } from '../../domain/execution/deadline'
import { overdueRow } from '../../domain/execution/overdue'
import type { UnroutedDeposit } from '../../ports/queries'
import { type NextView, next } from './next'

const dropped =
  'The chain dropped the block of this transfer, and no other block contained its transaction at the last check. If it ' +
  'is mined again, it is shown as a deposit. Until then the sender has the money.'
const moved = (id: string): string =>
  `The chain dropped the block of this transfer and mined its transaction in another block: it is now deposit ${id}.`

/** Returns who acts next on a transfer that is not routed yet (extensions 4.3). */
export function nextOfUnrouted(seen: UnroutedDeposit, confirmations: number, now: number): NextView {
  if (seen.stage === 'UNSUPPORTED') return nextUnsupported(seen)
  const { stage, detectedAt, chainId } = seen
  if (stage === 'ORPHANED' && seen.movedTo)
    return next('NOBODY', 'FOLLOW', moved(seen.movedTo), { executionId: seen.movedTo })
  if (stage === 'ORPHANED') return next('NOBODY', 'NONE', dropped)
  const { kind, by } = confirmingDeadline(chainId, detectedAt, confirmations)
  const { actor, action, message } = overdueRow(kind)
  if (now > by) return next(actor, action, message)
  return next('SERVICE', 'CONFIRM', 'The transfer has been seen and is routed after the chain has confirmed it.', {
    expectedAt: confirmedAtBest(chainId, detectedAt, confirmations),
    by,
  })
}

const onNoList =
  'No routing provider prices this token and it is unlisted, so it is not routed. Most such tokens are unsolicited. If ' +
  'this one was intended, request a rescan: it is then routed like any other deposit.'

/** Returns the possible actions for an unrequested token (decision 43). */
function nextUnsupported({ count, others, isWanted, successorId, txHash }: UnsupportedDeposit): NextView {
  if (successorId !== null) {
    const message = `The money is routed as deposit ${successorId}.`
    return next('NOBODY', 'FOLLOW', message, { executionId: successorId })
  }
  if (isWanted)
    return next('SERVICE', 'CONFIRM', 'It is routed after the chain has confirmed it and its balance is measured.')
  if (others !== null) {
    const message =
      `${others} further unlisted tokens have arrived here, in ${count} transfers. To route one, search for its contract ` +
      'address.'
    return next('INTEGRATOR', 'NONE', message)
  }
  if (txHash === null)
    return next('INTEGRATOR', 'RESCAN', `${onNoList} It arrived among many others: the rescan measures its amount.`)
  const merged = count > 1 ? ` Its ${count} transfers are shown as one.` : ''
  return next('INTEGRATOR', 'RESCAN', `${onNoList}${merged}`)
}
