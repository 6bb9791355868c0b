import { type } from '../../domain/schema'
import type { Page, PagePosition } from '../../ports/page'
import { described } from '../views/scalar'
import { Refusal } from './failure'

export const limitMax = 100
const limitDefault = 20

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
export const Cursor = described(
  type('string'),
  'The end of the previous page, from its `link` header; valid only with the same filters',
  'eyJjIjoxNzk1MjU1MjI0NjQwfQ',
)

/** Encodes a position in a list as a cursor, with a fingerprint of the filter of that list. */
function cursorOf(position: PagePosition, filter: string): string {
  const text = JSON.stringify([position.createdAt, position.id, fingerprint(filter)])
  return Buffer.from(text).toString('base64url')
}

function positionOf(cursor: string, filter: string): PagePosition {
  const refused = new Refusal('INVALID_CURSOR')
  if (!/^[A-Za-z0-9_-]{8,512}$/.test(cursor)) throw refused
  const read = parsed(Buffer.from(cursor, 'base64url').toString())
  if (!Array.isArray(read) || read.length !== 3) throw refused
  const [createdAt, id, filtered] = read
  if (!Number.isSafeInteger(createdAt) || createdAt < 0 || typeof id !== 'string' || id.length > 200) throw refused
  if (filtered !== fingerprint(filter)) throw refused
  return { createdAt, id }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

const fingerprint = (filter: string): string => Bun.SHA256.hash(filter, 'hex').slice(0, 12)

type Listed = { limit: number; cursor?: string | undefined; offset?: number | undefined; order?: Order | undefined }
type Exchange = { request: Request; set: { headers: Record<string, string | number | undefined> } }

/**
 * Reads one page of a list and sets the `link` header if there is a next page. To detect one, it queries one row more
 * than it returns.
 * @param path The requested path without its query.
 * @param filters The filters of the request; a cursor is bound to them.
 */
export async function pageOf<Row>(
  { set }: Exchange,
  { path, filters, listed }: { path: string; filters: Record<string, string | number | undefined>; listed: Listed },
  ask: (page: Page) => Promise<Row[]>,
  positionIn: (row: Row) => PagePosition,
): Promise<Row[]> {
  const { limit, cursor, offset, order } = listed
  const asked = Object.entries({ ...filters, order })
  const named = asked.filter(([, value]) => value !== undefined) as [string, string | number][]
  const filter = JSON.stringify([path, named.toSorted(([a], [b]) => (a < b ? -1 : 1))])
  const after = cursor === undefined ? undefined : positionOf(cursor, filter)
  const rows = await ask({ limit: limit + 1, after, offset: offset || undefined, isOldestFirst: order === 'oldest' })
  const page = rows.slice(0, limit)
  if (rows.length > limit) {
    const query = new URLSearchParams(named.map(([name, value]) => [name, String(value)]))
    query.set('limit', String(limit))
    query.set('cursor', cursorOf(positionIn(page.at(-1)!), filter))
    set.headers['link'] = `<${path}?${query}>; rel="next"`
  }
  return page
}
