import type { DepositQueries, ExecutionQueries } from '../../ports/queries'
import type { OperatorPorts } from '../operator/ports'
import type { Caller } from '../request/caller'
import { type DepositView, depositView } from '../views/deposit'
import { type FullExecutionView, fullExecutionView } from '../views/execution-full'
import type { ViewContextFor } from '../views/view-context'

type Ports = {
  executionQueries: Pick<ExecutionQueries, 'findAll'>
  depositQueries: Pick<DepositQueries, 'find'>
  operator: Pick<OperatorPorts, 'overdue'>
  viewContextFor: ViewContextFor
}

/** As many as a page shows rows of overdue entries. */
const recordsMax = 25

export type OverdueRecordsView = { executions: FullExecutionView[]; deposits: DepositView[] }

/**
 * Returns the records of the first overdue entries, for the actions that the pages offer in their rows. A deposit is
 * among them if it is not shown as an execution yet.
 */
export async function overdueRecordsOf(ports: Ports, caller: Caller): Promise<OverdueRecordsView> {
  const entries = (await ports.operator.overdue.list(caller.tenant)).slice(0, recordsMax)
  const executionIds = new Set(entries.flatMap(({ executionId }) => executionId ?? []))
  const waiting = entries.filter(({ executionId }) => executionId === null)
  const depositIds = new Set(waiting.flatMap(({ depositId }) => depositId ?? []))
  const tenant = { organizationId: caller.tenant }
  const [context, executions, deposits] = await Promise.all([
    ports.viewContextFor(caller),
    ports.executionQueries.findAll([...executionIds]),
    Promise.all([...depositIds].map((id) => ports.depositQueries.find(tenant, id))),
  ])
  return {
    executions: executions.map((row) => fullExecutionView(row, context)),
    deposits: deposits.flatMap((row) => (row ? depositView(row, context) : [])),
  }
}
