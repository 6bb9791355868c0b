import { defer, EMPTY, expand, filter, from, type Observable } from 'rxjs'
import { follow, isPublic, noted, stepOf } from '../../../machines/follow'
import { errorRow } from '../../domain/error'
import { type Execution, type Failure, failureOf } from '../../domain/execution/execution'
import { backoffMs, pauseLookMs, pollMs, type RetryPolicy } from '../../domain/execution/retry'
import type { WaitReason } from '../../domain/execution/wait-reason'
import { OutsidePolicy, ProviderPaused } from '../../ports/aggregator'
import type { Executions } from '../../ports/executions'
import { Resting, StoreUnavailable } from '../../ports/unavailable'
import type { StepOutcome, Steps } from './step'
import { waitedMs } from './waited-ms'

export type Surroundings = {
  executions: Executions
  steps: Steps
  now: () => number
  random: () => number
  /** The usual policy unless told otherwise (decision 28). */
  retry?: RetryPolicy
  /** An error that nobody expected: the record waits, an operator is told. */
  onBug: (execution: Execution, error: unknown) => void
}

/** How long a worker has the execution for itself before the sweeper wakes another. */
export const leaseMs = 15_000

/** Whoever woke it may have a clock a little ahead of ours; a wake-up that is put off is not soon repeated. */
const skewMs = 250

/** What a reader is told of waiting; the rest is too short to be news. */
const waitNews: Partial<Record<WaitReason, string>> = {
  INTENT: 'intent missing',
  PAUSE: 'paused',
  WORTH: 'worth unknown',
}

/**
 * Carries an execution as far as it can go now: run the step of its state, tell the machine, store, repeat.
 * It begins from what is stored and from nothing else, so first run, redelivery, retry and recovery are this one path.
 *
 * @param isNews something happened outside: it is looked at even before it is due.
 * @returns the records on the way; completes when the execution has ended, waits, or is in another worker's hands.
 */
export const advance = (id: string, isNews: boolean, surroundings: Surroundings): Observable<Execution> => {
  const { executions, steps, now, random, onBug, retry } = surroundings
  const isAtRest = ({ dueAt }: Execution) => dueAt === null || dueAt > now()

  let isAsBegun = false

  async function load(): Promise<Execution | null> {
    const begun = executions.begun(id)
    isAsBegun = begun !== null
    const stored = begun ?? (await executions.load(id))
    if (!stored || stored.dueAt === null) return stored
    const isDue = isNews || stored.dueAt <= now() + skewMs
    return isDue ? { ...stored, dueAt: Math.min(stored.dueAt, now()) } : stored
  }

  async function next(execution: Execution): Promise<Execution | null> {
    const after = await stepOn(execution)
    if (!isPublic(after.state) && !isAtRest(after)) return after
    const stored = await executions.save(isAtRest(after) ? after : { ...after, dueAt: now() + leaseMs })
    // Somebody has changed what was just begun: the news that woke us is about what it is now.
    if (!stored && isAsBegun) return load()
    isAsBegun = false
    return stored && { ...stored, dueAt: after.dueAt }
  }

  async function stepOn(execution: Execution): Promise<Execution> {
    const timed = () => {
      const at = now()
      return { at, retryAt: at + backoffMs(execution.retryCount, random(), retry), ...(retry && { retry }) }
    }
    const resting = ({ askAgainInMs, waitingFor, facts }: Resting) => ({
      askAgainInMs: pollMs(waitedMs(execution, waitingFor, now), askAgainInMs),
      waitingFor,
      facts,
    })
    try {
      const outcome = await steps[stepOf(execution)!](execution)
      if ('type' in outcome) return follow(resumed(execution, now()), { ...outcome, ...timed() })
      return waited(execution, outcome, now())
    } catch (error) {
      // What the record would say of it could not be stored either: it is as it was, and its wake-up comes again.
      if (error instanceof StoreUnavailable) throw error
      if (error instanceof Resting) return waited(execution, resting(error), now())
      if (error instanceof ProviderPaused)
        return waited(execution, { askAgainInMs: pauseLookMs, waitingFor: 'PAUSE' }, now())
      const failure = failureOf(error)
      if (errorRow(failure.code).endsIn === null) onBug(execution, error)
      const { at, retryAt, ...how } = timed()
      const later = pollMs(failingMs(execution, failure, at), retryAt - at)
      const facts = error instanceof OutsidePolicy ? { candidates: error.candidates } : {}
      return follow(execution, { type: 'step failed', failure, at, retryAt: at + later, facts, ...how })
    }
  }

  return defer(load).pipe(
    expand((execution) => (!execution || isAtRest(execution) ? EMPTY : from(next(execution)))),
    filter((execution) => execution !== null),
  )
}

/** How long it fails for this reason already: of what is asked again only the first time is in the history. */
const failingMs = ({ cause, history }: Execution, { code }: Failure, at: number): number =>
  cause?.code === code ? at - (history.at(-1)?.at ?? at) : 0

/** That a pause is over is news, as its beginning was. */
function resumed(execution: Execution, at: number): Execution {
  const { state, status, facts } = execution
  if (facts.waiting?.for !== 'PAUSE') return execution
  return noted(execution, { at, event: 'resumed', from: state, to: state, status, note: null })
}

type Waiting = Extract<StepOutcome, { askAgainInMs: number }>

function waited(execution: Execution, { askAgainInMs, waitingFor, facts, news }: Waiting, at: number): Execution {
  const before = execution.facts.waiting
  const waiting = before?.for === waitingFor ? before : { for: waitingFor, since: at }
  const record = { ...execution, facts: { ...execution.facts, ...facts, waiting }, dueAt: at + askAgainInMs }
  const event = news ?? (before?.for === waitingFor ? undefined : waitNews[waitingFor])
  if (!event) return record
  const { state, status } = execution
  return noted(record, { at, event, from: state, to: state, status, note: null })
}
