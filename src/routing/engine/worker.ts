import {
  asyncScheduler,
  catchError,
  defer,
  EMPTY,
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
} from 'rxjs'
import type { Relayer } from '../../domain/chain/relayer'
import { rewrite } from '../../domain/concurrency'
import { RoutingError } from '../../domain/error'
import type { Execution } from '../../domain/execution/execution'
import { backoffMs } from '../../domain/execution/retry'
import { rounds } from '../../domain/repeat'
import { readWake, type WakeRequest } from '../../domain/wake-messages'
import type { Chains } from '../../ports/chain-client'
import type { Executions } from '../../ports/executions'
import type { Records } from '../../ports/records'
import type { Relayers } from '../../ports/signer'
import type { Wake, Wakes } from '../../ports/wakes'
import { tendRelayer } from '../delivery/relayer-transactions'
import { advance, type EngineContext, leaseMs } from './advance'
import { type DirectWake, pacedSweep, wakeScheduler, wakesWithFallback } from './wake-ups'

export type WorkerListeners = {
  /** A record was stored. `before` is the record that it replaced, or null for the first record of a run. */
  onRecord: (before: Execution | null, after: Execution) => void
  onSettled: (settled: FailedWake) => void
  /** A background task failed. It runs again at the next interval. */
  onFault: (what: string, error: unknown) => void
}

type Ports = Omit<EngineContext, 'isStopping'> & {
  wakes: Wakes
  chains: Chains
  relayers: Relayers
  relayerRecords: Records<Relayer>
  ordersPerTransaction?: number | undefined
  /** The scheduler of all timers. A simulation passes one with its own time. */
  scheduler?: SchedulerLike
}
/** Time for a step under way after a stop request. After that, another worker restarts the step. */
const lastStepMs = 1_500
/** A task that takes longer counts as failed, because its request might never return. Its next run begins. */
const tickMsMax = 60_000

export type WorkerPace = { concurrency: number; sweepMs: number; tendMs: number }

/** Runs executions: wakes due ones, carries on woken ones, and keeps sent transactions moving. */
export function worker(ports: Ports, pace: WorkerPace, listeners: WorkerListeners) {
  const { executions, wakes, chains, relayers, relayerRecords, now, scheduler = asyncScheduler } = ports
  const { steps, random, retry, onBug } = ports
  const stopping = new Subject<void>()
  let isStopping = false
  let fullAt = Number.NEGATIVE_INFINITY
  const ended: Promise<unknown>[] = []
  const inHand = new Map<string, Promise<void>>()
  const fallback = wakesWithFallback({
    executions,
    wakes,
    now,
    isInHand: (id) => inHand.has(id),
    hasCapacity: () => inHand.size < pace.concurrency && !isStopping,
    fullAt: () => fullAt,
  })
  const { ordersPerTransaction = 1 } = ports
  const relaying = { relayerRecords, relayers, ordersPerTransaction, now }
  const onLost = (error: unknown) => listeners.onFault('wake', error)
  const others = handOver({ executions, wakes, now, onLost })
  const followUps = wakeScheduler({
    ...relaying,
    executions,
    wakes: fallback,
    again: fallback.again,
    chains,
    scheduler,
    onLost,
  })
  const context = { executions, steps, now, random, retry, onBug, isStopping: () => isStopping }
  const runOnce = oneRunEach(inHand, (request) => {
    if (inHand.size >= pace.concurrency) fullAt = now()
    return advance(request.id, request.isImmediate, context, request.record).pipe(
      startWith(null),
      pairwise(),
      tap(([before, after]) => {
        listeners.onRecord(before, after!)
        if (after!.version > 0) followUps.schedule(before, after!)
      }),
      map(([, after]) => after!),
      tap(whenLast((record) => isStopping && others.leave(record))),
    )
  })

  /** Repeats a task. A failed task runs again at the next interval. */
  const every = (ms: number, what: string, act: () => Promise<unknown>): Observable<unknown> =>
    rounds(
      { everyMs: ms, work: act, longestMs: tickMsMax, onTrouble: (error) => listeners.onFault(what, error), scheduler },
      stopping,
    )

  const run = (stream: Observable<unknown>): void => {
    ended.push(lastValueFrom(stream, { defaultValue: null }))
  }

  return {
    start(): void {
      const limits = { concurrency: pace.concurrency, stepMaxMs: leaseMs, scheduler }
      const woken = merge(
        wakes.wakes(pace.concurrency, () => inHand.size),
        fallback.direct,
      ).pipe(takeUntil(stopping))
      run(woken.pipe(wakePipeline(runOnce, limits, listeners.onSettled)))
      const sweepNext = pacedSweep({
        executions,
        now,
        wake: fallback.wake,
        isDelivering: wakes.isDelivering,
        onRefused: onLost,
      })
      const sweeping = every(pace.sweepMs, 'sweep', sweepNext)
      // Each key has its own timer, so a key that cannot pay does not hold up the others.
      const tending = Object.values(chains).flatMap((chain) =>
        relayers
          .onChain(chain.chainId)
          .map((relayer) =>
            every(
              pace.tendMs,
              `relayer ${relayer.id}`,
              tendRelayer(relayer, { ...relaying, executions, wakes: fallback, chain }),
            ),
          ),
      )
      run(merge(sweeping, ...tending))
    },
    /**
     * Takes no new work. Leaves each execution to another worker once its step under way has ended, or after a short
     * timeout. Resolves when the last of these steps has ended.
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
 * Carries on an execution, unless this worker is already doing so. In that case an immediate wake-up waits until the
 * current run ends, and any other wake-up is dropped.
 */
function oneRunEach(inHand: Map<string, Promise<void>>, carryOn: (request: Request) => Observable<Execution>) {
  return function runOnce(request: Request): Observable<Execution> {
    const { id, isImmediate } = request
    const held = inHand.get(id)
    if (held) return isImmediate ? from(held).pipe(mergeMap(() => runOnce({ id, isImmediate }))) : EMPTY
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

/** Calls `listener` with the last of several values, when the stream completes. */
function whenLast<Value>(listener: (value: Value) => void) {
  let last: Value | undefined
  const next = (value: Value): void => {
    last = value
  }
  return { next, complete: () => last !== undefined && listener(last) }
}

type HandOverPorts = {
  executions: Pick<Executions, 'load' | 'save'>
  wakes: Pick<Wakes, 'wakeNow' | 'isDelivering'>
  now: () => number
  onLost: (error: unknown) => void
}

/** Leaves executions to other workers on a stop request, so none waits for a lease to end. */
function handOver({ executions, wakes, now, onLost }: HandOverPorts) {
  const underWay: Promise<unknown>[] = []

  /** Without messages there is nothing to do, because every worker's sweep finds due executions. */
  async function wake({ id, bucket, dueAt }: Execution): Promise<void> {
    if (dueAt !== null && dueAt <= now() && wakes.isDelivering(bucket)) await wakes.wakeNow({ id, bucket })
  }

  /** Makes it due although this worker holds a lease. The store then refuses the result of the step under way. */
  async function takeFrom(id: string): Promise<void> {
    const isLeased = ({ dueAt }: Execution) => dueAt !== null && dueAt > now()
    const stored = await rewrite(executions, id, (execution) =>
      execution && isLeased(execution) ? { ...execution, dueAt: now() } : null,
    )
    if (stored) await wake(stored)
  }

  const track = (work: Promise<void>) => void underWay.push(work.catch(onLost))
  return {
    /** Leaves an execution whose record is stored in its current state. A waiting execution keeps waiting. */
    leave: (record: Execution) => track(wake(record)),
    /** Leaves an execution whose step is still under way: another worker restarts that step. */
    abandon: (id: string) => track(takeFrom(id)),
    /** Resolves when all executions left so far are due and their wake-ups are sent. */
    settled: async (): Promise<void> => void (await Promise.all(underWay)),
  }
}

type Limits = { concurrency: number; stepMaxMs: number; scheduler?: SchedulerLike }
export type FailedWake = { wake: Wake; error: unknown; verdict: 'nak' | 'term' }

/** A message that can never be parsed. */
class MalformedMessage extends Error {
  override name = 'MalformedMessage'
}

/**
 * The path of every wake-up, from the stream to its acknowledgement. `concurrency` equals the number of messages that
 * the source delivers at a time.
 */
export const wakePipeline =
  (
    advance: (request: Request) => Observable<Execution>,
    { concurrency, stepMaxMs, scheduler = asyncScheduler }: Limits,
    onSettled: (settled: FailedWake) => void = () => {},
  ) =>
  (wakes: Observable<DirectWake>): Observable<never> =>
    wakes.pipe(
      mergeMap(
        (wake) =>
          of(wake).pipe(
            map(wakeRequestOf),
            mergeMap((request) => defer(() => advance(request))),
            timeout({ each: stepMaxMs, scheduler }), // a step that never ends must not take up capacity permanently
            // acknowledged last, because a crash before this must redeliver the message
            tap({ complete: () => wake.ack() }),
            // Errors are caught for each message, because an error in the outer stream would end it for all messages.
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
 * The only place that decides whether a message is redelivered. After an unknown error it is, because money is at
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
