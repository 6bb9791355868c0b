import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'

type Stored = { executions: Pick<Executions, 'load' | 'save'>; now: () => number }

/** Makes an execution due in its record, where every worker's sweep finds it. */
export async function makeDue(id: string, { executions, now }: Stored): Promise<void> {
  const stored = await executions.load(id)
  if (stored && stored.dueAt !== null && stored.dueAt > now()) await executions.save({ ...stored, dueAt: now() })
}

/**
 * Tells workers of news from a process that may have no worker itself: by a message while these arrive, else in the
 * record. Otherwise a deposit that waits for its intent, or for its lane, would wait for its own next look.
 */
export const newsOrDue =
  ({ wakes, ...stored }: Stored & { wakes: Pick<Wakes, 'wakeNow' | 'isHeard'> }): Wakes['wakeNow'] =>
  (called) =>
    wakes.isHeard(called.bucket) ? wakes.wakeNow(called) : makeDue(called.id, stored)
