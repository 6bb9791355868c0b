import type { Model } from 'mongoose'
import type { Page, PagePosition, TenantScope } from '../../../ports/page'

export type Filter = Record<string, unknown>
/** A range of a time that every row has. `from` is included and `to` is not. */
export type Span = { field: string; from?: number | undefined; to?: number | undefined }
/** Returns the name of the index for a filter, in the order of that time if possible. */
type IndexFor = (asked: Filter, span: Span) => string

/** A null organization means the platform's operators, who see every organization. */
export const ofTenant = ({ organizationId }: TenantScope) => (organizationId === null ? {} : { organizationId })

/** Removes undefined fields, which do not restrict anything. */
export const given = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** Returns a filter for the matching rows of a range, after a position in the order. */
function rowsOf(asked: Filter, { field, from = 0, to }: Span, after?: PagePosition): Filter {
  const beyond = after && {
    $or: [{ [field]: { $lt: after.createdAt } }, { [field]: after.createdAt, _id: { $lt: after.id } }],
  }
  const bounds = given({ $gte: from, $lt: to, $lte: after?.createdAt })
  return { $and: [{ ...asked, [field]: bounds }, ...(beyond ? [beyond] : [])] }
}

/**
 * Reads rows through a named index. Without the name, the database may read a whole large organization to find the few
 * rows of a user, or sort everything.
 */
export function found<Row extends { _id: string }>(model: Model<Row>, indexFor: IndexFor) {
  const ask = (equal: Filter, span: Span, after?: PagePosition) => {
    const asked = given(equal)
    const rows = model.find(rowsOf(asked, span, after) as never)
    return rows.sort({ [span.field]: -1, _id: -1 }).hint(indexFor(asked, span))
  }
  const timeOf = (row: Row, { field }: Span) =>
    field.split('.').reduce((value: unknown, name) => (value as Filter)[name], row) as number

  async function page(equal: Filter, span: Span, { limit, after, offset = 0 }: Page): Promise<Row[]> {
    return ask(equal, span, after).skip(offset).limit(limit).lean<Row[]>() as never
  }

  return {
    /** Newest first, then by id, so no row is skipped or repeated while rows arrive. */
    page,
    /**
     * Rows of several filters, queried in the order in which a row passes through them. A row that moves between two of
     * them is not missed.
     */
    async pageOfAny(equals: Filter[], span: Span, wanted: Page): Promise<Row[]> {
      if (equals.length === 1) return page(equals[0]!, span, wanted)
      const { limit, after, offset = 0 } = wanted
      const rows = new Map<string, Row>()
      const most = limit + offset // of each filter, because any of them may be among the newest
      for (const equal of equals)
        for (const row of await page(equal, span, { limit: most, after })) rows.set(row._id, row)
      const newestFirst = (a: Row, b: Row) => timeOf(b, span) - timeOf(a, span) || (a._id < b._id ? 1 : -1)
      return [...rows.values()].toSorted(newestFirst).slice(offset, most)
    },
    /** Returns how many rows match any of several filters, at most `most`. */
    async count(equals: Filter[], span: Span, most: number): Promise<number> {
      const ids = new Set<string>()
      for (const equal of equals)
        for (const { _id } of await ask(equal, span).select({ _id: 1 }).limit(most).lean<Row[]>()) ids.add(_id)
      return Math.min(ids.size, most)
    },
  }
}
