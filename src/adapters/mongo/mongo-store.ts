import type { Connection } from 'mongoose'
import { StoreRefusing } from '../../ports/store-unavailable'
import { ensureAuthIndexes } from '../auth/auth-indexes'
import { mongoAccounts } from './accounts'
import { mongoApiKeys } from './api-keys'
import { mongoAuditLog } from './audit-log'
import { mongoBlacklist } from './blacklist'
import { mongoBlacklistLists } from './blacklist-lists'
import { mongoBudgets } from './budgets'
import { ensureIndexes } from './collection'
import { timeOf } from './connection'
import { mongoDeliveries } from './deliveries'
import { mongoDepositQueries } from './deposit-queries'
import { mongoExecutionQueries } from './execution-queries'
import { mongoExecutions } from './executions'
import { mongoIdempotency } from './idempotency'
import { mongoInboundWebhooks } from './inbound-webhooks'
import { mongoIntentHistory, mongoIntents } from './intents'
import { mongoInvitations } from './invitations'
import { mongoJobs } from './jobs'
import { mongoLanes } from './lanes'
import { mongoMemberships } from './memberships'
import { mongoOrganizations } from './organizations'
import { mongoPauses } from './pauses'
import { mongoPlaceBooks } from './place-books'
import { mongoProviderRests } from './provider-rests'
import { mongoQuotaBooks } from './quota-books'
import { reachedEach } from './reached'
import { mongoRequestLog } from './request-log'
import { mongoScanCursors } from './scan-cursors'
import { mongoSenders } from './senders'
import { mongoSightings } from './sightings'
import { mongoSigns } from './signs'
import { isRefusing, taken } from './taken'
import { mongoTellings } from './tellings'
import { mongoUnsealed } from './unsealed'
import { mongoUnsupported } from './unsupported'
import { mongoUsageQueries } from './usage-queries'

export type MongoStore = ReturnType<typeof mongoStore>

/**
 * Everything that is stored, behind its ports. @param worker unique to this process: it names its writes.
 *
 * @throws {StoreUnavailable} from whatever is asked of it while it is away or takes no writes.
 */
export const mongoStore = (connection: Connection, worker: string, now: () => number = Date.now) =>
  reachedEach(portsOf(connection, worker, now))

const portsOf = (connection: Connection, worker: string, now: () => number) => ({
  executions: mongoExecutions(connection, worker, { now }),
  lanes: mongoLanes(connection, worker),
  deliveries: mongoDeliveries(connection, worker),
  senders: mongoSenders(connection, worker),
  organizations: mongoOrganizations(connection, worker),
  memberships: mongoMemberships(connection, worker),
  invitations: mongoInvitations(connection, worker),
  apiKeys: mongoApiKeys(connection, worker),
  accounts: mongoAccounts(connection, worker),
  intents: mongoIntents(connection, worker),
  intentHistory: mongoIntentHistory(connection),
  unsealed: mongoUnsealed(connection),
  sightings: mongoSightings(connection, worker),
  unsupported: mongoUnsupported(connection, worker),
  scanCursors: mongoScanCursors(connection, worker),
  idempotency: mongoIdempotency(connection, worker),
  budgets: mongoBudgets(connection),
  quotaBooks: mongoQuotaBooks(connection, worker),
  placeBooks: mongoPlaceBooks(connection, worker),
  blacklist: mongoBlacklist(connection, worker),
  blacklistLists: mongoBlacklistLists(connection, worker),
  pauses: mongoPauses(connection, worker),
  providerRests: mongoProviderRests(connection, worker),
  jobs: mongoJobs(connection, worker),
  auditLog: mongoAuditLog(connection),
  executionQueries: mongoExecutionQueries(connection),
  depositQueries: mongoDepositQueries(connection),
  usage: mongoUsageQueries(connection),
  requestLog: mongoRequestLog(connection),
  inboundWebhooks: mongoInboundWebhooks(connection),
  signs: mongoSigns(connection),
  tellings: mongoTellings(connection, worker),
  /** At start, before anything is served. */
  ensureIndexes: async () => {
    await ensureIndexes(connection)
    await ensureAuthIndexes(connection)
  },
  /** That it takes writes: one that is full or read-only still answers. */
  assureWritable: async () => {
    const probes = connection.db!.collection<{ _id: string }>('probes')
    const probe = { $set: { writer: worker }, $inc: { times: 1 } }
    await taken(connection, () => probes.updateOne({ _id: 'writable' }, probe, { upsert: true }))
    if (isRefusing(connection)) throw new StoreRefusing('a write of a moment ago')
  },
  /** The database's clock. */
  time: () => timeOf(connection),
})
