import type { ProviderHealth } from '../../ports/aggregator'
import type { BlacklistEntries } from '../../ports/blacklist'
import type { Jobs } from '../../ports/jobs'
import type { OverdueNow } from '../../ports/overdue'
import type { PauseEntries } from '../../ports/pauses'
import type { AuditQueries } from '../../ports/queries'
import type { AuditLog, Organizations } from '../../ports/tenants'
import type { Operations } from '../../routing/operations'

/** What the operators' endpoints need beside what the others do. */
export type OperatorPorts = {
  operations: Operations
  jobs: Jobs
  pauses: PauseEntries
  blacklistEntries: BlacklistEntries
  auditLog: AuditLog & AuditQueries
  /** How the providers did in the last minutes, as far as it is known here. */
  providers: () => Promise<ProviderHealth[]>
  /** The names of all providers, direct payment left out. */
  providerNames: readonly string[]
  organizations: Pick<Organizations, 'load' | 'list'>
  /** What should have moved by now. */
  overdue: OverdueNow
  /** A new, unique id that begins like this. */
  newId: (prefix: string) => string
}
