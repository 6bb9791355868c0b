import type { Answered } from '../api'
import { csvOf, download } from '../download'
import { addressesOf, firstFound } from '../search'
import type { ExecutionRow } from '../types'
import { say } from '../ui/toast'
import { filterOf } from './execution-filter'

const rowsMax = 5_000
const pageSize = 100
/** What is an object or a sentence of the moment, and no column. */
const left = ['funds', 'next', 'cause']

/** Hands over what the filter finds, page after page, as a file. */
export async function exportExecutions(parameters: URLSearchParams): Promise<void> {
  const rows: ExecutionRow[] = []
  const filter = { ...filterOf(parameters), limit: pageSize }
  let next: string[] | null = addressesOf('/executions', parameters.get('q'), filter)
  while (next && rows.length < rowsMax) {
    const page: Answered<ExecutionRow[]> = await firstFound<ExecutionRow>(next)
    rows.push(...page.body)
    next = page.next === null ? null : [page.next]
  }
  const names = Object.keys(rows[0] ?? {}).filter((name) => !left.includes(name)) as (keyof ExecutionRow)[]
  download('executions.csv', csvOf([names, ...rows.map((row) => names.map((name) => row[name]))]))
  say(`${rows.length} executions exported${next ? `; the first ${rowsMax} of more` : ''}`)
}
