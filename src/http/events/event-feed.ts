import { depositIdOfExecution } from '../../domain/deposit/deposit-stage'
import { changeHeldType, disabledType, intentEventTypes } from '../../domain/event-types'
import type { PagePosition } from '../../ports/page'
import type { DepositFound, DepositQueries, ExecutionQueries } from '../../ports/queries'
import { eventsOf, eventsOfSighting, type FeedEvent, placeOf } from '../views/event'
import { type IntentFeed, intentEvents } from './intent-events'
import { type LateFeed, lateAgain } from './late-events'
import { type RareFeed, rareEvents, rareTypes } from './rare-events'

export type FeedPorts = RareFeed &
  IntentFeed &
  LateFeed & { executionQueries: ExecutionQueries; depositQueries: DepositQueries }

export type FeedFilter = {
  tenant: string | null
  types: ReadonlySet<string>
  userId?: string | undefined
  executionId?: string | undefined
}

const pageMax = 500
/**
 * A block can be dropped this long after a transfer in it was seen, so unconfirmed transfers are read from that much
 * earlier.
 */
const orphanedMs = 60 * 60_000

export const matches = (
  { tenant, types, userId, executionId }: FeedFilter,
  { type, userId: whose, dataId }: FeedEvent,
): boolean =>
  types.has(type) &&
  (userId === undefined || userId === whose) &&
  (executionId === undefined || executionId === dataId) &&
  // The URL of an endpoint can contain a secret of its organization, which the platform does not need.
  (type !== disabledType || tenant !== null)

const byPlace = (a: FeedEvent, b: FeedEvent): number => (placeOf(a) < placeOf(b) ? -1 : placeOf(a) > placeOf(b) ? 1 : 0)

type Whose = { tenant: string | null; userId?: string | undefined }

/** Yields the events of unconfirmed transfers in [from, to), page by page. */
export async function* sightingEvents(
  { depositQueries }: Pick<FeedPorts, 'depositQueries'>,
  { tenant, userId }: Whose,
  from: number,
  to: number,
): AsyncGenerator<FeedEvent[]> {
  const whose = { organizationId: tenant, userId }
  const stages = [
    { stage: ['CONFIRMING'], createdFrom: from, createdTo: to },
    { stage: ['ORPHANED'], createdFrom: from - orphanedMs, createdTo: to },
  ] as const
  for (const asked of stages)
    for (let after: PagePosition | undefined, hasMore = true; hasMore; ) {
      const found: DepositFound[] = await depositQueries.list({ ...whose, ...asked }, { limit: pageMax, after })
      yield found.flatMap((one) => (one.sighting ? eventsOfSighting(one, from, to) : []))
      const last = found.at(-1)
      after = last && { createdAt: last.detectedAt, id: last.id }
      hasMore = found.length === pageMax
    }
}

async function* executionEvents(
  { executionQueries }: FeedPorts,
  { tenant, userId }: Whose,
  from: number,
  to: number,
): AsyncGenerator<FeedEvent[]> {
  for (let after = '', hasMore = true; hasMore; ) {
    const page = await executionQueries.movedBetween({ organizationId: tenant, userId }, from, to, pageMax, after)
    yield page.flatMap((execution) => eventsOf(execution, from, to))
    after = page.at(-1)?.id ?? after
    hasMore = page.length === pageMax
  }
}

const isRareAsked = ({ types, userId }: Pick<FeedFilter, 'types' | 'userId'>): boolean =>
  types.has(changeHeldType) || (rareTypes.some((type) => types.has(type)) && userId === undefined)

/** Returns the rare events, which concern neither deposits nor versions of intents, if the filter selects any. */
async function rareBetween(
  ports: FeedPorts,
  { tenant, types, userId, executionId }: FeedFilter,
  from: number,
  to: number,
): Promise<FeedEvent[]> {
  const isAsked = isRareAsked({ types, userId }) && executionId === undefined
  return isAsked ? rareEvents(ports, from, to, tenant) : []
}

async function eventsOfRecord(
  { executionQueries, depositQueries }: FeedPorts,
  { tenant: organizationId }: Whose,
  id: string,
  from: number,
  to: number,
): Promise<FeedEvent[]> {
  const [execution, found] = await Promise.all([
    executionQueries.find({ organizationId }, id),
    depositQueries.find({ organizationId }, depositIdOfExecution(id)),
  ])
  return [
    ...(execution ? eventsOf(execution, from, to) : []),
    ...(found?.sighting ? eventsOfSighting(found, from, to) : []),
  ]
}

/** A step with more events than this is split into smaller steps, down to `leastMs`. */
const stepMax = 500

/**
 * Returns the first events that match the filter in [from, to), in feed order. None is left out, however many there
 * are.
 * @returns null if there are many, and smaller steps can be read instead.
 */
async function firstBetween(
  ports: FeedPorts,
  filter: FeedFilter,
  { from, to, after, limit, isSmallest, known: given }: Range & { isSmallest: boolean; known: readonly FeedEvent[] },
): Promise<FeedEvent[] | null> {
  const { executionId } = filter
  const isNext = (one: FeedEvent) => matches(filter, one) && (after === null || placeOf(one) > after)
  if (executionId !== undefined)
    return (await eventsOfRecord(ports, filter, executionId, from, to)).filter(isNext).toSorted(byPlace).slice(0, limit)
  const within = given.filter((one) => one.at >= from && one.at < to && isNext(one))
  let first = within.toSorted(byPlace).slice(0, limit)
  let read = 0
  const isIntentAsked = intentEventTypes.some((type) => filter.types.has(type))
  const sources = [
    sightingEvents(ports, filter, from, to),
    executionEvents(ports, filter, from, to),
    ...(isIntentAsked ? [intentEvents(ports, filter, from, to)] : []),
    ...(isIntentAsked || isRareAsked(filter) ? [lateAgain(ports, filter.tenant, from, to)] : []),
  ]
  for (const pages of sources)
    for await (const page of pages) {
      read += page.length
      if (read > stepMax && !isSmallest) return null
      // A transfer that is confirmed during the read appears twice: as unconfirmed and as an execution.
      const known = new Set(first.map(({ id }) => id))
      first = [...first, ...page.filter((one) => isNext(one) && !known.has(one.id))].toSorted(byPlace).slice(0, limit)
    }
  return first
}

const leastMs = 1
/** Initial lengths of steps. They shrink in busy times and grow in quiet ones. */
const [firstStepMs, nextStepMs] = [60_000, 500]
const stepsMax = 200

type Range = { from: number; to: number; after: string | null; limit: number }

/**
 * Returns the next events of a feed, oldest first: those after `after`, in [from, to).
 * @returns at most `limit` events, and the time up to which everything was read.
 */
export async function nextEvents(
  ports: FeedPorts,
  filter: FeedFilter,
  { from, to, after, limit }: Range,
): Promise<{ events: FeedEvent[]; readTo: number }> {
  const events: FeedEvent[] = []
  let at = from
  let stepMs = after === null ? firstStepMs : nextStepMs
  const known = await rareBetween(ports, filter, from, to)
  if (filter.executionId !== undefined) stepMs = Math.max(to - from, leastMs)
  for (let step = 0; at < to && events.length < limit && step < stepsMax; step++) {
    const until = Math.min(at + stepMs, to)
    const left = limit - events.length
    const range = { from: at, to: until, after, limit: left, isSmallest: stepMs <= leastMs, known }
    const found = await firstBetween(ports, filter, range)
    if (found === null) {
      stepMs = Math.max(Math.floor(stepMs / 8), leastMs)
      continue
    }
    events.push(...found)
    if (found.length === left) break
    at = until
    if (found.length < stepMax / 8) stepMs *= 4
  }
  return { events, readTo: at }
}
