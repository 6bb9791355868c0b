import type { ProviderHealth } from '../../ports/gate'
import type { OverdueNow } from '../../ports/observing'
import type { BlacklistEntries, Jobs, PauseEntries } from '../../ports/operators'
import type { AuditQueries } from '../../ports/queries'
import type { AuditLog, Organizations } from '../../ports/tenants'
import type { Operations } from '../../routing/operations'

/** Ports that only the operators' endpoints need. */
export type OperatorPorts = {
  operations: Operations
  jobs: Jobs
  pauses: PauseEntries
  blacklistEntries: BlacklistEntries
  auditLog: AuditLog & AuditQueries
  /** Returns the health of the providers over the last minutes, as known to this process. */
  providers: () => Promise<ProviderHealth[]>
  /** The names of all providers, without direct payment. */
  providerNames: readonly string[]
  organizations: Pick<Organizations, 'load' | 'list'>
  /** Everything that is overdue. */
  overdue: OverdueNow
  /** Makes a new, unique id with this prefix. */
  newId: (prefix: string) => string
}
