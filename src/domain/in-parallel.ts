import { from, lastValueFrom, mergeMap, toArray } from 'rxjs'

/** Results in no order; the first failure is the failure of all. */
export const inParallel = <Item, Result>(
  items: Iterable<Item>,
  concurrency: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => lastValueFrom(from(items).pipe(mergeMap(work, concurrency), toArray()))
