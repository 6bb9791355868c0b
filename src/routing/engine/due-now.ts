import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'

type Stored = { executions: Pick<Executions, 'load' | 'save'>; now: () => number }

/** Makes an execution due in its record, where every worker's sweep finds it. */
export async function makeDue(id: string, { executions, now }: Stored): Promise<void> {
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
