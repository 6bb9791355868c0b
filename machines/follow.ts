import { type AnyActorScope, createActor } from 'xstate'
import type { Execution } from '../src/domain/execution/execution'
import { isStatus, isTerminal } from '../src/domain/execution/status'
import { type ExecutionEvent, executionMachine, type State, type StepName } from './execution'

type Seen = Pick<Execution, 'state' | 'facts'>

/** A state of another version: with an order the chain is asked what became of it, without one all is asked anew. */
const known = ({ state, facts }: Seen): State =>
  (state in executionMachine.states ? state : facts.order ? 'RUNNING' : 'matching intent') as State

/** What is done next, or null where nothing is left to do. */
export const stepOf = (seen: Seen): StepName | null => executionMachine.states[known(seen)]?.meta?.step ?? null

/** A public state is stored before its step runs, so nothing happens that the record does not foresee. */
export const isPublic = (state: string): boolean => isStatus(state)

const historyMax = 200

const actor = createActor(executionMachine, { input: {} as Execution })
/** XState's own `transition` makes one for every call, most of its cost. The machine only assigns: one serves all. */
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

/** The record with one more entry in its history. */
export function noted(record: Execution, entry: Omit<Execution['history'][number], 'seq'>): Execution {
  const seq = record.seq + 1
  return { ...record, seq, history: [...record.history, { seq, ...entry }].slice(-historyMax) }
}

/** The record after an event. An event that its state does not know changes nothing. */
export function follow(record: Execution, event: ExecutionEvent): Execution {
  if (isTerminal(record.state)) return record // XState would let a restored final state follow the root's transitions
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
  if (isQuiet) return moved // asked again for the same reason: said once
  const note = 'failure' in event ? event.failure.message : null
  return noted(moved, { at: event.at, event: event.type, from: record.state, to: state, status: moved.status, note })
}
