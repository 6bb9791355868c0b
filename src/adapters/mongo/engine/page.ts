import type { Model } from 'mongoose'
import type { Page, Place, Tenant } from '../../../ports/page'

export type Filter = Record<string, unknown>
/** By a time that every row has: from the one, until before the other. */
export type Span = { field: string; from?: number | undefined; to?: number | undefined }
/** The name of the index that finds what is asked, in the order of that time where it can. */
type IndexFor = (asked: Filter, span: Span) => string

/** Null is the platform's operators: every organization. */
export const ofTenant = ({ organizationId }: Tenant) => (organizationId === null ? {} : { organizationId })

/** What is not asked for does not narrow. */
export const given = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** A filter for the rows of a time that have what is asked, from a place on. */
function rowsOf(asked: Filter, { field, from = 0, to }: Span, after?: Place): Filter {
  const beyond = after && {
    $or: [{ [field]: { $lt: after.createdAt } }, { [field]: after.createdAt, _id: { $lt: after.id } }],
  }
  const bounds = given({ $gte: from, $lt: to, $lte: after?.createdAt })
  return { $and: [{ ...asked, [field]: bounds }, ...(beyond ? [beyond] : [])] }
}

/**
 * The index is named to the database: left to itself it may walk through a large organization in order to find the few
 * rows of a user, or sort all that it has.
 */
export function found<Row extends { _id: string }>(model: Model<Row>, indexFor: IndexFor) {
  const ask = (equal: Filter, span: Span, after?: Place) => {
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
    /** Newest first, then by id: nothing is skipped or repeated while rows arrive. */
    page,
    /** Rows of any of several filters, in the order in which a row passes through them: none is missed on its way. */
    async pageOfAny(equals: Filter[], span: Span, wanted: Page): Promise<Row[]> {
      if (equals.length === 1) return page(equals[0]!, span, wanted)
      const { limit, after, offset = 0 } = wanted
      const rows = new Map<string, Row>()
      const most = limit + offset // of each: any of them may be among the newest
      for (const equal of equals)
        for (const row of await page(equal, span, { limit: most, after })) rows.set(row._id, row)
      const newestFirst = (a: Row, b: Row) => timeOf(b, span) - timeOf(a, span) || (a._id < b._id ? 1 : -1)
      return [...rows.values()].toSorted(newestFirst).slice(offset, most)
    },
    /** How many there are of any of several filters, `most` where there are more. */
    async count(equals: Filter[], span: Span, most: number): Promise<number> {
      const ids = new Set<string>()
      for (const equal of equals)
        for (const { _id } of await ask(equal, span).select({ _id: 1 }).limit(most).lean<Row[]>()) ids.add(_id)
      return Math.min(ids.size, most)
    },
  }
}
