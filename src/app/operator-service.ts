import { executionMachine } from '../../machines/execution'
import type { Detection } from '../detection/detection'
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

const beatMs = 1_000

/** The operators' side of the service: their actions, and the worker that runs their bulk jobs. */
export function operatorService(ports: Ports) {
  const { now, detection } = ports
  const newId = (prefix: string) => randomId(prefix)
  const verbs = operations({ ...ports, machineVersion: executionMachine.version!, newId: () => newId('aud_') })
  const run = runJobs({ ...ports, operations: verbs, readRange: detection.readRange, now })
  const stopping = new AbortController()
  let running: Promise<void> = Promise.resolve()
  let isRunning = false
  let beat: ReturnType<typeof setInterval> | undefined

  const operator: OperatorPorts = {
    ...ports,
    operations: verbs,
    providers: ports.providerHealth,
    providerNames: ports.aggregators.map(({ name }) => name),
    newId,
  }
  return {
    operator,
    start(): void {
      beat = setInterval(() => {
        if (isRunning) return
        isRunning = true
        running = run(stopping.signal)
          .catch(ports.onTrouble)
          .finally(() => {
            isRunning = false
          })
      }, beatMs)
    },
    /** Finishes the current page; another worker continues the job. */
    async stop(): Promise<void> {
      clearInterval(beat)
      stopping.abort()
      await running
    },
  }
}
