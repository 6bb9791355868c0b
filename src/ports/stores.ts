import type { Relayer } from '../domain/chain/relayer'
import type { Lane } from '../domain/execution/lane'
import type { QuotaCounter } from '../domain/limits/quota'
import type { Semaphore } from '../domain/limits/semaphore'
import type { ChainLeases, ScanCursors, Sightings, UnsupportedDeposits } from './detection'
import type { Deliveries, Executions } from './executions'
import type {
  IdempotentRequests,
  LedgerQueries,
  LimitCounters,
  QuotaWarnings,
  RequestLog,
  UsageQueries,
} from './limits'
import type { Observations, OverdueReports } from './observing'
import type { BlacklistEntries, Jobs, PauseEntries, PausePeriods } from './operators'
import type { NoticeBooks } from './people'
import type { AuditQueries, DepositQueries, ExecutionQueries } from './queries'
import type { Records } from './records'
import type {
  Accounts,
  ApiKeys,
  AuditLog,
  Blacklist,
  DepositIntents,
  HeldChanges,
  IntentHistory,
  Organizations,
} from './tenants'
import type { EventLog, EventMarks, WebhookDeliveries, WebhookEndpoints, WebhookFeeds } from './webhooks'

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
  quotaBooks: Records<QuotaCounter>
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
