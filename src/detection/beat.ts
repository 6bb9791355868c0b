import {
  catchError,
  defer,
  EMPTY,
  exhaustMap,
  ignoreElements,
  merge,
  type Observable,
  takeUntil,
  tap,
  timer,
} from 'rxjs'
import { type ChainId, chainOf } from '../domain/chain/chain'
import { RoutingError } from '../domain/error'

type Beat = {
  everyMs: number
  /** Starts the work without waiting for the next beat. It is ignored while the work runs; the next beat follows. */
  triggers: Observable<unknown>
  stopped: Observable<unknown>
  work: () => Promise<unknown>
  /** Called once when the work begins to fail, and once more for each other kind of failure. */
  onTrouble: (error: unknown) => void
  onRecovered: () => void
}

/** Repeats work, never twice at the same time. A failure costs one beat and nothing else. */
export function beat({ everyMs, triggers, stopped, work, onTrouble, onRecovered }: Beat): Observable<never> {
  let trouble: string | null = null
  return merge(timer(0, everyMs), triggers).pipe(
    takeUntil(stopped),
    exhaustMap(() =>
      defer(work).pipe(
        tap(() => {
          if (trouble !== null) onRecovered()
          trouble = null
        }),
        catchError((error) => {
          const kind = kindOf(error)
          if (kind !== trouble) onTrouble(error)
          trouble = kind
          return EMPTY
        }),
      ),
    ),
    ignoreElements(),
  )
}

const kindOf = (error: unknown): string =>
  error instanceof RoutingError ? error.code : error instanceof Error ? error.name : 'unknown'

const bounded = (ms: number, least: number, most: number): number => Math.min(Math.max(ms, least), most)
export const halfBlock = (chainId: ChainId): number => bounded(chainOf(chainId).blockSeconds * 500, 250, 1_000)
export const oneBlock = (chainId: ChainId): number => bounded(chainOf(chainId).blockSeconds * 1_000, 1_000, 5_000)
