import { asyncScheduler, type Observable, type SchedulerLike, Subject, type Subscription } from 'rxjs'
import type { Execution } from '../../domain/execution/execution'
import { StoreUnavailable } from '../../domain/unavailable'
import { wakeRepeat, wakeText } from '../../domain/wake-messages'
import type { Chains } from '../../ports/chain-client'
import type { Due, Executions } from '../../ports/executions'
import type { Wake, Wakes } from '../../ports/wakes'
import type { RelayerPorts } from '../delivery/relayer-slots'
import { handOverSlots } from '../delivery/relayer-slots'
import { leaseMs } from './advance'

/** A wake-up that is due sooner than this gets a timer. All others are left to the sweeper. */
const soonMs = 3_000
/**
 * An execution that waits for its block or its delivery gets one for longer, while there are few: this process knows
 * blocks and receipts of it, which another one would ask for again.
 */
const keptMs = 60_000
const keptMax = 1_000

type SchedulerPorts = Omit<RelayerPorts, 'chain'> & {
  executions: Executions
  wakes: Pick<Wakes, 'wakeNow'>
  /** Looks again at a record that became due: as it was stored last, where that was a moment ago. */
  again: (record: Execution, isRecent: boolean) => Promise<void>
  chains: Chains
  scheduler?: SchedulerLike | undefined
  onLost: (error: unknown) => void
}

/**
 * Sends the wake-ups that follow from a stored record: its own next look, the deposits that wait behind it in its lane,
 * and those that wait for the slot that its transaction held at the relayer.
 */
export function wakeScheduler({
  executions,
  wakes,
  again,
  chains,
  onLost,
  scheduler = asyncScheduler,
  ...ports
}: SchedulerPorts) {
  const { relayers, now } = ports
  /** One for each execution: a later look takes the place of the one before. */
  const timers = new Map<string, Subscription>()
  const underWay = new Set<Promise<void>>()

  function later(record: Execution): void {
    const inMs = record.dueAt! - now()
    const isSoon = inMs <= soonMs
    const isKept = record.state === 'RUNNING' && inMs <= keptMs && timers.size < keptMax
    timers.get(record.id)?.unsubscribe()
    timers.delete(record.id)
    if (!isSoon && !isKept) return
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
    const handing = handOverSlots(relayer, { ...ports, chain, wakes })
      .catch(onLost)
      .finally(() => underWay.delete(handing))
    underWay.add(handing)
  }

  return {
    /** @param before The record before this write; null when it was just loaded. */
    schedule(before: Execution | null, after: Execution): void {
      if (after.dueAt !== null && after.dueAt > now()) later(after)
      const hasLeft = after.facts.spent !== undefined || after.completedAt !== null
      const hadLeft = before === null || before.facts.spent !== undefined || before.completedAt !== null
      if (hasLeft && !hadLeft) void wakeBehind(after, { executions, wakes }).catch(onLost)
      if (before !== null && !isMined(before) && isMined(after)) handOverSlot(after)
      // Those that went along may have left the slots free that they were handed.
      const isShared = after.facts.transactions?.at(-1)?.orders !== undefined
      if (isShared && before?.facts.transactions === undefined) handOverSlot(after)
    },
    /** Resolves when the hand-overs that have begun have woken whom they are for. */
    async stop(): Promise<void> {
      for (const timer of timers.values()) timer.unsubscribe()
      timers.clear()
      await Promise.all(underWay)
    },
  }
}

/** Whether a block contains the execution's transaction, so that it no longer holds a slot of its relayer. */
const isMined = ({ facts, completedAt }: Execution): boolean =>
  completedAt !== null || facts.spent !== undefined || (facts.receipt ?? null) !== null

/**
 * How many deposits are woken. Only one of them can take the lane, and waking all would cost the square of their
 * number.
 */
const wokenMax = 4

type BehindPorts = { executions: Pick<Executions, 'waitingForLane'>; wakes: Pick<Wakes, 'wakeNow'> }

/** Wakes the deposits that wait behind one whose money has left its lane or never will. */
export async function wakeBehind({ deposit }: Execution, { executions, wakes }: BehindPorts): Promise<void> {
  for (const waiting of await executions.waitingForLane(deposit.lane, wokenMax)) await wakes.wakeNow(waiting)
}

const sweepMax = 500
/** A sweep is followed by a rest of so long for each execution that a message wakes, and at most of a second. */
const restPerWakeMs = 2
const restMaxMs = 1_000

type SweepPorts = {
  executions: Executions
  wake: (due: Due) => Promise<void>
  now: () => number
  /** Called for an execution that could not be woken while others could. */
  onRefused: (error: unknown) => void
}

/**
 * Wakes the executions that are due, and writes nothing: each stays due until a worker carries it on, so a lost wake-up
 * only costs time. The sweep goes round in pages, so an execution that nobody can carry on does not hide those after
 * it, nor those that became due at the same moment.
 *
 * @param after Where the last call ended; -1 begins a new round.
 * @returns The value of `after` for the next call.
 * @throws When the store is away, or when nobody on the page can be woken. The call is then repeated.
 */
export async function sweep({ executions, wake, now, onRefused }: SweepPorts, after: number): Promise<number> {
  const at = now()
  let most = sweepMax
  let owed = await executions.due(at, after, most)
  // A page with a single moment gives no place to continue from, so it has to be larger.
  while (owed.length === most && owed[0]!.dueAt === owed.at(-1)!.dueAt) {
    most *= 2
    owed = await executions.due(at, after, most)
  }
  const isAll = owed.length < most
  const last = owed.at(-1)?.dueAt // there may be more of that moment, so it begins the next page
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

type RestingPorts = SweepPorts & { isHeard: (bucket: number) => boolean }

/**
 * Makes the function that sweeps the next page whenever it is called, except while it rests. In a backlog, most of what
 * a sweep finds was woken before and only waits for its turn, so the more it finds, the more rarely it looks. It does
 * not rest after a page with anything that messages do not reach, because the sweep alone brings that to a worker.
 */
export function restingSweep({ isHeard, ...ports }: RestingPorts): () => Promise<void> {
  const { now } = ports
  let after = -1
  let restsUntil = Number.NEGATIVE_INFINITY

  return async () => {
    if (now() < restsUntil) return
    let messages = 0
    let isAlone = false
    const wake = (due: Due): Promise<void> => {
      if (isHeard(due.bucket)) messages += 1
      else isAlone = true
      return ports.wake(due)
    }
    after = await sweep({ ...ports, wake }, after)
    restsUntil = isAlone ? Number.NEGATIVE_INFINITY : now() + Math.min(messages * restPerWakeMs, restMaxMs)
  }
}

/** Whoever was woken before the messages stopped has this long before others take an execution over. */
export const directAfterMs = 1_000

/**
 * Messages that say they arrive may still reach nobody. What has been due for this long is taken by a worker that has
 * capacity, whatever they say.
 */
export const unheardAfterMs = 60_000

type FallbackPorts = {
  executions: Pick<Executions, 'begun' | 'load' | 'save'>
  wakes: Pick<Wakes, 'wake' | 'wakeNow' | 'isHeard'>
  now: () => number
  isInHand: (id: string) => boolean
  hasCapacity: () => boolean
}

type WakesWithFallback = Pick<Wakes, 'wakeNow'> & {
  wake(due: Due): Promise<void>
  /**
   * Looks again at a record that this process stored and that became due. It is not sent to another worker. One that
   * waits for a block or a delivery, and was stored a moment ago, is not read either: nobody else has a reason to have
   * changed it, and if somebody has, what comes of this look is not stored. Any other is read, because one of its next
   * steps may take a lane or sign.
   */
  again(record: Execution, isRecent: boolean): Promise<void>
  /** What this process wakes by itself. */
  direct: Observable<DirectWake>
}

/** @property record What is stored, as far as this process knows. */
export type DirectWake = Wake & { record?: Execution }

/**
 * Wakes workers by messages while these arrive, and itself while they do not. A queue gives each message to one worker;
 * without it, an execution is leased by a conditional write first, so of all workers that see it due one carries it on.
 * What this worker has no capacity for stays due for another.
 */
export function wakesWithFallback({ executions, wakes, now, isInHand, hasCapacity }: FallbackPorts): WakesWithFallback {
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
      const { id, version, bucket } = record
      if (!wakes.isHeard(bucket)) await take(id, true)
      else if (hasCapacity()) direct.next({ ...wakeOf(id), ...(isRecent && record.state === 'RUNNING' && { record }) })
      else await wakes.wake({ id, version, bucket }) // as the sweep would, so that it is not sent twice
    },
    async wake(due) {
      if (isInHand(due.id)) return // whoever carries it on stores when it is due next
      const overdueMs = now() - due.dueAt
      const isOverlooked = overdueMs >= unheardAfterMs && hasCapacity()
      if (wakes.isHeard(due.bucket) && !isOverlooked) await wakes.wake({ ...due, repeat: wakeRepeat(overdueMs) })
      else if (overdueMs >= directAfterMs) await take(due.id, false)
    },
    async wakeNow(called) {
      if (wakes.isHeard(called.bucket)) await wakes.wakeNow(called)
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

type Stored = { executions: Pick<Executions, 'load' | 'save'>; now: () => number }

/** Makes an execution due in its record, where every worker's sweep finds it. */
async function makeDue(id: string, { executions, now }: Stored): Promise<void> {
  const stored = await executions.load(id)
  if (stored && stored.dueAt !== null && stored.dueAt > now()) await executions.save({ ...stored, dueAt: now() })
}

/**
 * Wakes a worker from a process that may have none itself: by a message while NATS delivers them, else by making the
 * record due. Otherwise a deposit that waits for its intent, or for its lane, would wait for its own next look.
 */
export const wakeNowOrMakeDue =
  ({ wakes, ...stored }: Stored & { wakes: Pick<Wakes, 'wakeNow' | 'isHeard'> }): Wakes['wakeNow'] =>
  (called) =>
    wakes.isHeard(called.bucket) ? wakes.wakeNow(called) : makeDue(called.id, stored)
