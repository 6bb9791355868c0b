import type { Connection } from 'mongoose'
import type { Network } from '../../domain/chain/chain'
import { StoreRefusing } from '../../domain/unavailable'
import { ensureAuthIndexes } from '../auth/auth-indexes'
import { eraseProvider, eraseSignIn, isAddressReused } from '../auth/erased-person'
import { authSecondSteps } from '../auth/second-steps'
import { mongoAccounts } from './collections/accounts'
import { mongoApiKeys } from './collections/api-keys'
import { mongoAuditLog } from './collections/audit-log'
import { mongoBlacklist, mongoBlacklistLists } from './collections/blacklist'
import {
  mongoChainLeases,
  mongoDeliveries,
  mongoGasBooks,
  mongoNodeTroubles,
  mongoNoticeBooks,
  mongoOverdueReports,
  mongoPriceBooks,
  mongoProviderBudgets,
  mongoProviderGates,
  mongoQuotaBooks,
  mongoScanCursors,
  mongoSemaphores,
  mongoSenders,
  mongoSignerLogs,
} from './collections/books'
import { mongoEventLog, mongoEventMarks } from './collections/events'
import { mongoExecutions } from './collections/executions'
import { mongoIdempotency } from './collections/idempotency'
import { mongoInboundWebhooks } from './collections/inbound-webhooks'
import { mongoHeldChanges } from './collections/intents/held-changes'
import { mongoIntentHistory, mongoIntents } from './collections/intents/intents'
import { mongoJobs } from './collections/jobs'
import { mongoLaneSums, mongoLanes } from './collections/lanes'
import { mongoLimitCounters } from './collections/limit-counters'
import { mongoObservations } from './collections/observations'
import { mongoDomainClaims, mongoOrganizations } from './collections/organizations'
import { mongoPausePeriods, mongoPauses } from './collections/pauses'
import { mongoInvitations, mongoMemberships } from './collections/people/invitations'
import { mongoQuotaWarnings } from './collections/quota-warnings'
import { mongoNodeRequests } from './collections/request-days'
import { mongoRequestLog } from './collections/request-log'
import { mongoSightings } from './collections/sightings'
import { mongoUnsupported } from './collections/unsupported'
import { mongoWebhookDeliveries } from './collections/webhook-deliveries'
import { mongoWebhookEndpoints, mongoWebhookFeeds } from './collections/webhook-endpoints'
import { ensureIndexes, onMarked } from './engine/collection'
import { timeOf } from './engine/connection'
import { claimNetwork } from './engine/network-mark'
import { withStoreErrorsEach } from './engine/store-errors'
import { isRefusing, rememberingRefusal } from './engine/write-refusal'
import { mongoDepositQueries } from './queries/deposit-queries'
import { mongoErasures } from './queries/erasing'
import { mongoExecutionQueries } from './queries/execution-queries'
import { mongoLedgerQueries } from './queries/ledger-queries'
import { mongoMigrations } from './queries/migrations'
import { mongoRetention } from './queries/retention'
import { mongoUnsealed } from './queries/unsealed'
import { mongoUsageQueries } from './queries/usage-queries'

export type MongoStore = ReturnType<typeof mongoStore>

/**
 * Everything that is stored, behind its ports.
 *
 * @param worker Unique name of this process, which its writes carry.
 * @param now The process's clock.
 * @throws {StoreUnavailable} from every method while the store is unreachable or refuses writes.
 */
export const mongoStore = (connection: Connection, worker: string, now: () => number) =>
  withStoreErrorsEach(portsOf(connection, worker, now))

/** Reads the database's time, in milliseconds since 1970. */
export const databaseTime = (connection: Connection) => withStoreErrorsEach({ time: () => timeOf(connection) }).time

const portsOf = (connection: Connection, worker: string, now: () => number) => ({
  executions: mongoExecutions(connection, worker, now),
  lanes: mongoLanes(connection, worker),
  laneSums: mongoLaneSums(connection, worker, now),
  deliveries: mongoDeliveries(connection, worker),
  relayerRecords: mongoSenders(connection, worker),
  organizations: mongoOrganizations(connection, worker),
  memberships: mongoMemberships(connection, worker),
  invitations: mongoInvitations(connection, worker),
  domainClaims: mongoDomainClaims(connection, worker),
  noticeBooks: mongoNoticeBooks(connection, worker),
  apiKeys: mongoApiKeys(connection, worker),
  accounts: mongoAccounts(connection, worker),
  intents: mongoIntents(connection, worker),
  intentHistory: mongoIntentHistory(connection),
  heldChanges: mongoHeldChanges(connection, worker),
  unsealed: mongoUnsealed(connection),
  sightings: mongoSightings(connection, worker),
  unsupported: mongoUnsupported(connection, worker),
  scanCursors: mongoScanCursors(connection, worker),
  chainLeases: mongoChainLeases(connection, worker),
  nodeRequests: mongoNodeRequests(connection),
  idempotency: mongoIdempotency(connection, worker),
  limitCounters: mongoLimitCounters(connection),
  quotaBooks: mongoQuotaBooks(connection, worker),
  quotaWarnings: mongoQuotaWarnings(connection),
  semaphoreRecords: mongoSemaphores(connection, worker),
  blacklist: mongoBlacklist(connection, worker),
  blacklistLists: mongoBlacklistLists(connection, worker),
  pauses: mongoPauses(connection, worker),
  pausePeriods: mongoPausePeriods(connection),
  eventLog: mongoEventLog(connection),
  eventMarks: mongoEventMarks(connection),
  providerGates: mongoProviderGates(connection, worker),
  nodeTroubles: mongoNodeTroubles(connection, worker),
  providerBudgets: mongoProviderBudgets(connection, worker),
  gasBooks: mongoGasBooks(connection, worker),
  priceBooks: mongoPriceBooks(connection, worker),
  signerLogs: mongoSignerLogs(connection, worker),
  jobs: mongoJobs(connection, worker),
  auditLog: mongoAuditLog(connection),
  executionQueries: mongoExecutionQueries(connection),
  depositQueries: mongoDepositQueries(connection),
  ledger: mongoLedgerQueries(connection),
  usage: mongoUsageQueries(connection, now),
  requestLog: mongoRequestLog(connection),
  inboundWebhooks: mongoInboundWebhooks(connection),
  webhookEndpoints: mongoWebhookEndpoints(connection, worker),
  webhookFeeds: mongoWebhookFeeds(connection, worker),
  webhookDeliveries: mongoWebhookDeliveries(connection, worker),
  observations: mongoObservations(connection),
  overdueReports: mongoOverdueReports(connection, worker),
  secondSteps: authSecondSteps(connection),
  erasures: mongoErasures(connection, {
    worker,
    eraseSignIn: (personId, email) => eraseSignIn(connection, personId, email),
    isTakenAgain: (...whose) => isAddressReused(connection, ...whose),
    eraseProvider: (...whose) => eraseProvider(connection, ...whose),
    now,
  }),
  migrations: mongoMigrations(connection, worker, now),
  retention: mongoRetention(connection, worker, now),
  /** Called before anything else. A database of the other network is refused. */
  claimNetwork: (network: Network) => claimNetwork(connection, network),
  /** Called at startup, before anything is served. */
  ensureIndexes: async () => {
    await ensureIndexes(connection)
    await ensureAuthIndexes(connection)
  },
  /** Checks that the store accepts writes, because a full or read-only store still answers reads. */
  assureWritable: async () => {
    const probes = connection.db!.collection<{ _id: string }>('probes')
    const probe = { $set: { writer: worker }, $inc: { times: 1 } }
    await rememberingRefusal(connection, () => probes.updateOne({ _id: 'writable' }, probe, { upsert: true }))
    if (isRefusing(connection)) throw new StoreRefusing('a write was refused moments ago')
  },
  /** Calls `listener` after each write of this process that might have events. */
  onMarked: (listener: Parameters<typeof onMarked>[1]) => onMarked(connection, listener),
  /** The database's clock. */
  time: () => timeOf(connection),
})
