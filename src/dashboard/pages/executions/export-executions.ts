import { csvOf } from '../../../domain/csv'
import type { Answered } from '../../data/api'
import { download } from '../../data/download'
import type { ExecutionRow } from '../../data/types'
import { addressesOf, firstMatch } from '../../find/search'
import { say } from '../../ui/toast'
import { filterOf } from './execution-filter'
import { wrongNow } from './wrong-now'

const rowsMax = 5_000
const pageSize = 100
/** Flattens an execution into table columns. */
const flat = ({ cause, next, funds, ...row }: ExecutionRow): Record<string, unknown> => ({
  ...row,
  causeCode: wrongNow({ ...row, cause })?.code,
  nextActor: next.actor,
  nextAction: next.action,
  nextExpectedAt: next.expectedAt,
  fundsHolder: funds.holder,
  fundsAmount: funds.amount,
})

/** Saves all filtered executions, as a table or as the API returns them. */
export async function exportExecutions(parameters: URLSearchParams, format: 'csv' | 'json'): Promise<void> {
  const rows: ExecutionRow[] = []
  const filter = { ...filterOf(parameters), limit: pageSize }
  let next: string[] | null = addressesOf('/executions', parameters.get('q'), filter)
  while (next && rows.length < rowsMax) {
    const page: Answered<ExecutionRow[]> = await firstMatch<ExecutionRow>(next)
    rows.push(...page.body)
    next = page.next === null ? null : [page.next]
  }
  if (format === 'json') download('executions.json', JSON.stringify(rows, null, 2), 'application/json')
  else {
    const names = rows[0] ? Object.keys(flat(rows[0])) : []
    download('executions.csv', csvOf([names, ...rows.map(flat).map((row) => names.map((name) => row[name]))]))
  }
  say(`${rows.length} executions exported${next ? `; the first ${rowsMax} of more` : ''}`)
}
