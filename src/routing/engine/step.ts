import type { ExecutionEvent, StepName } from '../../../machines/execution'
import type { Execution, Facts, Failure } from '../../domain/execution/execution'
import type { WaitReason } from '../../domain/execution/retry'

/**
 * The result of a step, or the delay until it runs again. `historyEntry` is added to the history during the wait. A
 * step fails by throwing a `RoutingError`, and every step might run twice.
 */
export type StepOutcome = { facts?: Facts } & (
  | { type: Exclude<ExecutionEvent['type'], 'step failed' | 'order failed' | 'abandoned'> }
  | { type: 'order failed'; failure: Failure; isStop?: true }
  | { retryInMs: number; waitingFor: WaitReason; historyEntry?: string }
)

/**
 * Stores facts before a step acts on them. The outcome of the step is added to the stored record. Does not return if
 * another writer changed the record in the meantime: the step ends, and the record is read again.
 */
export type StoreFacts = (facts: Facts) => Promise<void>

export type Step = (execution: Execution, store?: StoreFacts) => Promise<StepOutcome>

export type Steps = Record<StepName, Step>
