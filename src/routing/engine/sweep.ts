import type { Due, Executions } from '../../ports/executions'

const sweepMax = 500

/**
 * Wakes what is due and writes nothing: the debt stands until a worker pays it, so a lost wake-up is only late. It goes
 * round: what nobody can carry on does not hide what comes after it, nor what is due at the same moment.
 *
 * @param after where the last call ended; -1 begins a round. @returns the same for the next call.
 */
export async function sweep(
  { executions, wake, now }: { executions: Executions; wake: (due: Due) => Promise<void>; now: () => number },
  after: number,
): Promise<number> {
  const at = now()
  let most = sweepMax
  let owed = await executions.due(at, after, most)
  // A page of one moment alone has no place to go on from.
  while (owed.length === most && owed[0]!.dueAt === owed.at(-1)!.dueAt) {
    most *= 2
    owed = await executions.due(at, after, most)
  }
  const isAll = owed.length < most
  const last = owed.at(-1)?.dueAt // of that moment there may be more: it begins the next page
  const page = isAll ? owed : owed.filter(({ dueAt }) => dueAt !== last)
  for (const due of page) await wake(due)
  return isAll ? -1 : page.at(-1)!.dueAt
}
