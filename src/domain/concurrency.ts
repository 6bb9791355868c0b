import { asyncScheduler, from, lastValueFrom, mergeMap, type SchedulerLike, toArray } from 'rxjs'

/**
 * Runs `work` for every item, at most `concurrency` at a time. Results are unordered, and the first failure fails the
 * whole call.
 */
export const inParallel = <Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => lastValueFrom(from(items).pipe(mergeMap(work, concurrency), toArray()))

/** Splits a list into parts of at most `most` items. A list that fits is returned as its only part, without a copy. */
export function inParts<Item>(items: readonly Item[], most: number): (readonly Item[])[] {
  if (items.length <= most) return items.length === 0 ? [] : [items]
  return Array.from({ length: Math.ceil(items.length / most) }, (_, n) => items.slice(n * most, (n + 1) * most))
}

/** Runs one task at a time for each key, in the order of the calls. A failed task does not block the next one. */
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

/** Calls `ask` with a signal that aborts after `ms` milliseconds of the scheduler's time. */
export async function withDeadline<Answer>(
  ms: number,
  ask: (signal: AbortSignal) => Promise<Answer>,
  scheduler: SchedulerLike = asyncScheduler,
): Promise<Answer> {
  const ending = new AbortController()
  const late = scheduler.schedule(() => ending.abort(new DOMException('The call timed out', 'TimeoutError')), ms)
  try {
    return await ask(ending.signal)
  } finally {
    late.unsubscribe()
  }
}

/** Records that are written on the condition that no other write came between; see `src/ports/records.ts`. */
export type Rewritable<R> = { load(id: string): Promise<R | null>; save(record: R): Promise<R | null> }

type Rewriting<R> = {
  /** The record if it was just read. It saves the first read. */
  first?: R | null | undefined
  /** An attempt fails only if another writer succeeded. By default, so many failures in a row are a fault. */
  triesMax?: number
}

/** Other writers were faster in every attempt, so nothing was written. */
class Outpaced extends Error {}

/**
 * The one way to compare and set. Applies a change to the stored record, and again whenever another writer was faster.
 *
 * @param change Returns the changed record, or null to leave the record unchanged.
 * @returns the current record, changed or not.
 * @throws {Outpaced} if other writers are faster `triesMax` times in a row.
 */
export async function rewrite<R>(
  records: Rewritable<R>,
  id: string,
  change: (current: R | null) => R | null | Promise<R | null>,
  { first, triesMax = 100 }: Rewriting<R> = {},
): Promise<R | null> {
  for (let n = 0; n < triesMax; n++) {
    const current = n === 0 && first !== undefined ? first : await records.load(id)
    const changed = await change(current)
    if (!changed) return current
    const stored = await records.save(changed)
    if (stored) return stored
  }
  throw new Outpaced(`Other writers changed ${id} ${triesMax} times in a row`)
}

/** Whether a `rewrite` ended, for callers that can do without it. False if other writers were faster every time. */
export const isRewritten = (rewriting: Promise<unknown>): Promise<boolean> =>
  rewriting.then(
    () => true,
    (error) => {
      if (error instanceof Outpaced) return false
      throw error
    },
  )

/** Runs `work` without overlap. A call during a run gets the result of that run. */
export function alone<Result>(work: () => Promise<Result>) {
  let underWay: Promise<Result> | null = null
  const run = (): Promise<Result> => {
    underWay ??= work().finally(() => {
      underWay = null
    })
    return underWay
  }
  return Object.assign(run, { underWay: () => underWay })
}

/** Runs `work` without overlap. Calls made during a run trigger one further run, and every caller waits for it. */
export function aloneAndAgain(work: () => Promise<void>) {
  let underWay: Promise<void> | null = null
  let isRequestedAgain = false
  const run = (): Promise<void> => {
    if (underWay) isRequestedAgain = true
    underWay ??= work().finally(() => {
      underWay = null
      const isAgain = isRequestedAgain
      isRequestedAgain = false
      return isAgain ? run() : undefined
    })
    return underWay
  }
  return Object.assign(run, { underWay: () => underWay })
}
