import { Elysia } from 'elysia'
import type { IdempotentRequests } from '../../ports/limits'
import type { ExecutionQueries } from '../../ports/queries'
import type { Gate } from '../request/caller'
import type { ViewContextFor } from '../views/view-context'
import { operatorAudit } from './audit'
import { operatorBlacklist } from './blacklist'
import { operatorExecutions } from './executions'
import { operatorJobs } from './jobs'
import { operatorReads } from './operator-reads'
import { operatorOverdue } from './overdue'
import { operatorPauses } from './pauses'
import type { OperatorPorts } from './ports'
import { operatorScans } from './scans'

type Ports = {
  operator: OperatorPorts
  executionQueries: ExecutionQueries
  viewContextFor: ViewContextFor
  idempotency: IdempotentRequests
  now: () => number
}

/** Every route under `/operator`. Operators see their own organization; the platform's operators see every one. */
export const operatorRoutes = (ports: Ports, gate: Gate, prefix: string) =>
  new Elysia()
    .use(operatorExecutions(ports, gate, prefix))
    .use(operatorJobs(ports, gate, prefix))
    .use(operatorPauses(ports, gate, prefix))
    .use(operatorScans(ports, gate, prefix))
    .use(operatorBlacklist(ports, gate, prefix))
    .use(operatorReads(ports, gate, prefix))
    .use(operatorAudit(ports, gate, prefix))
    .use(operatorOverdue(ports, gate, prefix))
