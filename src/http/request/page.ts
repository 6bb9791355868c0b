import { jsonOf } from '../../domain/json'
import { type } from '../../domain/schema'
import type { Page, PagePosition } from '../../ports/records'
import { described } from '../views/scalar'
import { Refusal } from './failure'
import { readQuery } from './query'

export const limitMax = 100
const limitDefault = 20
/** Its own type, because the document has the array as the `application/json` of a list. */
export const envelopeType = 'application/vnd.switchyard.page+json'
const cursorExample = 'eyJjIjoxNzk1MjU1MjI0NjQwfQ'

const whole = (least: number, most: number, expected: string) =>
  type(/^[0-9]{1,16}$/)
    .describe(expected)
    .pipe(Number)
    .to(type(`${least} <= number.integer <= ${most}` as '0 <= number.integer <= 1').describe(expected))

export const Limit = (usual = limitDefault) =>
  described(whole(1, limitMax, 'an integer of 1 to 100'), 'Maximum number of rows', usual).default(String(usual))
export const Offset = described(
  whole(0, Number.MAX_SAFE_INTEGER, 'an integer from 0'),
  'Rows to skip; prefer `cursor` for growing lists',
  0,
).default('0')
const orders = ['newest', 'oldest'] as const
export const Order = described(
  type.enumerated(...orders).describe('newest or oldest'),
  'Whether the newest or the oldest rows come first',
  'newest',
)
type Order = (typeof orders)[number]
const Cursor = described(
  type('string'),
  'The end of the previous page, from its `link` or `next`; valid only with the same filters',
  cursorExample,
)
const Envelope = described(
  type(/^(true|false)$/)
    .describe('true or false')
    .pipe((text) => text === 'true')
    .to('boolean'),
  `\`true\` returns \`{data, next}\` as \`${envelopeType}\` instead of an array; \`next\` begins the next page, and is null on the last`,
).default('false')

/** The parameters of a list of records, besides its filters. */
export const listQuery = { limit: Limit(), 'cursor?': Cursor, envelope: Envelope } as const
/** The same for a list that can also begin with the oldest row. */
export const orderedQuery = { ...listQuery, 'order?': Order } as const
/** The same for a list in the order of the log. It has no cursor, because it continues after an event. */
export const logQuery = { limit: Limit(limitMax), envelope: Envelope } as const

/** Encodes a position in a list as a cursor, with a fingerprint of the filter of that list. */
function cursorOf(position: PagePosition, filter: string): string {
  const text = JSON.stringify([position.createdAt, position.id, fingerprint(filter)])
  return Buffer.from(text).toString('base64url')
}

function positionOf(cursor: string, filter: string): PagePosition {
  const refused = new Refusal('INVALID_CURSOR')
  if (!/^[A-Za-z0-9_-]{8,512}$/.test(cursor)) throw refused
  const read = jsonOf(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(read) || read.length !== 3) throw refused
  const [createdAt, id, filtered] = read
  if (!Number.isSafeInteger(createdAt) || createdAt < 0 || typeof id !== 'string' || id.length > 200) throw refused
  if (filtered !== fingerprint(filter)) throw refused
  return { createdAt, id }
}

const fingerprint = (filter: string): string => Bun.SHA256.hash(filter, 'hex').slice(0, 12)

/** The parameters of a list, parsed. */
export type ListQuery = {
  limit: number
  envelope: boolean
  cursor?: string | undefined
  offset?: number | undefined
  order?: Order | undefined
}
type Exchange = { request: Request; set: { headers: Record<string, string | number | undefined> } }
type Values = Record<string, string | number | undefined>

/** A page of a list. `next` is the position of the next page, and null on the last. */
type ListPage<Row> = { rows: readonly Row[]; next: string | null; envelope: boolean }

/** Reads the query of a list, and separates its filters from the parameters of every list. */
export function readListQuery<Schema extends { infer: ListQuery }>(request: Request, schema: Schema, strict: boolean) {
  const { limit, cursor, envelope, order, ...filters } = readQuery(request, schema, strict)
  return { listed: { limit, cursor, envelope, order }, filters }
}

/** Returns the body of a list: the array that the contract fixes, or the requested envelope (extensions 1.3). */
export function bodyOf<Row>(
  { set }: Pick<Exchange, 'set'>,
  { rows, next, envelope }: ListPage<Row>,
  viewOf: (row: Row) => object,
): object {
  const data = rows.map(viewOf)
  if (!envelope) return data
  set.headers['content-type'] = `${envelopeType}; charset=utf-8`
  return { data, next }
}

/** Returns the `link` header. @param position The parameter that begins the next page. */
export function nextLink(
  path: string,
  filters: Values,
  { limit, envelope, order }: ListQuery,
  position: Values,
): string {
  const query = new URLSearchParams()
  const own = { order, limit, ...(envelope && { envelope: 'true' }) }
  for (const [name, value] of Object.entries({ ...filters, ...own, ...position }))
    if (value !== undefined) query.set(name, String(value))
  return `<${path}?${query}>; rel="next"`
}

/**
 * Reads one page of a list and sets the `link` header if there is a next page. To detect one, it queries one row more
 * than it returns.
 * @param path The requested path without its query.
 * @param filters The filters of the request; a cursor is bound to them.
 */
export async function pageOf<Row>(
  { set }: Exchange,
  { path, filters, listed }: { path: string; filters: Values; listed: ListQuery },
  ask: (page: Page) => Promise<Row[]>,
  positionIn: (row: Row) => PagePosition,
): Promise<ListPage<Row>> {
  const { limit, cursor, offset, order, envelope } = listed
  const named = Object.entries({ ...filters, order }).filter(([, value]) => value !== undefined)
  const filter = JSON.stringify([path, named.toSorted(([a], [b]) => (a < b ? -1 : 1))])
  const after = cursor === undefined ? undefined : positionOf(cursor, filter)
  const rows = await ask({ limit: limit + 1, after, offset: offset || undefined, isOldestFirst: order === 'oldest' })
  const page = rows.slice(0, limit)
  const next = rows.length > limit ? cursorOf(positionIn(page.at(-1)!), filter) : null
  if (next !== null) set.headers['link'] = nextLink(path, filters, listed, { cursor: next })
  return { rows: page, next, envelope }
}
