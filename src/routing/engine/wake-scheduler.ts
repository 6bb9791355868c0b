import { asyncScheduler, type SchedulerLike, type Subscription } from 'rxjs'
import type { Execution } from '../../domain/execution/execution'
import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'
import { wakeBehind } from './wake-behind'

/** Nearer than this a wake-up is worth a timer of our own; the sweeper is what it rests on. */
const soonMs = 3_000

type Ports = {
  executions: Executions
  wakes: Wakes
  now: () => number
  scheduler?: SchedulerLike | undefined
  onLost: (error: unknown) => void
}

/** Rings for what a stored record means to others: its own next look, and the deposits behind it in its lane. */
export function wakeScheduler({ executions, wakes, now, onLost, scheduler = asyncScheduler }: Ports) {
  const timers = new Set<Subscription>()

  function later(record: Execution): void {
    const inMs = record.dueAt! - now()
    if (inMs > soonMs) return
    const ring = (): void => {
      timers.delete(timer)
      void wakes.wakeNow(record).catch(onLost)
    }
    const timer = scheduler.schedule(ring, Math.max(0, inMs) + 1)
    timers.add(timer)
  }

  return {
    /** @param before the record as it was when this look began; null when it was just loaded. */
    ring(before: Execution | null, after: Execution): void {
      if (after.dueAt !== null && after.dueAt > now()) later(after)
      const hasLeft = after.facts.spent !== undefined || after.completedAt !== null
      const hadLeft = before === null || before.facts.spent !== undefined || before.completedAt !== null
      if (hasLeft && !hadLeft) void wakeBehind(after, { executions, wakes }).catch(onLost)
    },
    stop(): void {
      for (const timer of timers) timer.unsubscribe()
      timers.clear()
    },
  }
}
