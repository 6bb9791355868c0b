import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
  ignoreElements,
  map,
  mergeMap,
  type Observable,
  of,
  type SchedulerLike,
  tap,
  timeout,
} from 'rxjs'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { backoffMs } from '../../domain/execution/retry'
import { type Called, calledBy } from '../../domain/execution/wake-text'
import type { Wake } from '../../ports/wakes'

export type Limits = { concurrency: number; stepMaxMs: number; scheduler?: SchedulerLike }
export type Settled = { wake: Wake; error: unknown; verdict: 'nak' | 'term' }

/** A message that can never be understood. */
export class MalformedMessage extends Error {
  override name = 'MalformedMessage'
}

/** Every wake-up, from the stream to an acknowledgement. The concurrency equals the places that the source has. */
export const wakePipeline =
  (
    advance: (called: Called) => Observable<Execution>,
    { concurrency, stepMaxMs, scheduler = asyncScheduler }: Limits,
    onSettled: (settled: Settled) => void = () => {},
  ) =>
  (wakes: Observable<Wake>): Observable<never> =>
    wakes.pipe(
      mergeMap(
        (wake) =>
          of(wake).pipe(
            map(called),
            mergeMap((called) => defer(() => advance(called))),
            timeout({ each: stepMaxMs, scheduler }), // a step that never ends must not keep its place for ever
            tap({ complete: () => wake.ack() }), // last of all: until here a crash is a redelivery
            // Caught per message: an error that reached the outer stream would end it for everyone.
            catchError((error) => {
              onSettled({ wake, error, verdict: settle(wake, error) })
              return EMPTY
            }),
          ),
        concurrency,
      ),
      ignoreElements(),
    )

/** The only place that decides whether a message comes back. An unknown error does: funds are at stake. */
export function settle(wake: Wake, error: unknown): 'nak' | 'term' {
  if (error instanceof MalformedMessage || (error instanceof RoutingError && error.category && !error.retryable)) {
    wake.term(error.name)
    return 'term'
  }
  wake.nak(backoffMs(wake.redeliveries, 1))
  return 'nak'
}

function called({ data }: Wake): Called {
  const called = calledBy(data)
  if (!called) throw new MalformedMessage('Not the id of an execution')
  return called
}
