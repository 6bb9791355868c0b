import type { Model } from 'mongoose'
import type { Page } from '../../ports/queries'

type Span = { field: string; from?: number | undefined; to?: number | undefined }

/** What is not asked for does not narrow. */
export const given = (filter: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** Newest first by a time that every row has, then by id: nothing is skipped or repeated while rows arrive. */
export async function pageOf<Row>(
  model: Model<Row>,
  equal: Record<string, unknown>,
  { field, from = 0, to }: Span,
  { limit, after, offset = 0 }: Page,
): Promise<Row[]> {
  const bounds = given({ $gte: from, $lt: to, $lte: after?.createdAt })
  const beyond = after && {
    $or: [{ [field]: { $lt: after.createdAt } }, { [field]: after.createdAt, _id: { $lt: after.id } }],
  }
  const filter = { $and: [{ ...given(equal), [field]: bounds }, ...(beyond ? [beyond] : [])] }
  const found = model.find(filter as never).sort({ [field]: -1, _id: -1 })
  return found.skip(offset).limit(limit).lean<Row[]>() as unknown as Promise<Row[]>
}
