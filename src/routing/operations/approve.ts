import { withHistoryEntry } from '../../../machines/execution'
import type { Execution } from '../../domain/execution/execution'
import { OperationRefused, type OperationRequest } from '../../domain/execution/operation'
import { approvedOutMinOf } from '../../domain/money/worth'
import { sealedApproval } from '../../domain/seals'
import { assureSeen, changeRecord, loadFor, noteOperation, type OperationPorts, type SeenExecution } from './ports'

/**
 * Approves a minimum output for this execution while no price source values it. The approval replaces the missing
 * price, overrules no existing price, and takes effect immediately. Repeating the same amount changes nothing. A retry
 * can include more money, so an approval of an earlier state is refused.
 */
export const approve =
  (ports: OperationPorts) =>
  async (
    id: string,
    amountOutMin: bigint,
    operationRequest: OperationRequest,
    seen: SeenExecution = {},
  ): Promise<Execution> => {
    const { executions, wakes, now } = ports
    const record = await loadFor(executions, id, operationRequest)
    if (isApproved(record, amountOutMin)) return record
    assureWaiting(record, seen)
    await noteOperation(ports, 'execution.approve', record, operationRequest, { amountOutMin: String(amountOutMin) })
    const stored = await changeRecord(ports, record, (latest) => {
      if (isApproved(latest, amountOutMin)) return latest
      assureWaiting(latest, seen)
      const { state, status, facts } = latest
      const at = now()
      const { totalReceivedRaw } = facts.balance!
      const approval = { amountOutMin: String(amountOutMin), totalReceivedRaw, at }
      const worthApproval = sealedApproval(ports.seals, id, approval)
      const entry = { at, event: 'worth approved', from: state, to: state, status, note: operationRequest.reason }
      return withHistoryEntry({ ...latest, dueAt: at, facts: { ...facts, worthApproval } }, entry)
    })
    await wakes.wakeNow(stored).catch(() => {}) // the sweeper also wakes it, because it is due
    return stored
  }

const isApproved = ({ facts }: Execution, amountOutMin: bigint): boolean => approvedOutMinOf(facts) === amountOutMin

function assureWaiting(record: Execution, seen: SeenExecution): void {
  const { completedAt, facts } = record
  if (completedAt !== null || facts.waiting?.for !== 'WORTH' || !facts.balance)
    throw new OperationRefused('NOTHING_TO_APPROVE')
  assureSeen(record, seen)
}
