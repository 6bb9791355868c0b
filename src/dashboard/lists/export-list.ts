import { csvOf } from '../../domain/plain-text'
import { type ApiAnswer, ApiError } from '../data/api'
import { saveFile } from '../data/download'
import { firstMatch } from '../find/search'

export type ExportFormat = 'csv' | 'json'
type Exported<Row> = {
  /** The list to save, as in `firstMatch`. */
  addresses: readonly string[]
  /** The file's name without its ending. */
  name: string
  format: ExportFormat
  /** Flattens a row into table columns. */
  flat: (row: Row) => Record<string, unknown>
  /** Called with the number of rows so far. */
  onRows: (count: number) => void
  signal: AbortSignal
}

export const exportPageSize = 100
const refusedMs = 2_000
const refusedMost = 60
const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Reads a page. A long export is slowed down by the rate limit, but not ended by it. */
async function readPage<Row>(addresses: readonly string[], signal: AbortSignal): Promise<ApiAnswer<Row[]>> {
  for (let n = 0; ; n++)
    try {
      return await firstMatch<Row>(addresses, signal)
    } catch (error) {
      const isRefused = error instanceof ApiError && error.statusCode === 429
      if (!isRefused || n === refusedMost || signal.aborted) throw error
      await pause(refusedMs)
    }
}

/** Returns the text of a file in parts, page by page until the list ends. */
export async function* partsOf<Row>(
  { addresses, format, flat, onRows, signal }: Omit<Exported<Row>, 'name'>,
  read: typeof readPage<Row> = readPage,
): AsyncGenerator<string> {
  let names: string[] | null = null
  let count = 0
  if (format === 'json') yield '['
  for (let next: readonly string[] | null = addresses; next !== null && !signal.aborted; ) {
    const { body, next: following }: ApiAnswer<Row[]> = await read(next, signal)
    const lineOf = (row: Row, n: number): string => `${count + n > 0 ? ',' : ''}\n${JSON.stringify(row)}`
    if (format === 'json') yield body.map(lineOf).join('')
    else if (body.length > 0) {
      const rows = body.map(flat)
      const columns: string[] = names ?? Object.keys(rows[0]!)
      const heads = names ? [] : [columns]
      names = columns
      yield `${count > 0 ? '\r\n' : ''}${csvOf([...heads, ...rows.map((row) => columns.map((column) => row[column]))])}`
    }
    count += body.length
    onRows(count)
    next = following === null ? null : [following]
  }
  if (format === 'json') yield '\n]\n'
}

export const pieceChars = 1_000_000

/**
 * Puts the text of a file into pieces. A browser keeps them outside the page's memory, on disk if there are many, so
 * the length of an export is not limited by it.
 */
export async function piecesOf(parts: AsyncIterable<string>): Promise<Blob[]> {
  const pieces: Blob[] = []
  let [waiting, chars]: [string[], number] = [[], 0]
  const put = () => {
    pieces.push(new Blob(waiting))
    ;[waiting, chars] = [[], 0]
  }
  for await (const part of parts) {
    waiting.push(part)
    chars += part.length
    if (chars >= pieceChars) put()
  }
  put()
  return pieces
}

/** Saves a whole list as a file: a table, or the rows as the API returns them. Returns the number of rows. */
export async function exportList<Row>({ name, ...list }: Exported<Row>): Promise<number> {
  let count = 0
  const onRows = (rows: number) => {
    count = rows
    list.onRows(rows)
  }
  const pieces = await piecesOf(partsOf({ ...list, onRows }))
  if (list.signal.aborted) return 0
  const type = list.format === 'csv' ? 'text/csv' : 'application/json'
  saveFile(`${name}.${list.format}`, new Blob(pieces, { type: `${type};charset=utf-8` }))
  return count
}
