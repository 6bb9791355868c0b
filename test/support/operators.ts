import type { OperatorPorts } from '../../src/http/operator/ports'
import type { Chains } from '../../src/ports/chain-client'
import type { Job, Jobs } from '../../src/ports/jobs'
import type { Pause, PauseEntries } from '../../src/ports/pauses'
import { operations } from '../../src/routing/operations'
import type { OperationPorts } from '../../src/routing/operations/ports'
import { recordsInMemory } from './records'

export function pausesInMemory(...records: Pause[]) {
  const kept = recordsInMemory<Pause>(...records)
  const port: PauseEntries = {
    load: kept.load,
    save: kept.save,
    changedSince: async (time) => structuredClone(kept.all().filter(({ updatedAt }) => updatedAt >= time)),
  }
  return { ...kept, ...port }
}

export function jobsInMemory(...records: Job[]) {
  const kept = recordsInMemory<Job>(...records)
  const port: Jobs = {
    load: kept.load,
    save: kept.save,
    due: async (now) => structuredClone(kept.all().filter(({ dueAt }) => dueAt !== null && dueAt <= now)),
  }
  return { ...kept, ...port }
}

type Stores = Pick<OperationPorts, 'executions' | 'intents'> &
  Pick<OperatorPorts, 'auditLog'> & { blacklist: OperatorPorts['blacklistEntries'] }
type Around = Partial<Pick<OperationPorts, 'chains' | 'blacklist' | 'wakes'>>

const noChain = new Proxy({}, { get: () => ({ confirmed: async () => ({ number: 100, time: 100 }) }) }) as Chains

/** The operators' side of the API, in memory. */
export function operatorInMemory(stores: Stores, now: () => number, around: Around = {}): OperatorPorts {
  let made = 0
  const newId = (prefix: string) => `${prefix}${++made}`
  const calm = { chains: noChain, blacklist: { isListed: () => false }, wakes: { wakeNow: async () => {} } }
  return {
    operations: operations({ ...stores, ...calm, ...around, now, machineVersion: '1', newId: () => newId('aud_') }),
    jobs: jobsInMemory(),
    pauses: pausesInMemory(),
    blacklistEntries: stores.blacklist,
    auditLog: stores.auditLog,
    providers: async () => [],
    providerNames: ['lifi'],
    newId,
  }
}
