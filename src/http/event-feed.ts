import type { DepositQueries, ExecutionQueries } from '../ports/queries'
import { depositIdOfExecution } from '../ports/queries'
import { type Happened, happenedTo, happenedToSighting } from './views/event'

export type FeedPorts = { executionQueries: ExecutionQueries; depositQueries: DepositQueries }

export type FeedFilter = {
  tenant: string | null
  types: ReadonlySet<string>
  userId?: string | undefined
  executionId?: string | undefined
}

const recordsMax = 2_000
/** A dropped block is told when it is dropped, which is a while after the transfer was seen. */
const orphanedMs = 60 * 60_000

export const isAsked = (
  { types, userId, executionId }: FeedFilter,
  { type, userId: whose, dataId }: Happened,
): boolean =>
  types.has(type) && (userId === undefined || userId === whose) && (executionId === undefined || executionId === dataId)

const inOrder = (a: Happened, b: Happened): number => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** What happened from one time to before another, in feed order. Null when it is too much to read at once. */
export async function happenedBetween(
  { executionQueries, depositQueries }: FeedPorts,
  filter: FeedFilter,
  from: number,
  to: number,
): Promise<Happened[] | null> {
  const { tenant: organizationId, userId, executionId } = filter
  const tenant = { organizationId }
  const stage = ['CONFIRMING', 'ORPHANED'] as const
  const created = { createdFrom: from - orphanedMs, createdTo: to }
  const [executions, deposits] =
    executionId === undefined
      ? await Promise.all([
          executionQueries.movedBetween({ ...tenant, userId }, from, to, recordsMax),
          depositQueries.list({ ...tenant, userId, stage, ...created }, { limit: recordsMax }),
        ])
      : await Promise.all([
          executionQueries.find(tenant, executionId).then((one) => (one ? [one] : [])),
          depositQueries.find(tenant, depositIdOfExecution(executionId)).then((one) => (one ? [one] : [])),
        ])
  if (executions.length === recordsMax || deposits.length === recordsMax) return null
  const happened = [
    ...executions.flatMap((execution) => happenedTo(execution, from, to)),
    ...deposits.flatMap((found) => (found.sighting ? happenedToSighting(found, from, to) : [])),
  ]
  return happened.filter((one) => isAsked(filter, one)).toSorted(inOrder)
}

const leastMs = 1
/** Busy times are read in small steps, quiet ones in large ones. */
const firstStepMs = 60_000
const stepsMax = 200

/**
 * The next events of a feed, oldest first: those behind `after`, from a time on and before another.
 * @returns as many as are asked for, and the time up to which everything was read.
 */
export async function nextEvents(
  ports: FeedPorts,
  filter: FeedFilter,
  { from, to, after, limit }: { from: number; to: number; after: string | null; limit: number },
): Promise<{ events: Happened[]; readTo: number }> {
  const events: Happened[] = []
  let at = from
  let stepMs = filter.executionId === undefined ? firstStepMs : Math.max(to - from, leastMs)
  for (let step = 0; at < to && events.length < limit && step < stepsMax; step++) {
    const until = Math.min(at + stepMs, to)
    const found = await happenedBetween(ports, filter, at, until)
    if (found === null && stepMs > leastMs) {
      stepMs = Math.max(Math.floor(stepMs / 8), leastMs)
      continue
    }
    events.push(...(found ?? []).filter(({ id }) => after === null || id > after))
    at = until
    if ((found ?? []).length < recordsMax / 8) stepMs *= 4
  }
  return { events: events.slice(0, limit), readTo: at }
}
