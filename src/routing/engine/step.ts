import type { ExecutionEvent, StepName } from '../../../machines/execution'
import type { Execution, Facts, Failure } from '../../domain/execution/execution'
import type { WaitReason } from '../../domain/execution/retry'

/**
 * The result of a step, or the delay until it runs again. `historyEntry` is added to the history during the wait. A
 * step fails by throwing a `RoutingError`, and every step might run twice.
 */
export type StepOutcome = { facts?: Facts } & (
  | { type: Exclude<ExecutionEvent['type'], 'step failed' | 'order failed' | 'abandoned'> }
  | { type: 'order failed'; failure: Failure }
  | { askAgainInMs: number; waitingFor: WaitReason; historyEntry?: string }
)

export type Step = (execution: Execution) => Promise<StepOutcome>

export type Steps = Record<StepName, Step>
