import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
  exhaustMap,
  identity,
  lastValueFrom,
  merge,
  NEVER,
  type Observable,
  type SchedulerLike,
  Subject,
  takeUntil,
  timeout,
  timer,
} from 'rxjs'

type Round<Result> = {
  /** Time between the starts of two rounds. A round that takes longer skips the starts in between. */
  everyMs: number
  /** NOW starts the first round immediately, LATER after `everyMs`. */
  first?: 'NOW' | 'LATER'
  work: () => Promise<Result>
  onTrouble: (error: unknown) => void
  /** Starts a round without waiting for the next start. Ignored while a round runs. */
  triggers?: Observable<unknown>
  /** A round that takes longer counts as failed, so one lost response never stops the task. */
  longestMs?: number
  scheduler?: SchedulerLike
}

/**
 * The one way to repeat a task in this process. Rounds never overlap, and a failed round costs only itself.
 *
 * @param stopped Ends the stream after the round that runs then.
 */
export function rounds<Result>(
  { everyMs, first = 'NOW', work, onTrouble, triggers = NEVER, longestMs, scheduler = asyncScheduler }: Round<Result>,
  stopped: Observable<unknown>,
): Observable<Result> {
  return merge(timer(first === 'NOW' ? 0 : everyMs, everyMs, scheduler), triggers).pipe(
    takeUntil(stopped),
    exhaustMap(() =>
      defer(work).pipe(
        longestMs === undefined ? identity : timeout({ each: longestMs, scheduler }),
        catchError((error) => {
          onTrouble(error)
          return EMPTY
        }),
      ),
    ),
  )
}

export type Repeated = {
  start(): void
  /** Starts no further round, and aborts the signal of the present one. Resolves when that round has ended. */
  stop(): Promise<void>
}

type Task = Omit<Round<unknown>, 'work'> & { work: (stopping: AbortSignal) => Promise<unknown> }

/** Runs `rounds` from `start` to `stop`. */
export function repeat({ work, ...task }: Task): Repeated {
  const stopping = new AbortController()
  const stopped = new Subject<void>()
  let ended: Promise<unknown> = Promise.resolve()
  return {
    start(): void {
      const stream = rounds({ ...task, work: () => work(stopping.signal) }, stopped)
      ended = lastValueFrom(stream, { defaultValue: null })
    },
    async stop(): Promise<void> {
      stopped.next()
      stopping.abort()
      await ended
    },
  }
}

/** Several tasks as one. They start in order and stop together. */
export const together = (...tasks: readonly Repeated[]): Repeated => ({
  start(): void {
    for (const task of tasks) task.start()
  },
  async stop(): Promise<void> {
    await Promise.all(tasks.map((task) => task.stop()))
  },
})
