import { executionMachine } from '../../machines/execution'
import type { Detection } from '../detection/detection'
import { repeat } from '../domain/repeat'
import { randomId } from '../http/dashboard/new-tenants'
import type { OperatorPorts } from '../http/operator/ports'
import type { Gate, ProviderHealth } from '../ports/gate'
import type { ExecutionQueries } from '../ports/queries'
import { operations } from '../routing/operations'
import type { OperationPorts } from '../routing/operations/ports'
import { runJobs } from '../routing/operations/run-jobs'

type Ports = Omit<OperationPorts, 'machineVersion' | 'newId'> &
  Pick<OperatorPorts, 'jobs' | 'pauses' | 'blacklistEntries' | 'auditLog' | 'organizations'> & {
    executionQueries: ExecutionQueries
    aggregators: readonly Pick<Gate, 'name'>[]
    providerHealth: () => Promise<ProviderHealth[]>
    detection: Pick<Detection, 'readRange'>
    overdue: OperatorPorts['overdue']
    onTrouble: (error: unknown) => void
  }

const everyMs = 1_000

/** The operators' side of the service: their actions, and the worker that runs their bulk jobs. */
export function operatorService(ports: Ports) {
  const { now, detection } = ports
  const newId = (prefix: string) => randomId(prefix)
  const verbs = operations({ ...ports, machineVersion: executionMachine.version!, newId: () => newId('aud_') })
  const run = runJobs({ ...ports, operations: verbs, readRange: detection.readRange, now })
  // A stop lets the current page end; another process continues the job.
  const jobs = repeat({ everyMs, first: 'LATER', work: run, onTrouble: ports.onTrouble })

  const operator: OperatorPorts = {
    ...ports,
    operations: verbs,
    providers: ports.providerHealth,
    providerNames: ports.aggregators.map(({ name }) => name),
    newId,
  }
  return { operator, ...jobs }
}
