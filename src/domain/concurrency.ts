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

/** Splits a list into parts of at most `most` items. A list that is no longer is its own part and is not copied. */
export function inParts<Item>(items: readonly Item[], most: number): (readonly Item[])[] {
  if (items.length <= most) return items.length === 0 ? [] : [items]
  return Array.from({ length: Math.ceil(items.length / most) }, (_, n) => items.slice(n * most, (n + 1) * most))
}

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

type Stored<R> = { load(id: string): Promise<R | null>; save(record: R): Promise<R | null> }

/** An attempt fails only when another writer succeeded, so this many failures in a row are a fault and not a race. */
const attemptsMax = 100

/**
 * Applies a change to the stored record, and again when another writer was faster.
 *
 * @param change Returns the changed record, or null to leave it as it is.
 * @param first The record as it was read a moment ago, which saves the first read.
 * @returns the record as it stands afterwards, whether this changed it or not.
 * @throws when other writers are faster a hundred times in a row.
 */
export async function rewrite<R>(
  records: Stored<R>,
  id: string,
  change: (known: R | null) => R | null | Promise<R | null>,
  first?: R | null,
): Promise<R | null> {
  for (let n = 0; n < attemptsMax; n++) {
    const known = n === 0 && first !== undefined ? first : await records.load(id)
    const changed = await change(known)
    if (!changed) return known
    const stored = await records.save(changed)
    if (stored) return stored
  }
  throw new Error(`${id} keeps being changed by other writers`)
}

/** Runs one at a time: whoever asks meanwhile gets the one under way. */
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

/** Runs one at a time, and once more where it was asked for meanwhile, for which everybody waits. */
export function aloneAndAgain(work: () => Promise<void>) {
  let underWay: Promise<void> | null = null
  let isAskedAgain = false
  const run = (): Promise<void> => {
    if (underWay) isAskedAgain = true
    underWay ??= work().finally(() => {
      underWay = null
      const isAgain = isAskedAgain
      isAskedAgain = false
      return isAgain ? run() : undefined
    })
    return underWay
  }
  return Object.assign(run, { underWay: () => underWay })
}
