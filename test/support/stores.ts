import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import type { Relayer } from '../../src/domain/chain/relayer'
import type { QuotaCounter } from '../../src/domain/limits/quota'
import type { Semaphore } from '../../src/domain/limits/semaphore'
import type { NoticeBook } from '../../src/domain/tenant/notices'
import type { ChainLease } from '../../src/ports/detection'
import type { DeliveryClaim } from '../../src/ports/executions'
import type { OverdueReport } from '../../src/ports/observing'
import { eventLogInMemory, eventMarksOn } from './events'
import { inboundWebhooksInMemory } from './inbound-webhooks'
import { limitCountersInMemory, quotaWarningsInMemory } from './limit-counters'
import { observationsInMemory } from './observations'
import { pausesInMemory } from './pauses'
import { auditQueriesOn, depositQueriesOn, executionQueriesOn } from './queries'
import { executionsInMemory, recordsInMemory, recordsOf } from './records'
import { scanCursorsInMemory, sightingsInMemory } from './sightings'
import { SimulatedMongo } from './simulation/simulated-mongo'
import {
  accountsInMemory,
  apiKeysInMemory,
  auditLogInMemory,
  blacklistInMemory,
  heldChangesInMemory,
  intentsInMemory,
  organizationsInMemory,
} from './tenants'
import { unsupportedInMemory } from './unsupported'
import { ledgerOn, requestLogInMemory, usageOn } from './usage'
import { webhookDeliveriesInMemory, webhookEndpointsInMemory, webhookFeedsInMemory } from './webhooks'

/** Every port of the store, in memory. */
export function storeInMemory() {
  const executions = executionsInMemory()
  const sightings = sightingsInMemory()
  const intents = intentsInMemory()
  const unsupported = unsupportedInMemory(executions)
  const accounts = accountsInMemory(intents.naming)
  const audit = auditLogInMemory()
  const pauses = pausesInMemory()
  const marked = {
    ...{ executions, sightings, intents, pauses },
    apiKeys: apiKeysInMemory(),
    heldChanges: heldChangesInMemory(),
    quotaWarnings: quotaWarningsInMemory(),
    webhookEndpoints: webhookEndpointsInMemory(),
  }
  return {
    ...marked,
    eventLog: eventLogInMemory(),
    eventMarks: eventMarksOn(marked),
    lanes: recordsInMemory<{ id: string; version: number; holder: string | null; clearFrom: number }>(),
    deliveries: recordsOf<DeliveryClaim>('deliveries'),
    relayerRecords: recordsOf<Relayer>('senders'),
    organizations: organizationsInMemory(),
    accounts,
    inboundWebhooks: inboundWebhooksInMemory(accounts.all),
    intentHistory: intents.history,
    unsupported,
    scanCursors: scanCursorsInMemory(),
    chainLeases: recordsOf<ChainLease>('chainLeases'),
    blacklist: blacklistInMemory(),
    limitCounters: limitCountersInMemory(),
    quotaBooks: recordsOf<QuotaCounter>('quotaBooks'),
    pausePeriods: pauses.periods,
    semaphoreRecords: recordsOf<Semaphore>('placeBooks'),
    auditLog: { ...audit, ...auditQueriesOn(audit.entries) },
    executionQueries: executionQueriesOn(executions),
    depositQueries: depositQueriesOn(executions, sightings, intents, unsupported),
    ledger: ledgerOn(executions),
    usage: usageOn(executions),
    requestLog: requestLogInMemory(),
    webhookFeeds: webhookFeedsInMemory(),
    webhookDeliveries: webhookDeliveriesInMemory(),
    observations: observationsInMemory(),
    overdueReports: recordsInMemory<OverdueReport>(),
    noticeBooks: recordsOf<NoticeBook>('noticeBooks'),
  }
}

type Shared = keyof ReturnType<typeof storeInMemory>
export type Store = Pick<ReturnType<typeof mongoStore>, Shared>
/** Two processes that share one empty store. */
export type OpenStore = { store: Store; other: Store }

async function onSimulatedMongo(now: () => number = () => 0): Promise<OpenStore> {
  const mongo = new SimulatedMongo()
  const [store, other] = ['worker-1', 'worker-2'].map((worker) =>
    mongoStore(
      mongo.connect(async (_command, act) => act()),
      worker,
      now,
    ),
  )
  return { store: store!, other: other! }
}

async function inMemory(): Promise<OpenStore> {
  const store = storeInMemory()
  return { store, other: store }
}

/**
 * Both stores keep the same promises, so every contract test runs on each. Without servers, only the memory store runs.
 * The other one is imported only for a run with servers: a static import would keep these tests from deciding mutants.
 */
export const stores: [name: string, open: (now?: () => number) => Promise<OpenStore>][] = [['in memory', inMemory]]
if (process.env['TEST_SERVERS'] !== 'none') stores.push(['in MongoDB', (await import('./stores-in-mongo')).onMongo])

/** The same, and the real store on the simulation's database, which has only the commands of the engine's store. */
export const engineStores: typeof stores = [...stores, ['in the simulated MongoDB', onSimulatedMongo]]
