import { asyncScheduler, type SchedulerLike } from 'rxjs'

/** Asks with a signal that is aborted after a time. Whose time it is the scheduler says: a simulation has its own. */
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
