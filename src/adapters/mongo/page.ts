import type { Model } from 'mongoose'
import type { Page, Place } from '../../ports/queries'

type Span = { field: string; from?: number | undefined; to?: number | undefined }
type Filter = Record<string, unknown>

/** What is not asked for does not narrow. */
export const given = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** By one of these few rows are found whatever else is asked: its index serves alone. */
const narrowing = [
  '_id',
  'userId',
  'account',
  'address',
  'deposit.account',
  'keys.hashes',
  'txHash',
  'deposit.txHash',
  'facts.routeId',
  'refundOf',
  'target',
]
const firstWindowMs = 15_000
const windowGrowth = 16

/** What has no status is not shown yet: there are few of those at any time. */
const narrows = (name: string, value: unknown): boolean =>
  value === null ? name === 'status' : narrowing.includes(name)
const isNarrow = (asked: Filter): boolean => Object.entries(asked).some(([name, value]) => narrows(name, value))

/** A filter for the rows of a time that have what is asked; where few rows are found, by the index that finds them. */
export function rowsOf(equal: Filter, { field, from = 0, to }: Span, after?: Place): Filter {
  const asked = given(equal)
  if (isNarrow(asked)) return besideIndex(asked, { field, from, to }, after)
  const beyond = after && {
    $or: [{ [field]: { $lt: after.createdAt } }, { [field]: after.createdAt, _id: { $lt: after.id } }],
  }
  const bounds = given({ $gte: from, $lt: to, $lte: after?.createdAt })
  return { $and: [{ ...asked, [field]: bounds }, ...(beyond ? [beyond] : [])] }
}

/**
 * Newest first by a time that every row has, then by id: nothing is skipped or repeated while rows arrive. DocumentDB
 * sorts all that its index finds, so the time is asked for in windows that grow until the page is full; where another
 * index finds few rows, all else is asked of those rows and of no index of its own.
 */
export async function pageOf<Row>(
  model: Model<Row>,
  equal: Filter,
  { field, from = 0, to }: Span,
  { limit, after, offset = 0 }: Page,
): Promise<Row[]> {
  const read = (least: number): Promise<Row[]> => {
    const found = model.find(rowsOf(equal, { field, from: least, to }, after) as never).sort({ [field]: -1, _id: -1 })
    return found.skip(offset).limit(limit).lean<Row[]>() as unknown as Promise<Row[]>
  }
  if (isNarrow(given(equal)) || from > 0 || offset > 0) return read(from)
  const newest = Math.min(Date.now(), to ?? Number.POSITIVE_INFINITY, after?.createdAt ?? Number.POSITIVE_INFINITY)
  for (let window = firstWindowMs; ; window *= windowGrowth) {
    const least = Math.max(newest - window, 0)
    const page = await read(least)
    if (page.length >= limit || least === 0) return page
  }
}

/** Asked as what must not be, for which no index is read: DocumentDB reads every index that it could, in full. */
function besideIndex(asked: Filter, { field, from = 0, to }: Span, after?: Place): Filter {
  const hasOrganization = 'userId' in asked || asked['status'] === null
  const kept: Filter = {}
  const others: Filter[] = [{ [field]: null }]
  for (const [name, value] of Object.entries(asked))
    if (name.startsWith('$') || narrows(name, value) || (name === 'organizationId' && hasOrganization))
      kept[name] = value
    else others.push({ [name]: isCondition(value) ? { $not: value } : { $ne: value } })
  if (from > 0) others.push({ [field]: { $lt: from } })
  if (to !== undefined) others.push({ [field]: { $gte: to } })
  if (after) others.push({ [field]: { $gt: after.createdAt } }, { [field]: after.createdAt, _id: { $gte: after.id } })
  return { ...kept, $nor: others }
}

const isCondition = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).every((name) => name.startsWith('$'))
