import type { Relayer } from '../domain/chain/relayer'
import type { Semaphore } from '../domain/chain/semaphore'
import type { Lane } from '../domain/execution/lane'
import type { QuotaBook } from '../domain/tenant/quota'
import type { BlacklistEntries } from '../ports/blacklist'
import type { ChainLeases, ScanCursors, Sightings, UnsupportedDeposits } from '../ports/detection'
import type { Deliveries, Executions } from '../ports/executions'
import type { IdempotentRequests } from '../ports/idempotency'
import type { Jobs } from '../ports/jobs'
import type { LimitCounters, QuotaWarnings } from '../ports/limits'
import type { NoticeBooks } from '../ports/members'
import type { Observations, OverdueReports } from '../ports/overdue'
import type { PauseEntries, PausePeriods } from '../ports/pauses'
import type { AuditQueries, DepositQueries, ExecutionQueries } from '../ports/queries'
import type { Records } from '../ports/records'
import type { RequestLog } from '../ports/request-log'
import type {
  Accounts,
  ApiKeys,
  AuditLog,
  Blacklist,
  DepositIntents,
  HeldChanges,
  IntentHistory,
  Organizations,
} from '../ports/tenants'
import type { LedgerQueries, UsageQueries } from '../ports/usage'
import type { EventLog, EventMarks } from '../ports/webhooks/event-log'
import type { WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from '../ports/webhooks/webhooks'

/** What the service keeps in its database. */
export type Stores = {
  accounts: Accounts
  apiKeys: ApiKeys
  auditLog: AuditLog & AuditQueries
  blacklist: Blacklist
  blacklistEntries: BlacklistEntries
  chainLeases: ChainLeases
  deliveries: Deliveries
  depositQueries: DepositQueries
  eventLog: EventLog
  eventMarks: EventMarks
  executionQueries: ExecutionQueries
  executions: Executions
  heldChanges: HeldChanges
  idempotency: IdempotentRequests
  intentHistory: IntentHistory
  intents: DepositIntents
  jobs: Jobs
  lanes: Records<Lane>
  ledger: LedgerQueries
  limitCounters: LimitCounters
  noticeBooks: NoticeBooks
  observations: Observations
  organizations: Organizations
  overdueReports: OverdueReports
  pausePeriods: PausePeriods
  pauses: PauseEntries
  quotaBooks: Records<QuotaBook>
  quotaWarnings: QuotaWarnings
  relayerRecords: Records<Relayer>
  requestLog: RequestLog
  scanCursors: ScanCursors
  semaphoreRecords: Records<Semaphore>
  sightings: Sightings
  unsupported: UnsupportedDeposits
  usage: UsageQueries
  webhookDeliveries: WebhookDeliveries
  webhookEndpoints: WebhookEndpoints
  webhookFeeds: WebhookFeeds
}
