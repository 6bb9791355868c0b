import type { Model } from 'mongoose'
import type { Page, PagePosition, TenantScope } from '../../../ports/records'

export type Filter = Record<string, unknown>
/** A range of a time that every row has. `from` is included and `to` is not. */
export type Span = { field: string; from?: number | undefined; to?: number | undefined }
/** A filter whose rows one index finds. An index of some rows only requires a filter that names these. */
export type Part = { filter: Filter; index: string }
/**
 * Splits a filter into parts, in the order in which a row passes through them. Their indexes have the rows in the order
 * of the span's time where possible.
 */
type PartsFor = (filter: Filter, span: Span) => Part[]

/** A null organization means the platform's operators, who see every organization. */
export const ofTenant = ({ organizationId }: TenantScope) => (organizationId === null ? {} : { organizationId })

/** Removes undefined fields, which do not restrict anything. */
export const definedOnly = (filter: Filter): Filter =>
  Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))

/** Returns a filter for the matching rows of a range, after a position in the order. */
function rowsOf(filter: Filter, { field, from = 0, to }: Span, after?: PagePosition, isOldestFirst?: boolean): Filter {
  const later = isOldestFirst ? '$gt' : '$lt'
  const beyond = after && {
    $or: [{ [field]: { [later]: after.createdAt } }, { [field]: after.createdAt, _id: { [later]: after.id } }],
  }
  const bounds = isOldestFirst
    ? definedOnly({ $gte: Math.max(from, after?.createdAt ?? 0), $lt: to })
    : definedOnly({ $gte: from, $lt: to, $lte: after?.createdAt })
  return { $and: [{ ...filter, [field]: bounds }, ...(beyond ? [beyond] : [])] }
}

/** Returns the order of a list's rows. */
export const inOrder =
  <Row extends { id: string }>(timeOf: (row: Row) => number, { isOldestFirst }: Pick<Page, 'isOldestFirst'>) =>
  (a: Row, b: Row): number =>
    (isOldestFirst ? -1 : 1) * (timeOf(b) - timeOf(a) || (a.id < b.id ? 1 : -1))

/**
 * Reads parts in the order in which a row passes through them, so a moving row is not missed. A row that moves between
 * two reads is in both. It counts once, with its later content.
 */
export async function inParts<Row extends { _id: string }>(
  parts: readonly Part[],
  read: (part: Part, before: number) => Promise<Row[]>,
): Promise<Row[]> {
  const rows = new Map<string, Row>()
  for (const part of parts) for (const row of await read(part, rows.size)) rows.set(row._id, row)
  return [...rows.values()]
}

/**
 * The query names its index. Left to itself, the database may walk through a large organization to find the few rows of
 * a user, or sort everything.
 */
export function pagedBy<Row extends { _id: string }>(model: Model<Row>, partsFor: PartsFor) {
  const partsOf = (equals: Filter[], span: Span) => equals.flatMap((equal) => partsFor(definedOnly(equal), span))
  const ask = ({ filter, index }: Part, span: Span, { after, isOldestFirst }: Omit<Page, 'limit'> = {}) => {
    const direction = isOldestFirst ? 1 : -1
    return model
      .find(rowsOf(filter, span, after, isOldestFirst) as never)
      .sort({ [span.field]: direction, _id: direction })
      .hint(index)
  }
  const timeOf = (row: Row, { field }: Span) =>
    field.split('.').reduce((value: unknown, name) => (value as Filter)[name], row) as number

  /** Rows of several filters, in the order in which a row passes through them. */
  async function pageOfAny(equals: Filter[], span: Span, page: Page): Promise<Row[]> {
    const { limit, offset = 0 } = page
    const parts = partsOf(equals, span)
    let skipped = 0
    const rows = await inParts<Row>(parts, async (part, before) => {
      // At least this many rows of the last part come before the page, so the query skips them.
      if (part === parts.at(-1)) skipped = Math.max(0, offset - before)
      // Every row up to the end of the page might be in one of the other parts.
      return ask(part, span, page)
        .skip(skipped)
        .limit(limit + offset - skipped)
        .lean<Row[]>() as unknown as Promise<Row[]>
    })
    if (parts.length === 1) return rows
    const sorted = rows.map((row) => ({ id: row._id, row })).toSorted(inOrder(({ row }) => timeOf(row, span), page))
    return sorted.slice(offset - skipped, offset - skipped + limit).map(({ row }) => row)
  }

  return {
    /** Rows in the page's order, then by id, so new rows neither hide nor repeat any. */
    page: (equal: Filter, span: Span, wanted: Page) => pageOfAny([equal], span, wanted),
    pageOfAny,
    /** Counts the rows that match any of several filters, up to `most`. */
    async count(equals: Filter[], span: Span, most: number): Promise<number> {
      const rows = await inParts<{ _id: string }>(partsOf(equals, span), async (part) =>
        ask(part, span).select({ _id: 1 }).limit(most).lean<{ _id: string }[]>(),
      )
      return Math.min(rows.length, most)
    },
  }
}

/** Reads each filter by one index, for rows that never move between parts. */
export const oneIndex =
  (indexFor: (filter: Filter) => string): PartsFor =>
  (filter) => [{ filter, index: indexFor(filter) }]
