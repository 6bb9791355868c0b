import { asyncScheduler, type SchedulerLike } from 'rxjs'

/** Calls `ask` with a signal that is aborted after `ms` milliseconds of the scheduler's time. */
export async function withDeadline<Answer>(
  ms: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
  scheduler: SchedulerLike = asyncScheduler,
): Promise<Answer> {
  const ending = new AbortController()
  const late = scheduler.schedule(() => ending.abort(new DOMException('It took too long', 'TimeoutError')), ms)
  try {
    return await ask(ending.signal)
  } finally {
    late.unsubscribe()
  }
}
