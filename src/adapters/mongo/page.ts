import type { Model } from 'mongoose'
import type { Page } from '../../ports/queries'

type Span = { field: string; from?: number | undefined; to?: number | undefined }

/** What is not asked for does not narrow. */
export const given = (filter: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** By one of these few rows are found whatever else is asked: its index serves alone. */
const narrowing = [
  'userId',
  'account',
  'deposit.account',
  'keys.hashes',
  'txHash',
  'deposit.txHash',
  'facts.routeId',
  '$or',
  'target',
]
const firstWindowMs = 15_000
const windowGrowth = 16

/**
 * Newest first by a time that every row has, then by id: nothing is skipped or repeated while rows arrive. DocumentDB
 * sorts all that its index finds, so the time is asked for in windows that grow until the page is full; where another
 * index finds few rows, time and organization are asked of those rows and of no index of their own.
 */
export async function pageOf<Row>(
  model: Model<Row>,
  equal: Record<string, unknown>,
  { field, from = 0, to }: Span,
  { limit, after, offset = 0 }: Page,
): Promise<Row[]> {
  const asked = given(equal)
  const isNarrow = narrowing.some((key) => key in asked)
  const beyond = after && {
    $or: [{ [field]: { $lt: after.createdAt } }, { [field]: after.createdAt, _id: { $lt: after.id } }],
  }
  const read = (least: number): Promise<Row[]> => {
    const bounds = given({ $gte: isNarrow && least === 0 ? undefined : least, $lt: to, $lte: after?.createdAt })
    const isUnbound = Object.keys(bounds).length === 0
    const rows = { ...(isNarrow ? besideIndex(asked) : asked), [field]: isUnbound ? { $type: 'number' } : bounds }
    const found = model.find({ $and: [rows, ...(beyond ? [beyond] : [])] } as never).sort({ [field]: -1, _id: -1 })
    return found.skip(offset).limit(limit).lean<Row[]>() as unknown as Promise<Row[]>
  }
  if (isNarrow || from > 0 || offset > 0) return read(from)
  const newest = Math.min(Date.now(), to ?? Number.POSITIVE_INFINITY, after?.createdAt ?? Number.POSITIVE_INFINITY)
  for (let window = firstWindowMs; ; window *= windowGrowth) {
    const least = Math.max(newest - window, 0)
    const page = await read(least)
    if (page.length >= limit || least === 0) return page
  }
}

/** With the user's the organization's equality is one index; beside any other it would be read in full. */
function besideIndex({ organizationId, ...rest }: Record<string, unknown>): Record<string, unknown> {
  if (organizationId === undefined) return rest
  return 'userId' in rest
    ? { ...rest, organizationId }
    : { ...rest, $nor: [{ organizationId: { $ne: organizationId } }] }
}
