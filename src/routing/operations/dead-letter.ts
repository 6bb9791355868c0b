import { follow } from '../../../machines/execution'
import { escalatedAt } from '../../domain/execution/deadline'
import { type Execution, isLive } from '../../domain/execution/execution'
import { isToBeMinted } from '../../domain/execution/mint'
import { OperationRefused, type OperationRequest } from '../../domain/execution/operation'
import { wakeBehind } from '../engine/wake-ups'
import { assureSeen, changeRecord, loadFor, noteOperation, type OperationPorts, type SeenExecution } from './ports'

/**
 * Ends a waiting execution: from FAILED, from intake, or from RUNNING once it is overdue. It never ends an execution
 * while a signed order may still move its money, or while its money is burned but not minted. A retry carries such an
 * execution on. An execution that moved on after the author saw it is left alone.
 */
export const deadLetter =
  (ports: OperationPorts) =>
  async (id: string, operationRequest: OperationRequest, seen: SeenExecution = {}): Promise<Execution> => {
    const { executions, now } = ports
    const record = await loadFor(executions, id, operationRequest)
    assureEndable(record, now())
    assureSeen(record, seen)
    await noteOperation(ports, 'execution.dead-letter', record, operationRequest)
    const ended = await changeRecord(ports, record, (latest) => {
      assureEndable(latest, now())
      assureSeen(latest, seen)
      const message = `An operator ended it: ${operationRequest.reason}`
      const failure = { code: 'ABANDONED', category: null, message } as const
      return follow(latest, { type: 'abandoned', at: now(), failure })
    })
    await wakeBehind(ended, ports).catch(() => {}) // the sweeper also wakes them once they are due
    return ended
  }

function assureEndable(record: Execution, at: number): void {
  const { completedAt, facts, state } = record
  if (completedAt !== null) throw new OperationRefused('ALREADY_ENDED')
  const inFlight = (time: number) =>
    new OperationRefused('TRANSACTION_IN_FLIGHT', { time: new Date(time).toISOString() })
  if (isLive(record)) throw inFlight(facts.order!.deadline * 1_000)
  if (isToBeMinted(record)) throw new OperationRefused('TRANSACTION_IN_FLIGHT', { isBurned: true })
  const overdueAt = state === 'RUNNING' ? escalatedAt(record) : null
  if (overdueAt !== null && at < overdueAt) throw inFlight(overdueAt)
}
