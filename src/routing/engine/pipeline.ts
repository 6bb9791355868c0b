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
import { readWake, type WakeRequest } from '../../domain/wake-messages'
import type { Wake } from '../../ports/wakes'

type Limits = { concurrency: number; stepMaxMs: number; scheduler?: SchedulerLike }
export type Settled = { wake: Wake; error: unknown; verdict: 'nak' | 'term' }

/** A message that can never be understood. */
class MalformedMessage extends Error {
  override name = 'MalformedMessage'
}

/**
 * The path of every wake-up, from the stream to its acknowledgement. `concurrency` equals the number of messages that
 * the source hands out at a time.
 */
export const wakePipeline =
  (
    advance: (request: WakeRequest) => Observable<Execution>,
    { concurrency, stepMaxMs, scheduler = asyncScheduler }: Limits,
    onSettled: (settled: Settled) => void = () => {},
  ) =>
  (wakes: Observable<Wake>): Observable<never> =>
    wakes.pipe(
      mergeMap(
        (wake) =>
          of(wake).pipe(
            map(wakeRequestOf),
            mergeMap((request) => defer(() => advance(request))),
            timeout({ each: stepMaxMs, scheduler }), // a step that never ends must not take up capacity for ever
            // acknowledged last, because a crash before this must redeliver the message
            tap({ complete: () => wake.ack() }),
            // Errors are caught for each message, because one that reached the outer stream would end it for all.
            catchError((error) => {
              onSettled({ wake, error, verdict: settle(wake, error) })
              return EMPTY
            }),
          ),
        concurrency,
      ),
      ignoreElements(),
    )

/**
 * Decides whether a message comes back; nothing else does. After an unknown error it comes back, because money is at
 * stake.
 */
function settle(wake: Wake, error: unknown): 'nak' | 'term' {
  if (error instanceof MalformedMessage || (error instanceof RoutingError && error.category && !error.retryable)) {
    wake.term(error.name)
    return 'term'
  }
  wake.nak(backoffMs(wake.redeliveries, 1))
  return 'nak'
}

function wakeRequestOf({ data }: Wake): WakeRequest {
  const request = readWake(data)
  if (!request) throw new MalformedMessage('Not the id of an execution')
  return request
}
