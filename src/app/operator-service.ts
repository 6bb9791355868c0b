import { executionMachine } from '../../machines/execution'
import type { Detection } from '../detection/detection'
import { type Repeated, repeat } from '../domain/repeat'
import { randomId } from '../http/dashboard/new-tenants'
import type { OperatorPorts } from '../http/operator/ports'
import type { Gate, ProviderHealth } from '../ports/gate'
import type { OverdueNow } from '../ports/observing'
import type { BlacklistEntries, Jobs, PauseEntries } from '../ports/operators'
import type { ExecutionQueries } from '../ports/queries'
import { operations } from '../routing/operations'
import type { OperationPorts } from '../routing/operations/ports'
import { runJobs } from '../routing/operations/run-jobs'

type Ports = {
  operating: Omit<OperationPorts, 'machineVersion' | 'newId'>
  jobs: Jobs
  pauses: PauseEntries
  blacklistEntries: BlacklistEntries
  auditLog: OperatorPorts['auditLog']
  organizations: OperatorPorts['organizations']
  executionQueries: ExecutionQueries
  gates: readonly Pick<Gate, 'name'>[]
  providerHealth: () => Promise<ProviderHealth[]>
  readRange: Detection['readRange']
  overdue: OverdueNow
  onTrouble: (error: unknown) => void
}

const everyMs = 1_000

/** The operators' side of the service: their actions, and the worker that runs their bulk jobs. */
export function operatorService(ports: Ports): Repeated & { operator: OperatorPorts } {
  const { operating, jobs, pauses, blacklistEntries, auditLog, organizations, executionQueries, overdue } = ports
  const { readRange, onTrouble } = ports
  const newId = (prefix: string) => randomId(prefix)
  const machineVersion = executionMachine.version!
  const verbs = operations({ ...operating, machineVersion, newId: () => newId('aud_') })
  const run = runJobs({ jobs, operations: verbs, executionQueries, readRange, now: operating.now })
  const operator: OperatorPorts = {
    operations: verbs,
    jobs,
    pauses,
    blacklistEntries,
    auditLog,
    providers: ports.providerHealth,
    providerNames: ports.gates.map(({ name }) => name),
    organizations,
    overdue,
    newId,
  }
  // A stop lets the current page end; another process continues the job.
  return { operator, ...repeat({ everyMs, first: 'LATER', work: run, onTrouble }) }
}
