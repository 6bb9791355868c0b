import { asyncScheduler, type Observable, type SchedulerLike, Subject, type Subscription } from 'rxjs'
import type { Execution } from '../../domain/execution/execution'
import { StoreUnavailable } from '../../domain/unavailable'
import { repeatOwed, wakeText } from '../../domain/wake-messages'
import type { Chains } from '../../ports/chain-client'
import type { Due, Executions, TokenPair } from '../../ports/executions'
import type { Wake, Wakes } from '../../ports/wakes'
import { assignSlots, type RelayersOfAll, relayersOn } from '../delivery/relayer-slots'
import { leaseMs } from './advance'

/** Wake-ups due sooner than this get a timer. The sweeper sends the others. */
const soonMs = 3_000
/**
 * An execution that waits for its block or its delivery gets a longer timer, while there are few. This process has its
 * blocks and receipts cached; another process would fetch them again.
 */
const retainedMs = 60_000
const retainedMax = 1_000

type SchedulerPorts = RelayersOfAll & {
  executions: Executions
  wakes: Pick<Wakes, 'wakeNow'>
  /** Runs a record that became due. `isRecent`: it was stored a moment ago, so the stored copy can be used. */
  again: (record: Execution, isRecent: boolean) => Promise<void>
  chains: Chains
  scheduler?: SchedulerLike | undefined
  onLost: (error: unknown) => void
}

/**
 * Sends the wake-ups that follow from a stored record: its own next run, the deposits that wait behind it in its lane,
 * and the executions that wait for its relayer slot.
 */
export function wakeScheduler({
  executions,
  wakes,
  again,
  chains,
  relayers,
  relayerRecords,
  ordersPerTransaction,
  onLost,
  scheduler = asyncScheduler,
  now,
}: SchedulerPorts) {
  const relaying = { relayers, relayerRecords, ordersPerTransaction, now }
  /** One timer per execution: a later wake-up replaces the one before. */
  const timers = new Map<string, Subscription>()
  const underWay = new Set<Promise<void>>()

  function later(record: Execution): void {
    const inMs = record.dueAt! - now()
    const isSoon = inMs <= soonMs
    const isRetained = record.state === 'RUNNING' && inMs <= retainedMs && timers.size < retainedMax
    timers.get(record.id)?.unsubscribe()
    timers.delete(record.id)
    if (!isSoon && !isRetained) return
    const wake = (): void => {
      timers.delete(record.id)
      void again(record, isSoon).catch(onLost)
    }
    timers.set(record.id, scheduler.schedule(wake, Math.max(0, inMs) + 1))
  }

  function handOverSlot({ deposit, facts }: Execution): void {
    const chain = chains[deposit.chainId]
    const sender = facts.transactions?.at(-1)?.sender
    const relayer = relayers.onChain(deposit.chainId).find(({ id }) => id === sender)
    if (!relayer) return
    const handing = assignSlots(relayer, { ...relayersOn(relaying, chain), wakes })
      .catch(onLost)
      .finally(() => underWay.delete(handing))
    underWay.add(handing)
  }

  return {
    /** @param before The record before this write; null if it was just loaded. */
    schedule(before: Execution | null, after: Execution): void {
      if (after.dueAt !== null && after.dueAt > now()) later(after)
      const hasLeft = after.facts.spent !== undefined || after.completedAt !== null
      const hadLeft = before === null || before.facts.spent !== undefined || before.completedAt !== null
      if (hasLeft && !hadLeft) void wakeBehind(after, { executions, wakes }).catch(onLost)
      if (before !== null && !isMined(before) && isMined(after)) handOverSlot(after)
      // The batched orders may have left their assigned slots unused.
      const isShared = after.facts.transactions?.at(-1)?.orders !== undefined
      if (isShared && before?.facts.transactions === undefined) handOverSlot(after)
    },
    /** Resolves when every slot assignment under way has sent its wake-ups. */
    async stop(): Promise<void> {
      for (const timer of timers.values()) timer.unsubscribe()
      timers.clear()
      await Promise.all(underWay)
    },
  }
}

/** Whether a block contains the execution's transaction, so it no longer holds a relayer slot. */
const isMined = ({ facts, completedAt }: Execution): boolean =>
  completedAt !== null || facts.spent !== undefined || (facts.receipt ?? null) !== null

/**
 * Number of deposits woken. Only one can take the lane, so waking all each time would cost the square of their number.
 */
const wokenMax = 4

type BehindPorts = { executions: Pick<Executions, 'waitingForLane'>; wakes: Pick<Wakes, 'wakeNow'> }

/** Wakes the deposits that wait behind a deposit whose money has left the lane or never will. */
export async function wakeBehind({ deposit }: Execution, { executions, wakes }: BehindPorts): Promise<void> {
  for (const waiting of await executions.waitingForLane(deposit.lane, wokenMax)) await wakes.wakeNow(waiting)
}

/** Number of deposits woken when a provider recovers. Their own retries wake the rest. */
const answeredMax = 1_000

type AnsweredPorts = { executions: Pick<Executions, 'failedBetween'>; wakes: Pick<Wakes, 'wakeNow'> }

/**
 * Wakes the deposits whose next attempt is far off because a provider failed for their tokens, once it answers for them
 * again.
 */
export async function wakeAnswered(route: TokenPair, { executions, wakes }: AnsweredPorts): Promise<void> {
  for (const failed of await executions.failedBetween(route, answeredMax)) await wakes.wakeNow(failed)
}

const sweepMax = 500
/** Pause after a sweep, for each execution that a message wakes, and its maximum. */
const pausePerWakeMs = 2
const pauseMsMax = 1_000

type SweepPorts = {
  executions: Executions
  wake: (due: Due) => Promise<void>
  now: () => number
  /** Called for an execution that could not be woken while others could. */
  onRefused: (error: unknown) => void
}

/**
 * Wakes the executions that are due, and writes nothing. Each stays due until a worker runs it, so a lost wake-up only
 * costs time. The sweep goes round in pages. An execution that no worker can run therefore does not hide later ones,
 * nor others that became due at the same moment.
 *
 * @param after The last call's return value; -1 starts a new round.
 * @returns The value of `after` for the next call.
 * @throws If the store is unreachable, or if no execution on the page can be woken. Repeat the call.
 */
export async function sweep({ executions, wake, now, onRefused }: SweepPorts, after: number): Promise<number> {
  const at = now()
  let most = sweepMax
  let owed = await executions.due(at, after, most)
  // If all rows of a page have one due time, there is no position to continue from, so the page must be larger.
  while (owed.length === most && owed[0]!.dueAt === owed.at(-1)!.dueAt) {
    most *= 2
    owed = await executions.due(at, after, most)
  }
  const isAll = owed.length < most
  const last = owed.at(-1)?.dueAt // more rows can have that time, so the next page starts with it
  const page = isAll ? owed : owed.filter(({ dueAt }) => dueAt !== last)
  const refused: unknown[] = []
  for (const due of page)
    try {
      await wake(due)
    } catch (error) {
      if (error instanceof StoreUnavailable) throw error
      refused.push(error)
    }
  if (refused.length > 0 && refused.length === page.length) throw refused[0]
  for (const error of refused) onRefused(error)
  return isAll ? -1 : page.at(-1)!.dueAt
}

type PacedPorts = SweepPorts & { isDelivering: (bucket: number) => boolean }

/**
 * Makes the function that sweeps the next page at each call, except during its pauses. In a backlog, most executions in
 * a sweep were woken before and only wait for a worker, so a fuller page brings a longer pause. There is no pause after
 * a page with an execution that messages do not reach, because only the sweep brings it to a worker.
 */
export function pacedSweep({ executions, wake, now, onRefused, isDelivering }: PacedPorts): () => Promise<void> {
  let after = -1
  let pausedUntil = Number.NEGATIVE_INFINITY

  return async () => {
    if (now() < pausedUntil) return
    let messages = 0
    let isAlone = false
    const counted = (due: Due): Promise<void> => {
      if (isDelivering(due.bucket)) messages += 1
      else isAlone = true
      return wake(due)
    }
    after = await sweep({ executions, wake: counted, now, onRefused }, after)
    pausedUntil = isAlone ? Number.NEGATIVE_INFINITY : now() + Math.min(messages * pausePerWakeMs, pauseMsMax)
  }
}

/** Time an earlier wake-up has before other workers take over an execution once messages stop. */
export const directAfterMs = 1_000

/**
 * Messages can seem to arrive and still reach no worker. A worker with capacity therefore takes every execution that
 * has been due for this long.
 */
export const undeliveredAfterMs = 60_000

type FallbackPorts = {
  executions: Pick<Executions, 'begun' | 'load' | 'save'>
  wakes: Pick<Wakes, 'wake' | 'wakeNow' | 'isDelivering'>
  now: () => number
  isInHand: (id: string) => boolean
  hasCapacity: () => boolean
  /** When the worker last had no capacity. */
  fullAt: () => number
}

type WakesWithFallback = Pick<Wakes, 'wakeNow'> & {
  wake(due: Due): Promise<void>
  /**
   * Runs a record that this process stored and that became due, without sending it to another worker. A record that
   * waits for a block or a delivery, and was stored a moment ago, is not re-read. Other processes should not have
   * changed it. If one did, the conditional save fails and the result is discarded. All other records are re-read,
   * because a next step may take a lane or sign.
   */
  again(record: Execution, isRecent: boolean): Promise<void>
  /** The wake-ups that this process gives itself. */
  direct: Observable<DirectWake>
}

/** @property record The stored record, if this process has it. */
export type DirectWake = Wake & { record?: Execution }

/**
 * Wakes workers by messages, and this worker directly while messages do not arrive. A queue gives each message to one
 * worker. If there is no queue, a conditional write leases the execution first, so only one of the workers that see it
 * due runs it. An execution that this worker has no capacity for stays due for another.
 */
export function wakesWithFallback(ports: FallbackPorts): WakesWithFallback {
  const { executions, wakes, now, isInHand, hasCapacity, fullAt } = ports
  const direct = new Subject<DirectWake>()

  async function take(id: string, isImmediate: boolean): Promise<void> {
    if (isInHand(id)) return isImmediate ? direct.next(wakeOf(id)) : undefined
    if (!hasCapacity()) return isImmediate ? makeDue(id, { executions, now }) : undefined
    const stored = executions.begun(id) ?? (await executions.load(id))
    if (!stored || stored.dueAt === null || (stored.dueAt > now() && !isImmediate)) return
    if (await executions.save({ ...stored, dueAt: now() + leaseMs })) direct.next(wakeOf(id))
  }

  return {
    direct,
    async again(record, isRecent) {
      const { id, bucket } = record
      if (!wakes.isDelivering(bucket)) await take(id, true)
      else if (hasCapacity()) direct.next({ ...wakeOf(id), ...(isRecent && record.state === 'RUNNING' && { record }) })
      else await wakes.wakeNow({ id, bucket, isDue: true })
    },
    async wake(due) {
      if (isInHand(due.id)) return // its run stores when it is due next
      if (!hasCapacity()) return // a process with capacity sweeps too
      const overdueMs = now() - due.dueAt
      const isDelivering = wakes.isDelivering(due.bucket) && overdueMs < undeliveredAfterMs
      const repeat = repeatOwed(due.version, overdueMs, now() - fullAt())
      if (isDelivering && repeat !== null) await wakes.wake({ ...due, repeat })
      else if (!isDelivering && overdueMs >= directAfterMs) await take(due.id, false)
    },
    async wakeNow(called) {
      if (wakes.isDelivering(called.bucket)) await wakes.wakeNow(called)
      else await take(called.id, true)
    },
  }
}

/** It is never repeated: when its lease ends, the execution is due again. */
const wakeOf = (id: string): Wake => ({
  data: new TextEncoder().encode(wakeText({ id, isImmediate: true })),
  redeliveries: 0,
  ack() {},
  nak() {},
  term() {},
})

type WakeStores = { executions: Pick<Executions, 'load' | 'save'>; now: () => number }

/** Makes an execution due in its record, where every worker's sweep finds it. */
async function makeDue(id: string, { executions, now }: WakeStores): Promise<void> {
  const stored = await executions.load(id)
  if (stored && stored.dueAt !== null && stored.dueAt > now()) await executions.save({ ...stored, dueAt: now() })
}

/**
 * Wakes a worker from a process that may have none: by a message while NATS delivers, else by making the record due.
 * Otherwise a deposit that waits for its intent or its lane would wait for its own next poll.
 */
export const wakeNowOrMakeDue =
  ({ wakes, executions, now }: WakeStores & { wakes: Pick<Wakes, 'wakeNow' | 'isDelivering'> }): Wakes['wakeNow'] =>
  (called) =>
    wakes.isDelivering(called.bucket) ? wakes.wakeNow(called) : makeDue(called.id, { executions, now })
