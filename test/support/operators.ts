import { cachedBlacklist } from '../../src/adapters/caches/blacklist-cache'
import { chains, perChain } from '../../src/domain/chain/chain'
import type { OperatorPorts } from '../../src/http/operator/ports'
import type { Chains } from '../../src/ports/chain-client'
import type { Job, Jobs, PauseEntries } from '../../src/ports/operators'
import { operations } from '../../src/routing/operations'
import type { OperationPorts } from '../../src/routing/operations/ports'
import { type OverduePorts, overdueNow } from '../../src/routing/overdue/overdue-now'
import { recordsOf } from './records'
import { seals } from './seals'

export function jobsInMemory(...records: Job[]) {
  const kept = recordsOf<Job>('jobs', ...records)
  const port: Jobs = {
    load: kept.load,
    save: kept.save,
    due: async (now) => structuredClone(kept.all().filter(({ dueAt }) => dueAt !== null && dueAt <= now)),
    latest: async (organizationId, limit) =>
      structuredClone(
        kept
          .all()
          .filter((job) => job.work.verb !== 'scan')
          .filter((job) => organizationId === null || job.organizationId === organizationId)
          .toSorted((a, b) => b.createdAt - a.createdAt)
          .slice(0, limit),
      ),
  }
  return { ...kept, ...port }
}

type Stores = Pick<OperationPorts, 'executions' | 'intents'> &
  Omit<OverduePorts, 'chains' | 'now'> &
  Pick<OperatorPorts, 'auditLog' | 'organizations'> & {
    pauses: PauseEntries
    blacklist: OperatorPorts['blacklistEntries']
  }
/** The operator API in memory. `holding` sets the balances of the account. */
export function operatorInMemory(stores: Stores, now: () => number) {
  let made = 0
  const newId = (prefix: string) => `${prefix}${++made}`
  const holding = { balance: 1_000n }
  const chain = { confirmed: async () => ({ number: 100, time: 100 }), balanceOf: async () => holding.balance }
  const blacklist = cachedBlacklist(stores.blacklist, now)
  const ports: OperatorPorts & { holding: typeof holding; blacklist: typeof blacklist } = {
    operations: operations({
      seals,
      ...stores,
      chains: new Proxy({}, { get: () => chain }) as Chains,
      blacklist,
      wakes: { wakeNow: async () => {} },
      now,
      machineVersion: '1',
      newId: () => newId('aud_'),
    }),
    jobs: jobsInMemory(),
    pauses: stores.pauses,
    blacklistEntries: stores.blacklist,
    auditLog: stores.auditLog,
    organizations: stores.organizations,
    providers: async () => [],
    providerNames: ['lifi'],
    overdue: overdueNow({ ...stores, chains: perChain((_id, name) => chains[name]), now }),
    newId,
    holding,
    blacklist,
  }
  return ports
}
