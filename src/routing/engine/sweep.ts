import type { Due, Executions } from '../../ports/executions'
import { StoreUnavailable } from '../../ports/unavailable'

const sweepMax = 500

type Ports = {
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
export async function sweep({ executions, wake, now, onRefused }: Ports, after: number): Promise<number> {
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
