import { type AnyActorScope, createActor } from 'xstate'
import type { Execution } from '../src/domain/execution/execution'
import { isStatus, isTerminal } from '../src/domain/execution/status'
import { type ExecutionEvent, executionMachine, type State, type StepName } from './execution'

type Seen = Pick<Execution, 'state' | 'facts'>

/**
 * Maps a state that this version of the machine does not know to one that it does. With an order, the chain has to be
 * asked what became of it; without one, the execution begins again.
 */
const known = ({ state, facts }: Seen): State =>
  (state in executionMachine.states ? state : facts.order ? 'RUNNING' : 'matching intent') as State

/** The step that runs next, or null when nothing is left to do. */
export const stepOf = (seen: Seen): StepName | null => executionMachine.states[known(seen)]?.meta?.step ?? null

/**
 * Whether the state is shown to integrators. A public state is stored before its step runs, so that nothing happens
 * that the record does not announce.
 */
export const isPublic = (state: string): boolean => isStatus(state)

const historyMax = 200

const actor = createActor(executionMachine, { input: {} as Execution })
/**
 * XState's own `transition` creates a scope for every call, which is most of its cost. This machine only assigns
 * context, so all calls can share one scope.
 */
const scope: AnyActorScope = {
  self: actor,
  system: actor.system,
  logger: () => {},
  id: '',
  sessionId: '',
  defer: () => {},
  stopChild: () => {},
  emit: () => {},
  actionExecutor: () => {},
}

const snapshots = new Map<State, ReturnType<typeof executionMachine.resolveState>>()

function snapshotOf(record: Execution) {
  const state = known(record)
  const resolved = snapshots.get(state) ?? executionMachine.resolveState({ value: state, context: {} as Execution })
  snapshots.set(state, resolved)
  return { ...resolved, context: record }
}

/** Returns the record with one more entry in its history. Only the newest 200 entries are kept. */
export function noted(record: Execution, entry: Omit<Execution['history'][number], 'seq'>): Execution {
  const seq = record.seq + 1
  return { ...record, seq, history: [...record.history, { seq, ...entry }].slice(-historyMax) }
}

/** Returns the record after an event. An event that the record's state does not handle changes nothing. */
export function follow(record: Execution, event: ExecutionEvent): Execution {
  // otherwise XState would let a restored final state follow the root's transitions
  if (isTerminal(record.state)) return record
  const before = snapshotOf(record)
  const after = executionMachine.transition(before, event, scope)
  if (after === before) return record
  const { waiting: _, ...facts } = after.context.facts
  const state = String(after.value)
  const moved: Execution = {
    ...after.context,
    state,
    facts,
    machineVersion: executionMachine.version!,
    createdAt: record.createdAt ?? (after.context.status === null ? null : event.at),
  }
  const isQuiet = state === record.state && event.type === 'step failed' && record.cause?.code === moved.cause?.code
  if (isQuiet) return moved // the same failure again is not news, so it gets no entry in the history
  const note = 'failure' in event ? event.failure.message : null
  return noted(moved, { at: event.at, event: event.type, from: record.state, to: state, status: moved.status, note })
}
