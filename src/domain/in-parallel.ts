import { from, lastValueFrom, mergeMap, toArray } from 'rxjs'

/**
 * Runs `work` for every item, at most `concurrency` at a time. Results come in no order, and the first failure fails
 * all.
 */
export const inParallel = <Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => lastValueFrom(from(items).pipe(mergeMap(work, concurrency), toArray()))
