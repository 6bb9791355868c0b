import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
  exhaustMap,
  finalize,
  from,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  type Observable,
  pairwise,
  type SchedulerLike,
  Subject,
  startWith,
  takeUntil,
  tap,
  timer,
} from 'rxjs'
import type { Relayer } from '../../domain/chain/relayer'
import type { Execution } from '../../domain/execution/execution'
import type { Called } from '../../domain/wake-texts'
import type { Chains } from '../../ports/chain-client'
import type { Records } from '../../ports/records'
import type { Relayers } from '../../ports/signer'
import type { Wakes } from '../../ports/wakes'
import { tendRelayer } from '../delivery/tend-relayer'
import { advance, type EngineContext, leaseMs } from './advance'
import { type Settled, wakePipeline } from './pipeline'
import { sureWakes } from './sure-wakes'
import { sweep } from './sweep'
import { wakeScheduler } from './wake-scheduler'

export type WorkerNews = {
  /** A record was stored. `before` is the record that it replaced, or null for the first one of a run. */
  onRecord: (before: Execution | null, after: Execution) => void
  onSettled: (settled: Settled) => void
  /** Something in the background failed. It is tried again at the next beat. */
  onFault: (what: string, error: unknown) => void
}

type Ports = EngineContext & {
  wakes: Wakes
  chains: Chains
  relayers: Relayers
  relayerRecords: Records<Relayer>
  /** The scheduler of all timers. A simulation passes one with its own time. */
  scheduler?: SchedulerLike
}
export type Beat = { concurrency: number; sweepMs: number; tendMs: number }

/** Runs executions: wakes what is due, carries on what is woken, and keeps sent transactions on their way. */
export function worker(ports: Ports, beat: Beat, news: WorkerNews) {
  const { executions, wakes, chains, relayers, relayerRecords, now, scheduler = asyncScheduler } = ports
  const stopping = new Subject<void>()
  let isStopping = false
  const ended: Promise<unknown>[] = []
  const inHand = new Map<string, Promise<void>>()
  const sure = sureWakes({
    executions,
    wakes,
    now,
    isInHand: (id) => inHand.has(id),
    hasPlace: () => inHand.size < beat.concurrency && !isStopping,
  })
  const onLost = (error: unknown) => news.onFault('wake', error)
  const bell = wakeScheduler({ executions, wakes: sure, now, scheduler, onLost })
  const look = oneRunEach(inHand, (called) =>
    advance(called.id, called.isNews, ports).pipe(
      startWith(null),
      pairwise(),
      tap(([before, after]) => {
        news.onRecord(before, after!)
        if (after!.version > 0) bell.ring(before, after!)
      }),
      map(([, after]) => after!),
    ),
  )

  /** Repeats a task. When it fails, it is simply tried again at the next beat. */
  const every = (ms: number, what: string, act: () => Promise<unknown>): Observable<unknown> =>
    timer(0, ms, scheduler).pipe(
      takeUntil(stopping),
      exhaustMap(() =>
        defer(act).pipe(
          catchError((error) => {
            news.onFault(what, error)
            return EMPTY
          }),
        ),
      ),
    )

  const run = (stream: Observable<unknown>): void => {
    ended.push(lastValueFrom(stream, { defaultValue: null }))
  }

  return {
    start(): void {
      const limits = { concurrency: beat.concurrency, stepMaxMs: leaseMs, scheduler }
      const woken = merge(wakes.wakes(beat.concurrency), sure.direct).pipe(takeUntil(stopping))
      run(woken.pipe(wakePipeline(look, limits, news.onSettled)))
      let after = -1
      const sweeping = every(beat.sweepMs, 'sweep', async () => {
        after = await sweep({ executions, now, wake: sure.wake, onRefused: onLost }, after)
      })
      // Each key has a beat of its own, so that one that cannot pay does not hold up the others.
      const tending = Object.values(chains).flatMap((chain) =>
        relayers
          .onChain(chain.chainId)
          .map((relayer) =>
            every(beat.tendMs, `relayer ${relayer.id}`, tendRelayer(relayer, { relayerRecords, chain, relayers, now })),
          ),
      )
      run(merge(sweeping, ...tending))
    },
    /** Takes no new work, and resolves when the work under way has ended. */
    async stop(): Promise<void> {
      isStopping = true
      stopping.next()
      bell.stop()
      await Promise.all(ended)
    },
    inHand: () => inHand.size,
  }
}

/**
 * Carries on an execution, unless this worker is doing so already. In that case a wake-up with news waits until the
 * present run ends, and any other wake-up is dropped.
 */
function oneRunEach(inHand: Map<string, Promise<void>>, carryOn: (called: Called) => Observable<Execution>) {
  return function look(called: Called): Observable<Execution> {
    const { id, isNews } = called
    const held = inHand.get(id)
    if (held) return isNews ? from(held).pipe(mergeMap(() => look(called))) : EMPTY
    const { promise, resolve } = Promise.withResolvers<void>()
    inHand.set(id, promise)
    return carryOn(called).pipe(
      finalize(() => {
        inHand.delete(id)
        resolve()
      }),
    )
  }
}
