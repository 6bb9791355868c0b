import { withHistoryEntry } from '../../../machines/execution'
import type { Execution } from '../../domain/execution/execution'
import { isToBeMinted } from '../../domain/execution/mint'
import { OperationRefused, type OperationRequest } from '../../domain/execution/operation'
import { assureSettled, changeRecord, loadFor, noteOperation, type OperationPorts, type SeenUntil } from './ports'

const retryEvent = 'retry asked'

/**
 * Makes the next attempt now; it counts as a retry. An execution shows FAILED until the transaction of its next attempt
 * is under way. If it waits during that time, it polls now. An execution whose money is burned but not minted also
 * polls now, which is no retry. All others are refused.
 */
export const retryNow =
  (ports: OperationPorts) =>
  async (id: string, operationRequest: OperationRequest, seen: SeenUntil = {}): Promise<Execution> => {
    const { executions, wakes, now } = ports
    const record = await loadFor(executions, id, operationRequest)
    assureRetryable(record, seen)
    await noteOperation(ports, 'execution.retry', record, operationRequest)
    const stored = await changeRecord(ports, record, (latest) => {
      assureRetryable(latest, seen)
      const at = now()
      if (latest.state !== 'FAILED' && latest.dueAt !== null && latest.dueAt <= at) return latest
      const { state, status } = latest
      const entry = { at, event: retryEvent, from: state, to: state, status, note: operationRequest.reason }
      return withHistoryEntry({ ...latest, dueAt: at }, entry)
    })
    await wakes.wakeNow(stored).catch(() => {}) // the sweeper also wakes it, because it is due
    return stored
  }

function assureRetryable(record: Execution, seen: SeenUntil): void {
  const { state, status, history } = record
  const isRetried = history.some(({ event, at }) => event === retryEvent && at > (seen.storedTo ?? at))
  if (isRetried) throw new OperationRefused('CHANGED_MEANWHILE')
  assureSettled(record, seen)
  const isWaiting = status === 'RUNNING' && isToBeMinted(record)
  if (status !== 'FAILED' && !isWaiting) throw new OperationRefused('NOT_RETRYABLE', { status: status ?? state })
}
