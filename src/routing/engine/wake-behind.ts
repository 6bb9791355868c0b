import type { Execution } from '../../domain/execution/execution'
import type { Executions } from '../../ports/executions'
import type { Wakes } from '../../ports/wakes'

/**
 * How many deposits are woken. Only one of them can take the lane, and waking all would cost the square of their
 * number.
 */
const nextMax = 4

type Ports = { executions: Pick<Executions, 'waitingForLane'>; wakes: Pick<Wakes, 'wakeNow'> }

/** Wakes the deposits that wait behind one whose money has left its lane or never will. */
export async function wakeBehind({ deposit }: Execution, { executions, wakes }: Ports): Promise<void> {
  for (const waiting of await executions.waitingForLane(deposit.lane, nextMax)) await wakes.wakeNow(waiting)
}
