import { csvOf } from '../../domain/plain-text'
import { streamText } from '../data/api'
import { saveFile } from '../data/download'
import { grouped } from '../data/format'

export type ExportFormat = 'csv' | 'json'
type Exported<Row> = {
  /** The exports to save, in order, until one has rows. */
  addresses: readonly string[]
  /** The file's name without its ending. */
  name: string
  format: ExportFormat
  /** Flattens a row into table columns. */
  flat: (row: Row) => Record<string, unknown>
  /** Called with the number of rows so far, and the last of them. */
  onRows: (count: number, last: Row) => void
  signal: AbortSignal
}

/**
 * Reads a stream with a row in each line, and last their number.
 *
 * @throws {Error} if the stream ends before it, because a file without the other rows would look complete.
 */
export async function* rowsIn<Row>(chunks: AsyncIterable<string>): AsyncGenerator<Row[]> {
  let [rest, count] = ['', 0]
  try {
    for await (const chunk of chunks) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop()!
      const rows = lines.map((line) => JSON.parse(line) as Row)
      const isOver = Object.hasOwn(rows.at(-1) ?? {}, 'rowCount')
      const shown = isOver ? rows.slice(0, -1) : rows
      count += shown.length
      yield shown
      if (isOver && (rows.at(-1) as { rowCount: number }).rowCount === count) return
    }
  } catch (error) {
    if (count === 0) throw error
  }
  throw new Error(`The export broke off after ${grouped(count)} rows, so nothing was saved. Try again.`)
}

const readRows = <Row>(address: string, signal: AbortSignal) => rowsIn<Row>(streamText(address, signal))

/** Returns the text of a file in parts, until the list ends. */
export async function* partsOf<Row>(
  { addresses, format, flat, onRows, signal }: Omit<Exported<Row>, 'name'>,
  read: typeof readRows<Row> = readRows,
): AsyncGenerator<string> {
  let names: string[] | null = null
  let count = 0
  if (format === 'json') yield '['
  for (const address of addresses) {
    if (count > 0 || signal.aborted) break
    for await (const rows of read(address, signal)) {
      if (rows.length === 0) continue
      const lineOf = (row: Row, n: number): string => `${count + n > 0 ? ',' : ''}\n${JSON.stringify(row)}`
      if (format === 'json') yield rows.map(lineOf).join('')
      else {
        const table = rows.map(flat)
        const columns: string[] = names ?? Object.keys(table[0]!)
        const heads = names ? [] : [columns]
        names = columns
        yield `${count > 0 ? '\r\n' : ''}${csvOf([...heads, ...table.map((row) => columns.map((column) => row[column]))])}`
      }
      count += rows.length
      onRows(count, rows.at(-1)!)
    }
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
  const onRows: Exported<Row>['onRows'] = (rows, last) => {
    count = rows
    list.onRows(rows, last)
  }
  const pieces = await piecesOf(partsOf({ ...list, onRows }))
  if (list.signal.aborted) return 0
  const type = list.format === 'csv' ? 'text/csv' : 'application/json'
  saveFile(`${name}.${list.format}`, new Blob(pieces, { type: `${type};charset=utf-8` }))
  return count
}
