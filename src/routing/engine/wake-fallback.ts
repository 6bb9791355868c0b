import { type Observable, Subject } from 'rxjs'
import { wakeRepeat, wakeText } from '../../domain/wake-messages'
import type { Due, Executions } from '../../ports/executions'
import type { Wake, Wakes } from '../../ports/wakes'
import { leaseMs } from './advance'

/** Whoever was woken before the messages stopped has this long before others take an execution over. */
export const directAfterMs = 1_000

type Ports = {
  executions: Pick<Executions, 'begun' | 'load' | 'save'>
  wakes: Pick<Wakes, 'wake' | 'wakeNow' | 'isHeard'>
  now: () => number
  isInHand: (id: string) => boolean
  hasCapacity: () => boolean
}

type WakesWithFallback = Pick<Wakes, 'wakeNow'> & {
  wake(due: Due): Promise<void>
  /** What this process wakes by itself. */
  direct: Observable<Wake>
}

/**
 * Wakes workers by messages while these arrive, and itself while they do not. A queue gives each message to one worker;
 * without it, an execution is leased by a conditional write first, so of all workers that see it due one carries it on.
 * What this worker has no capacity for stays due for another.
 */
export function wakesWithFallback({ executions, wakes, now, isInHand, hasCapacity }: Ports): WakesWithFallback {
  const direct = new Subject<Wake>()

  async function take(id: string, isImmediate: boolean): Promise<void> {
    if (isInHand(id)) return isImmediate ? direct.next(wakeOf(id)) : undefined
    if (!hasCapacity()) return isImmediate ? makeDue(id, { executions, now }) : undefined
    const stored = executions.begun(id) ?? (await executions.load(id))
    if (!stored || stored.dueAt === null || (stored.dueAt > now() && !isImmediate)) return
    if (await executions.save({ ...stored, dueAt: now() + leaseMs })) direct.next(wakeOf(id))
  }

  return {
    direct,
    async wake(due) {
      const overdueMs = now() - due.dueAt
      if (wakes.isHeard(due.bucket)) await wakes.wake({ ...due, repeat: wakeRepeat(overdueMs) })
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
