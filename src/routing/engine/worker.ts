import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
  exhaustMap,
  finalize,
  from,
  ignoreElements,
  lastValueFrom,
  map,
  merge,
  mergeMap,
  type Observable,
  of,
  pairwise,
  type SchedulerLike,
  Subject,
  startWith,
  takeUntil,
  tap,
  timeout,
  timer,
} from 'rxjs'
import type { Relayer } from '../../domain/chain/relayer'
import { rewrite } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { backoffMs } from '../../domain/execution/retry'
import { readWake, type WakeRequest } from '../../domain/wake-messages'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Records } from '../../ports/records'
import type { Relayers } from '../../ports/signer'
import type { Wake, Wakes } from '../../ports/wakes'
import { tendRelayer } from '../delivery/relayer-transactions'
import { advance, type EngineContext, leaseMs } from './advance'
import { type DirectWake, restingSweep, wakeScheduler, wakesWithFallback } from './wake-ups'

export type WorkerListeners = {
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
  ordersPerTransaction?: number
  /** The scheduler of all timers. A simulation passes one with its own time. */
  scheduler?: SchedulerLike
}
/** How long a step may take that is under way when the worker is asked to stop. Then another worker begins it anew. */
const lastStepMs = 1_500
/** A beat that takes longer counts as failed, and the next one begins: an answer may never come. */
const beatMaxMs = 60_000

export type Beat = { concurrency: number; sweepMs: number; tendMs: number }

/** Runs executions: wakes what is due, carries on what is woken, and keeps sent transactions on their way. */
export function worker(ports: Ports, beat: Beat, listeners: WorkerListeners) {
  const { executions, wakes, chains, relayers, relayerRecords, now, scheduler = asyncScheduler } = ports
  const stopping = new Subject<void>()
  let isStopping = false
  const ended: Promise<unknown>[] = []
  const inHand = new Map<string, Promise<void>>()
  const fallback = wakesWithFallback({
    executions,
    wakes,
    now,
    isInHand: (id) => inHand.has(id),
    hasCapacity: () => inHand.size < beat.concurrency && !isStopping,
  })
  const { ordersPerTransaction = 1 } = ports
  const relaying = { relayerRecords, relayers, ordersPerTransaction, wakes: fallback, now }
  const onLost = (error: unknown) => listeners.onFault('wake', error)
  const others = handOver({ executions, wakes, now, onLost })
  const followUps = wakeScheduler({ executions, ...relaying, again: fallback.again, chains, scheduler, onLost })
  const look = oneRunEach(inHand, (request) =>
    advance(request.id, request.isImmediate, { ...ports, isStopping: () => isStopping }, request.record).pipe(
      startWith(null),
      pairwise(),
      tap(([before, after]) => {
        listeners.onRecord(before, after!)
        if (after!.version > 0) followUps.schedule(before, after!)
      }),
      map(([, after]) => after!),
      tap(whenLast((record) => isStopping && others.leave(record))),
    ),
  )

  /** Repeats a task. When it fails, it is simply tried again at the next beat. */
  const every = (ms: number, what: string, act: () => Promise<unknown>): Observable<unknown> =>
    timer(0, ms, scheduler).pipe(
      takeUntil(stopping),
      exhaustMap(() =>
        defer(act).pipe(
          timeout({ each: beatMaxMs, scheduler }),
          catchError((error) => {
            listeners.onFault(what, error)
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
      const woken = merge(wakes.wakes(beat.concurrency), fallback.direct).pipe(takeUntil(stopping))
      run(woken.pipe(wakePipeline(look, limits, listeners.onSettled)))
      const sweepNext = restingSweep({
        executions,
        now,
        wake: fallback.wake,
        isHeard: wakes.isHeard,
        onRefused: onLost,
      })
      const sweeping = every(beat.sweepMs, 'sweep', sweepNext)
      // Each key has a beat of its own, so that one that cannot pay does not hold up the others.
      const tending = Object.values(chains).flatMap((chain) =>
        relayers
          .onChain(chain.chainId)
          .map((relayer) =>
            every(beat.tendMs, `relayer ${relayer.id}`, tendRelayer(relayer, { ...relaying, executions, chain })),
          ),
      )
      run(merge(sweeping, ...tending))
    },
    /**
     * Takes no new work, and leaves each execution to another worker once its step under way has ended, or after a
     * moment. Resolves when the last of these steps has ended.
     */
    async stop(): Promise<void> {
      isStopping = true
      stopping.next()
      await followUps.stop()
      const late = scheduler.schedule(() => [...inHand.keys()].forEach(others.abandon), lastStepMs)
      await Promise.all(ended)
      late.unsubscribe()
      await others.settled()
    },
    inHand: () => inHand.size,
  }
}

type Request = WakeRequest & Pick<DirectWake, 'record'>

/**
 * Carries on an execution, unless this worker is doing so already. In that case an immediate wake-up waits until the
 * present run ends, and any other wake-up is dropped.
 */
function oneRunEach(inHand: Map<string, Promise<void>>, carryOn: (request: Request) => Observable<Execution>) {
  return function look(request: Request): Observable<Execution> {
    const { id, isImmediate } = request
    const held = inHand.get(id)
    if (held) return isImmediate ? from(held).pipe(mergeMap(() => look({ id, isImmediate }))) : EMPTY
    const { promise, resolve } = Promise.withResolvers<void>()
    inHand.set(id, promise)
    return carryOn(request).pipe(
      finalize(() => {
        inHand.delete(id)
        resolve()
      }),
    )
  }
}

/** Hears the last of several values, once there are no more. */
function whenLast<Value>(hear: (value: Value) => void) {
  let last: Value | undefined
  const next = (value: Value): void => {
    last = value
  }
  return { next, complete: () => last !== undefined && hear(last) }
}

type HandOverPorts = {
  executions: Pick<Executions, 'load' | 'save'>
  wakes: Pick<Wakes, 'wakeNow' | 'isHeard'>
  now: () => number
  onLost: (error: unknown) => void
}

/** Leaves executions to other workers when this one is asked to stop, so that none waits until a lease ends. */
function handOver({ executions, wakes, now, onLost }: HandOverPorts) {
  const underWay: Promise<unknown>[] = []

  /** Without messages there is nothing to do, because every worker's sweep finds what is due. */
  async function wake({ id, bucket, dueAt }: Execution): Promise<void> {
    if (dueAt !== null && dueAt <= now() && wakes.isHeard(bucket)) await wakes.wakeNow({ id, bucket })
  }

  /** Makes it due although this worker has a lease of it. What the step still finds out is refused by the store. */
  async function takeFrom(id: string): Promise<void> {
    const isLeased = ({ dueAt }: Execution) => dueAt !== null && dueAt > now()
    const stored = await rewrite(executions, id, (known) =>
      known && isLeased(known) ? { ...known, dueAt: now() } : null,
    )
    if (stored) await wake(stored)
  }

  const track = (work: Promise<void>) => void underWay.push(work.catch(onLost))
  return {
    /** Leaves an execution whose record was stored as it is now. One that waits is left to wait. */
    leave: (record: Execution) => track(wake(record)),
    /** Leaves an execution whose step is still under way: another worker begins that step anew. */
    abandon: (id: string) => track(takeFrom(id)),
    /** Resolves when all that were left so far are due, and whoever takes them next has been woken. */
    settled: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}

type Limits = { concurrency: number; stepMaxMs: number; scheduler?: SchedulerLike }
export type Settled = { wake: Wake; error: unknown; verdict: 'nak' | 'term' }

/** A message that can never be understood. */
class MalformedMessage extends Error {
  override name = 'MalformedMessage'
}

/**
 * The path of every wake-up, from the stream to its acknowledgement. `concurrency` equals the number of messages that
 * the source hands out at a time.
 */
export const wakePipeline =
  (
    advance: (request: Request) => Observable<Execution>,
    { concurrency, stepMaxMs, scheduler = asyncScheduler }: Limits,
    onSettled: (settled: Settled) => void = () => {},
  ) =>
  (wakes: Observable<DirectWake>): Observable<never> =>
    wakes.pipe(
      mergeMap(
        (wake) =>
          of(wake).pipe(
            map(wakeRequestOf),
            mergeMap((request) => defer(() => advance(request))),
            timeout({ each: stepMaxMs, scheduler }), // a step that never ends must not take up capacity for ever
            // acknowledged last, because a crash before this must redeliver the message
            tap({ complete: () => wake.ack() }),
            // Errors are caught for each message, because one that reached the outer stream would end it for all.
            catchError((error) => {
              onSettled({ wake, error, verdict: settle(wake, error) })
              return EMPTY
            }),
          ),
        concurrency,
      ),
      ignoreElements(),
    )

/**
 * Decides whether a message comes back; nothing else does. After an unknown error it comes back, because money is at
 * stake.
 */
function settle(wake: Wake, error: unknown): 'nak' | 'term' {
  if (error instanceof MalformedMessage || (error instanceof RoutingError && error.category && !error.retryable)) {
    wake.term(error.name)
    return 'term'
  }
  wake.nak(backoffMs(wake.redeliveries, 1))
  return 'nak'
}

function wakeRequestOf({ data, record }: DirectWake): Request {
  const request = readWake(data)
  if (!request) throw new MalformedMessage('Not the id of an execution')
  return { ...request, ...(record && { record }) }
}
