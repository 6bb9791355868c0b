import { mayTake, type Relayer, type SlotRequest, waitingIn } from './relayer'

/** How long a slot is kept for an execution that was handed it. Until then nobody else may take it. */
const handedMs = 6_000
/** The most that wait in the line of one key. All others look again by themselves. */
const lineMax = 200

type Line = NonNullable<Relayer['line']>
type Waiter = Line[number]

const isHanded = ({ handedUntil }: Waiter): boolean => handedUntil !== null

/** Returns the line without those who did not come for the slot that they were handed. They line up again. */
export const standing = ({ line = [] }: Relayer, now: number): Line =>
  line.filter(({ handedUntil }) => handedUntil === null || handedUntil > now)

const isFirst = (one: Waiter, other: Waiter): boolean =>
  one.since < other.since || (one.since === other.since && one.executionId < other.executionId)

/** Whether an execution was handed a slot that it has not used yet. */
export const hasBeenHanded = (relayer: Relayer, executionId: string, now: number): boolean =>
  standing(relayer, now).some((waiter) => waiter.executionId === executionId && isHanded(waiter))

/**
 * Returns those of the line whose turn it is, as far as there are free slots: first an organization that holds fewest
 * of them, and within an organization whoever has waited longest. A slot that was handed to somebody is taken.
 *
 * @param mined The number of nonces of the key that are mined.
 */
function nextIn(relayer: Relayer, line: Line, mined: number): Waiter[] {
  const held: { organizationId?: string }[] = [...waitingIn(relayer, mined), ...line.filter(isHanded)]
  const waiting = new Set(line.filter((waiter) => !isHanded(waiter)))
  const next: Waiter[] = []
  for (;;) {
    const own = Map.groupBy(held, ({ organizationId }) => organizationId)
    const holds = ({ organizationId }: Waiter) => own.get(organizationId)?.length ?? 0
    const isBefore = (one: Waiter, other: Waiter) =>
      holds(one) < holds(other) || (holds(one) === holds(other) && isFirst(one, other))
    const able = [...waiting].filter((waiter) => mayTake(held, waiter))
    const first = able.reduce<Waiter | null>((best, one) => (best && !isBefore(one, best) ? best : one), null)
    if (!first) return next
    next.push(first)
    held.push(first)
    waiting.delete(first)
  }
}

/** Whether it is an execution's turn to take a free slot, or one is kept for it. */
export function isItsTurn(relayer: Relayer, mined: number, request: SlotRequest, now: number): boolean {
  const { executionId } = request
  if (hasBeenHanded(relayer, executionId, now)) return true
  const line = standing(relayer, now)
  const isThere = line.some((waiter) => waiter.executionId === executionId)
  const all = isThere ? line : [...line, { ...request, handedUntil: null }]
  return nextIn(relayer, all, mined).some((waiter) => waiter.executionId === executionId)
}

/**
 * Hands the free slots to those who wait for one.
 *
 * @returns the record with them and who they are; null when there is nobody to hand one to.
 */
export function handedOver(
  relayer: Relayer,
  mined: number,
  now: number,
): { relayer: Relayer; called: Waiter[] } | null {
  const line = standing(relayer, now)
  const called = nextIn(relayer, line, mined)
  if (called.length === 0) return null
  const lucky = new Set(called)
  const handedUntil = now + handedMs
  return { relayer: { ...relayer, line: line.map((one) => (lucky.has(one) ? { ...one, handedUntil } : one)) }, called }
}

/** Whether anybody waits who has not been handed a slot. */
export const isAwaited = ({ line = [] }: Relayer): boolean => line.some((waiter) => !isHanded(waiter))

/** Returns the newest waiter of the organizations that have most in line. */
function newestOfLargest(waiting: Line): Waiter {
  const groups = [...Map.groupBy(waiting, ({ organizationId }) => organizationId).values()]
  const most = Math.max(...groups.map(({ length }) => length))
  return groups
    .filter(({ length }) => length === most)
    .flat()
    .reduce((last, one) => (isFirst(last, one) ? one : last))
}

/**
 * Adds an execution to the line. When the line is full, the newest of the organization that has most in it leaves, so
 * that no organization fills the line alone.
 *
 * @returns null when the execution is in the line already, or when there is no room for it.
 */
export function linedUp(relayer: Relayer, request: SlotRequest, now: number): Relayer | null {
  const line = standing(relayer, now)
  if (line.some(({ executionId }) => executionId === request.executionId)) return null
  const joined = [...line, { ...request, handedUntil: null }]
  if (joined.length <= lineMax) return { ...relayer, line: joined }
  const newest = newestOfLargest(joined.filter((waiter) => !isHanded(waiter)))
  return newest.executionId === request.executionId
    ? null
    : { ...relayer, line: joined.filter((waiter) => waiter !== newest) }
}

/** Removes an execution from the line, because it has its nonce or may not take a slot now. */
export const withoutWaiter = (relayer: Relayer, executionId: string): Relayer =>
  relayer.line?.some((waiter) => waiter.executionId === executionId)
    ? { ...relayer, line: relayer.line.filter((waiter) => waiter.executionId !== executionId) }
    : relayer
