import { defer, EMPTY, expand, filter, from, type Observable } from 'rxjs'
import { follow, isPublic, spendsNoRetry, stepOf, withHistoryEntry } from '../../../machines/execution'
import { type ErrorCode, errorRow, RoutingError } from '../../domain/error'
import { waitAfter } from '../../domain/execution/deadline'
import { type Execution, type Facts, type Failure, failureOf } from '../../domain/execution/execution'
import {
  backoffMs,
  holdAfter,
  isOfProvider,
  type Obstacle,
  pausePollMs,
  pollMs,
  providerPollMs,
  type RetryPolicy,
  retryBackoffMs,
  usesRetry,
  type WaitReason,
  waitedMs,
} from '../../domain/execution/retry'
import {
  NothingToTake,
  ProviderPaused,
  ProviderRateLimited,
  StoreUnavailable,
  type TemporarilyUnavailable,
  waitOf,
} from '../../domain/unavailable'
import type { Executions } from '../../ports/executions'
import type { StepOutcome, Steps, StoreFacts } from './step'

export type EngineContext = {
  executions: Executions
  steps: Steps
  now: () => number
  random: () => number
  /** By default the usual policy (decision 28). */
  retry?: RetryPolicy | undefined
  /** Called for an unexpected error. The record waits, and an operator is alerted. */
  onBug: (execution: Execution, error: unknown) => void
  /**
   * Checked between two steps. Once it returns true, the record is stored as due, and another worker continues from
   * there.
   */
  isStopping?: () => boolean
}

/** Another writer changed the record, so the step does not act on it. */
class Overtaken extends Error {}

/** Time a worker has an execution to itself before the sweeper wakes another worker. */
export const leaseMs = 15_000

/**
 * Tolerance for the clock of the process that sent a wake-up. Without it, a wake-up that seems early would be postponed
 * and not repeated soon.
 */
const skewMs = 250

/** The wait reasons that get a history entry. Other waits are too short to be worth one. */
const waitEntries: Partial<Record<WaitReason, string>> = {
  INTENT: 'intent missing',
  LANE: 'lane occupied',
  PAUSE: 'paused',
  WORTH: 'worth unknown',
}

/**
 * Carries an execution as far as it can go now: runs the step of its state, gives the outcome to the machine, stores
 * the record, repeats. It starts from the stored record alone, so a first run, a redelivery, a retry and a recovery
 * take the same path.
 *
 * @param isImmediate Whether to run even before the execution is due, because of an event outside.
 * @param last The last record that this process stored or read. If it has changed since, the result of the first step
 * is discarded, and the run restarts from the stored record.
 * @returns The records on the way. Completes when the execution has ended, waits, or is with another worker.
 */
export const advance = (
  id: string,
  isImmediate: boolean,
  context: EngineContext,
  last: Execution | null = null,
): Observable<Execution> => {
  const { executions, steps, now, random, onBug, retry, isStopping = () => false } = context
  const isAtRest = ({ dueAt }: Execution) => dueAt === null || dueAt > now()

  let isAsBegun = false
  /** When the stored record is due, if it runs ahead of time. */
  let ownDueAt = 0
  let isHandedOver = false

  async function load(begun = executions.begun(id)): Promise<Execution | null> {
    isAsBegun = begun !== null
    const stored = begun ?? (await executions.load(id))
    if (!stored || stored.dueAt === null) return stored
    ownDueAt = stored.status === 'FAILED' ? stored.dueAt : 0
    const isDue = isImmediate || stored.dueAt <= now() + skewMs
    return isDue ? { ...stored, dueAt: Math.min(stored.dueAt, now()) } : stored
  }

  async function advanceOnce(execution: Execution): Promise<Execution | null> {
    const after = isStopping() ? execution : await stepOn(execution)
    if (!after) return overtaken()
    isHandedOver = isStopping() && !isAtRest(after)
    if (!isHandedOver && !isPublic(after.state) && !isAtRest(after)) return after
    const dueAt = isHandedOver ? now() : now() + leaseMs
    const stored = await executions.save(isAtRest(after) ? after : { ...after, dueAt })
    if (!stored) return overtaken()
    isAsBegun = false
    return { ...stored, dueAt: after.dueAt }
  }

  /**
   * Reloads a record that changed since this run began. If this run did not read it, the wake-up was for that change.
   */
  const overtaken = async (): Promise<Execution | null> => (isAsBegun && !isStopping() ? load() : null)

  /** Returns null if another writer changed the record before the step acted. */
  async function stepOn(begun: Execution): Promise<Execution | null> {
    let execution = begun
    const store: StoreFacts = async (facts) => {
      const { dueAt } = execution
      const next = { ...execution, facts: { ...execution.facts, ...facts }, dueAt: now() + leaseMs }
      const stored = await executions.save(next)
      if (!stored) throw new Overtaken()
      isAsBegun = false
      execution = { ...stored, dueAt }
    }
    const timed = (failed: ErrorCode | null = null) => {
      const at = now()
      const backoff = failed && usesRetry(failed) ? retryBackoffMs : backoffMs
      return { at, retryAt: at + backoff(execution.retryCount, random(), retry), ...(retry && { retry }) }
    }
    const resting = (error: TemporarilyUnavailable) => {
      const { retryInMs, waitingFor, facts } = error
      // A queued request returns exactly at its assigned time: its place is not reserved beyond that time.
      const isInLine = error instanceof ProviderRateLimited
      const elapsedMs = waitedMs(execution, waitingFor, now)
      const isUnsent = waitingFor === 'PROVIDER' && execution.facts.order === undefined
      const rare = isUnsent ? providerPollMs(elapsedMs, retryInMs, random()) : pollMs(elapsedMs, retryInMs)
      const after = isInLine ? retryInMs : rare
      const why = isInLine ? 'LIMIT' : 'AWAY'
      const until = isInLine ? error.until : now() + after
      return {
        retryInMs: after,
        waitingFor,
        facts: { ...facts, ...holding(execution, { of: waitingFor, why, until }, now()) },
      }
    }
    try {
      const outcome = await steps[stepOf(execution)!](execution, store)
      if ('type' in outcome) {
        const failed =
          outcome.type === 'order failed' && !spendsNoRetry(outcome, execution) ? outcome.failure.code : null
        return follow(resumed(execution, now()), { ...outcome, ...timed(failed) })
      }
      return waited(execution, paced(execution, outcome, now()), now())
    } catch (error) {
      if (error instanceof Overtaken) return null
      // The store cannot record this failure either. The record is unchanged, and its wake-up is redelivered.
      if (error instanceof StoreUnavailable) throw error
      // The failure of a live order is recorded, because a node may have its transaction.
      const wait = execution.facts.order && error instanceof RoutingError ? null : waitOf(error)
      if (wait) return waited(execution, resting(wait), now())
      if (error instanceof ProviderPaused)
        return waited(execution, { retryInMs: pausePollMs, waitingFor: 'PAUSE' }, now())
      const failure = failureOf(error)
      if (errorRow(failure.code).endsIn === null) onBug(execution, error)
      const isUnsigned = execution.facts.order === undefined
      const isProviders = isUnsigned && isOfProvider(failure.code)
      const { at, ...usual } = timed()
      // An early attempt is an extra one and uses no retry.
      if (isProviders && ownDueAt > at)
        return waited(execution, { retryInMs: ownDueAt - at, waitingFor: 'PROVIDER' }, at)
      const later =
        isUnsigned && usesRetry(failure.code)
          ? retryBackoffMs(execution.retryCount, random(), retry)
          : pollMs(failingMs(execution, failure, at), usual.retryAt - at)
      const candidates = error instanceof NothingToTake ? { candidates: error.candidates } : {}
      const facts = { ...candidates, ...failedHold(execution, failure, { at, until: at + later }) }
      return follow(resumed(execution, at), { type: 'step failed', failure, ...usual, at, retryAt: at + later, facts })
    }
  }

  return defer(() => load(last ?? undefined)).pipe(
    expand((execution) => (!execution || isHandedOver || isAtRest(execution) ? EMPTY : from(advanceOnce(execution)))),
    filter((execution) => execution !== null),
  )
}

/**
 * Returns how long the step has failed for the same reason, in milliseconds. Only the first such failure is in the
 * history.
 */
const failingMs = ({ cause, history }: Execution, { code }: Failure, at: number): number =>
  cause?.code === code ? at - (history.at(-1)?.at ?? at) : 0

/** The record of a wait while the money is in flight; empty otherwise. */
const holding = ({ facts: { spent, hold } }: Execution, next: Omit<Obstacle, 'since'>, at: number): Facts =>
  spent ? { hold: holdAfter(hold, { ...next, since: at }) } : {}

/** A step that checked and found nothing yet is delayed only by its own poll interval. */
function paced(execution: Execution, outcome: Waiting, at: number): Waiting {
  const { retryInMs, waitingFor, facts } = outcome
  const hold = holding(execution, { of: waitingFor, why: 'PACE', until: at + retryInMs }, at)
  return { ...outcome, facts: { ...facts, ...hold } }
}

/** The record of a wait for a provider or a node that failed. Other failures have their own alarms. */
function failedHold(execution: Execution, { code }: Failure, { at, until }: { at: number; until: number }): Facts {
  const of = code.startsWith('PROVIDER_') ? 'PROVIDER' : code.startsWith('RPC_') ? 'NODE' : null
  return of ? holding(execution, { of, why: 'AWAY', until }, at) : {}
}

/** Adds a history entry when a pause ends, to match the entry from its start. */
function resumed(execution: Execution, at: number): Execution {
  const { state, status, facts } = execution
  if (facts.waiting?.for !== 'PAUSE') return execution
  return withHistoryEntry(execution, { at, event: 'resumed', from: state, to: state, status, note: null })
}

type Waiting = Extract<StepOutcome, { retryInMs: number }>

function waited(begun: Execution, { retryInMs, waitingFor, facts, historyEntry }: Waiting, at: number): Execution {
  const execution = waitingFor === 'PAUSE' ? begun : resumed(begun, at)
  const before = execution.facts.waiting
  const waiting = waitAfter(before, waitingFor, at)
  const record = { ...execution, facts: { ...execution.facts, ...facts, waiting }, dueAt: at + retryInMs }
  const event = historyEntry ?? (before?.for === waitingFor ? undefined : waitEntries[waitingFor])
  if (!event) return record
  const { state, status } = execution
  return withHistoryEntry(record, { at, event, from: state, to: state, status, note: null })
}
