import { asyncScheduler, from, lastValueFrom, mergeMap, type SchedulerLike, toArray } from 'rxjs'

/**
 * Runs `work` for every item, at most `concurrency` at a time. Results come in no order, and the first failure fails
 * all.
 */
export const inParallel = <Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => lastValueFrom(from(items).pipe(mergeMap(work, concurrency), toArray()))

/**
 * Runs one task at a time for each key, in the order in which they were asked for. A task that fails does not hold up
 * the next one.
 */
export function inTurn() {
  const last = new Map<string, Promise<unknown>>()

  return <Result>(key: string, act: () => Promise<Result>): Promise<Result> => {
    const mine = (last.get(key) ?? Promise.resolve()).then(act, act)
    last.set(key, mine)
    const forget = () => {
      if (last.get(key) === mine) last.delete(key)
    }
    mine.then(forget, forget)
    return mine
  }
}

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
