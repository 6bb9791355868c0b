import type { Connection } from 'mongoose'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { zeroAddress } from '../../src/domain/chain/hex'
import { unsupportedOf } from '../../src/domain/deposit/unsupported'
import { account, addressOf, depositOf, executionOf, hashOf, sender, sightingOf, token } from './deposits'

type Store = ReturnType<typeof mongoStore>
export type Call = (store: Store) => Promise<unknown>

const whose = { organizationId: 'org_1' }
const page = { limit: 5 }
const { lane } = depositOf(1)
const ended = addressOf(0xed)
const endedLane = depositOf(3, { account: ended }).lane
const tokenPair = { fromChainId: 8453, fromToken: token, toChainId: 42161, toToken: token } as const
const day = '2026-11-20'
const of = { ...whose, userId: 'user-1', account, chainId: 8453 as const, token }
const begun = { version: 0, createdAt: 1, updatedAt: 1 }
const kept = {
  id: 'a',
  at: 1,
  actor: { id: 'x', label: 'x' },
  verb: 'retry',
  target: 't',
  reason: null,
  details: {},
  requestId: null,
}

const posted = { id: 'v', eventId: 'evt', type: 't', body: '{}', status: 'PENDING', attempts: 0, tries: 0 }
const ofEndpoint = { ...whose, endpointId: 'e' }

/** A record of each collection with versions, as the store returns it. */
const records: Record<string, { id: string; version: number }> = {
  executions: executionOf(1, { facts: { routeId: hashOf(7), quotaKey: 'org_1:2026-11' } }),
  lanes: { id: lane, version: 0, holder: null, clearFrom: 1 } as never,
  laneSums: {
    id: 'other',
    version: 0,
    records: 0,
    broughtRaw: '0',
    spentRaw: '0',
    finds: 0,
    lastBlock: 0,
    adding: [],
  } as never,
  deliveries: { id: 'd', version: 0, executionId: 'x' } as never,
  relayerRecords: { id: 's', version: 0, slots: [] } as never,
  organizations: {
    id: 'org_1',
    version: 0,
    createdAt: 1,
    name: 'O',
    slug: 'o',
    salt: 's',
    plan: 'FREE',
    isPlatform: false,
  } as never,
  memberships: { id: 'org_1', version: 0, members: [{ personId: 'p', role: 'OWNER', joinedAt: 1 }] } as never,
  noticeBooks: { id: 'org_1', version: 0, lookedAt: 1, known: [], people: [] } as never,
  erasures: { id: 'e', version: 0, kind: 'PERSON', subject: 'none', email: null, askedAt: 1, doneAt: null } as never,
  invitations: { id: 'i', version: 0, createdAt: 1, ...whose, email: 'a@x.test', tokenDigest: 'd' } as never,
  apiKeys: { id: 'k', version: 0, createdAt: 1, digest: 'd', prefix: 'p', ...whose, role: 'CLIENT' } as never,
  accounts: { id: account, ...begun, ...whose, userId: 'user-1', accountSalt: 's', canonicalChainId: 1 } as never,
  intents: { id: account, ...begun, ...whose, userId: 'user-1', targetAddress: sender, refundAddress: null } as never,
  sightings: sightingOf(1),
  unsupported: { ...unsupportedOf(of, true, 1), dueAt: 1, judgeAt: 1, pointedFrom: 1 } as never,
  scanCursors: { id: 'base', version: 0, scannedBlock: 1, scannedBlockHash: hashOf(1), updatedAt: 1 } as never,
  providerBudgets: { id: 'lifi', version: 0, taken: [], tickets: [], told: null, learned: null } as never,
  gasBooks: { id: 'base', version: 0, prices: [], kinds: [] } as never,
  nodeTroubles: { id: 'Base', version: 0, failedAt: 0, until: 0 } as never,
  priceBooks: { id: '1:0x0', version: 0, at: 0, said: [], failed: [], spoken: [], believed: null } as never,
  chainLeases: {
    id: 'base',
    version: 0,
    holder: null,
    until: 1,
    wantedBlock: 1,
    pointedAt: null,
    missedAt: null,
  } as never,
  quotaBooks: { id: 'q', version: 0, most: 1, countedAt: 1, used: 1, held: [] } as never,
  semaphoreRecords: { id: 'p', version: 0, held: [], forgetAt: 1 } as never,
  blacklist: { id: 'b', ...begun, kind: 'TOKEN', chainId: 1, address: account, removedAt: null } as never,
  blacklistLists: { id: 'l', version: 0, digest: 'd', format: 'f', entries: 1, updatedAt: 1 } as never,
  domainClaims: { id: 'example.com', version: 0, organizationId: 'o', provedAt: 1 } as never,
  heldChanges: { id: 'h', version: 0, ...whose, state: 'WAITING', from: null, askedAt: 1, of: 1 } as never,
  pauses: { id: 'all', ...begun, reason: 'r', until: null, by: 'x', resumedAt: null } as never,
  providerGates: { id: 'lifi', version: 0, shut: {}, controls: {}, waiting: {}, unread: null } as never,
  signerLogs: { id: 'known', version: 0, count: 1, last: 'x', other: null } as never,
  jobs: { id: 'j', ...begun, ...whose, work: { verb: 'scan' }, asked: whose, state: 'RUNNING', dueAt: 1 } as never,
  webhookEndpoints: { id: 'e', ...begun, ...whose, url: 'u', types: [], enabled: true, deletedAt: null } as never,
  webhookFeeds: { id: 'e', version: 0, ...whose, readTo: 1, holder: null, until: 1 } as never,
  webhookDeliveries: { ...posted, version: 0, ...whose, endpointId: 'e', dueAt: 1, createdAt: 1 } as never,
  overdueReports: { id: 't', version: 0, at: 1, said: [] } as never,
}

const logged = {
  ...{ position: 1, id: 'evt_1', dataId: 'd', seq: 1, type: 'deposit.detected', organizationId: 'org_1' },
  ...{ userId: 'u', at: 1, loggedAt: 1, text: '{}' },
}
const warning = { id: 'w', organizationId: 'o', quotaKey: 'q', at: 1, percent: 80, limit: 10, used: 8 }

type Saving = { load(id: string): Promise<unknown>; save(record: unknown): Promise<unknown> }
const portOf = (store: Store, name: string) => store[name as keyof Store] as unknown as Saving

/** A second record of the same kind that does not break a uniqueness rule. */
const another = (name: string): object =>
  name === 'executions'
    ? executionOf(2)
    : { ...records[name]!, id: `${records[name]!.id}2`, ...('digest' in records[name]! && { digest: 'd2' }) }

const saved: [string, Call][] = Object.keys(records).flatMap((name): [string, Call][] => [
  [`${name}.load`, (store) => portOf(store, name).load(records[name]!.id)],
  [`${name}.save of a new one`, (store) => portOf(store, name).save(another(name))],
  [
    `${name}.save of a change`,
    async (store) => {
      await portOf(store, name).load(records[name]!.id)
      return portOf(store, name).save({ ...records[name]!, version: 1 })
    },
  ],
])

async function all<Row>(rows: AsyncIterable<Row>): Promise<Row[]> {
  const found: Row[] = []
  for await (const row of rows) found.push(row)
  return found
}

/** Every store method that queries the database, called so that it matches or changes something. */
export const everyCall: [method: string, call: Call][] = [
  // First, because a refusal makes it fail for ten seconds.
  ['assureWritable', (store) => store.assureWritable()],
  ['claimNetwork', (store) => store.claimNetwork('mainnet')],
  ['retention.sweep', ({ retention }) => retention.sweep()],
  ['migrations.owed', ({ migrations }) => migrations.owed()],
  ['migrations.run', ({ migrations }) => migrations.run('laneSums')],
  ['migrations.replacedIndexes', ({ migrations }) => migrations.replacedIndexes()],
  ['migrations.dropReplacedIndexes', ({ migrations }) => migrations.dropReplacedIndexes()],
  ...saved,
  ['executions.loadMany', ({ executions }) => executions.loadMany([executionOf(1).id])],
  ['executions.due', ({ executions }) => executions.due(9, -1, 5)],
  ['executions.unspentIn', ({ executions }) => executions.unspentIn(lane)],
  ['executions.residueIn', ({ executions }) => executions.residueIn(lane)],
  ['executions.waitingForLane', ({ executions }) => executions.waitingForLane(lane, 5)],
  ['executions.failedBetween', ({ executions }) => executions.failedBetween(tokenPair, 5)],
  ['executions.waitingForIntent', ({ executions }) => executions.waitingForIntent(account)],
  ['executions.sentFrom', ({ executions }) => executions.sentFrom(account, 8453)],
  ['executions.carriers', ({ executions }) => executions.carriers([executionOf(1).id])],
  ['executions.countQuota', ({ executions }) => executions.countQuota('org_1:2026-11')],
  ['executions.ledgerOf', ({ executions }) => executions.ledgerOf(lane, 9)],
  ['executions.spendsOf', ({ executions }) => executions.spendsOf(lane)],
  ['executions.leadingTo', ({ executions }) => executions.leadingTo(lane, hashOf(1))],
  ['laneSums.sumUp', ({ laneSums }) => laneSums.sumUp(endedLane)],
  ['heldChanges.waiting', ({ heldChanges }) => heldChanges.waiting('org_1')],
  ['heldChanges.due', ({ heldChanges }) => heldChanges.due(9, 5)],
  ['heldChanges.requestedOf', ({ heldChanges }) => heldChanges.requestedOf(`0x${'a1'.repeat(20)}`)],
  ['memberships.ofPerson', ({ memberships }) => memberships.ofPerson('p')],
  ['erasures.carryOut', ({ erasures }) => erasures.carryOut(records['erasures'] as never)],
  ['erasures.finish', ({ erasures }) => erasures.finish(9)],
  ['invitations.findByToken', ({ invitations }) => invitations.findByToken('d')],
  ['invitations.ofOrganization', ({ invitations }) => invitations.ofOrganization('org_1')],
  ['organizations.list', ({ organizations }) => organizations.list(page)],
  ['organizations.all', ({ organizations }) => organizations.all()],
  ['apiKeys.findByDigest', ({ apiKeys }) => apiKeys.findByDigest('d')],
  ['apiKeys.ofOrganization', ({ apiKeys }) => apiKeys.ofOrganization('org_1')],
  ['apiKeys.markUsed', ({ apiKeys }) => apiKeys.markUsed('k', 7)],
  ['accounts.findByUser', ({ accounts }) => accounts.findByUser('org_1', 'user-1')],
  ['accounts.withPart', ({ accounts }) => accounts.withPart(whose, 'x', 5)],
  ['accounts.beginningWith', ({ accounts }) => accounts.beginningWith(whose, 'user', 5)],
  ['accounts.paying', ({ accounts }) => accounts.paying(whose, sender, 5)],
  ['accounts.createdSince', ({ accounts }) => accounts.createdSince(0, 5)],
  ['intentHistory.replaced', ({ intentHistory }) => intentHistory.replaced(account, 9, 5)],
  ['unsealed.intents', ({ unsealed }) => all(unsealed.intents())],
  ['unsealed.executions', ({ unsealed }) => all(unsealed.executions())],
  ['unsealed.routable', ({ unsealed }) => all(unsealed.routable())],
  ['sightings.confirming', ({ sightings }) => sightings.confirming(8453, 9)],
  ['unsupported.routedOf', ({ unsupported }) => unsupported.routedOf([{ ...of, newest: [] }])],
  ['unsupported.countOf', ({ unsupported }) => unsupported.countOf(account, 8453, 5)],
  ['unsupported.due', ({ unsupported }) => unsupported.due(8453, 9, 5)],
  ['unsupported.unjudged', ({ unsupported }) => unsupported.unjudged(8453, 9, 5)],
  ['unsupported.pointedAt', ({ unsupported }) => unsupported.pointedAt(8453, 9, 5)],
  ['idempotency.begin', ({ idempotency }) => idempotency.begin('new', 'f', 1).then(({ kind }) => kind)],
  ['idempotency.keep', ({ idempotency }) => idempotency.keep('i', 'turn', { status: 200, body: '' })],
  ['idempotency.release', ({ idempotency }) => idempotency.release('i', 'turn')],
  ['limitCounters.take', ({ limitCounters }) => limitCounters.take('b', 9, 1e13)],
  ['limitCounters.take of a new one', ({ limitCounters }) => limitCounters.take('b2', 9, 1e13)],
  ['limitCounters.used', ({ limitCounters }) => limitCounters.used('b')],
  ['limitCounters.giveBack', ({ limitCounters }) => limitCounters.giveBack('b')],
  ['blacklist.changedSince', ({ blacklist }) => blacklist.changedSince(0)],
  ['blacklist.list', ({ blacklist }) => blacklist.list({}, page)],
  ['pauses.changedSince', ({ pauses }) => pauses.changedSince(0)],
  ['pausePeriods.since', ({ pausePeriods }) => pausePeriods.since(['all'], 0)],
  ['quotaWarnings.note', ({ quotaWarnings }) => quotaWarnings.note(warning)],
  ['quotaWarnings.load', ({ quotaWarnings }) => quotaWarnings.load(['w'])],
  [
    'intentHistory.versionsOf',
    ({ intentHistory }) => intentHistory.versionsOf([{ id: `0x${'a1'.repeat(20)}`, version: 1 }]),
  ],
  ['eventLog.head', ({ eventLog }) => eventLog.head()],
  ['eventLog.append', ({ eventLog }) => eventLog.append([logged])],
  ['eventLog.named', ({ eventLog }) => eventLog.named(['d'])],
  ['eventLog.after', ({ eventLog }) => eventLog.after(0, { organizationId: null }, 5)],
  ['eventLog.positionOf', ({ eventLog }) => eventLog.positionOf('evt_1')],
  ['eventLog.positionBefore', ({ eventLog }) => eventLog.positionBefore(9)],
  ['eventMarks.due', ({ eventMarks }) => eventMarks.due('executions', -1, 9, 5)],
  [
    'eventMarks.clear',
    ({ eventMarks }) => eventMarks.clear([{ collection: 'executions', id: 'x', dueAt: 1, mark: 'm', next: null }]),
  ],
  ['jobs.due', ({ jobs }) => jobs.due(9)],
  ['jobs.latest', ({ jobs }) => jobs.latest('org_1', 5)],
  // With one name to pseudonymize, its requests always have the same order.
  ['auditLog.append', ({ auditLog }) => auditLog.append({ ...kept, target: kept.actor.label, id: 'new' } as never)],
  ['auditLog.list', ({ auditLog }) => auditLog.list(whose, page)],
  ['auditLog.head', ({ auditLog }) => auditLog.head('org_1')],
  ['auditLog.chain', ({ auditLog }) => auditLog.chain('org_1', 0, 5)],
  ['auditLog.names', ({ auditLog }) => auditLog.names('org_1')],
  ['auditLog.isWhole', ({ auditLog }) => auditLog.isWhole('org_1')],
  ['auditLog.nextChain', ({ auditLog }) => auditLog.nextChain('')],
  ['executionQueries.list', ({ executionQueries }) => executionQueries.list(whose, page)],
  ['executionQueries.find', ({ executionQueries }) => executionQueries.find(whose, executionOf(1).id)],
  ['executionQueries.findAll', ({ executionQueries }) => executionQueries.findAll([executionOf(1).id])],
  ['executionQueries.count', ({ executionQueries }) => executionQueries.count(whose, 5)],
  ['executionQueries.countByState', ({ executionQueries }) => executionQueries.countByState(whose, 9)],
  ['executionQueries.countByStatus', ({ executionQueries }) => executionQueries.countByStatus(whose)],
  ['executionQueries.inState', ({ executionQueries }) => executionQueries.inState(whose, 'x', 5)],
  ['executionQueries.overdue', ({ executionQueries }) => executionQueries.overdue(whose, 9, 5)],
  ['executionQueries.countOverdue', ({ executionQueries }) => executionQueries.countOverdue(9, 5)],
  ['depositQueries.list', ({ depositQueries }) => depositQueries.list(whose, page)],
  ['depositQueries.find', ({ depositQueries }) => depositQueries.find(whose, executionOf(1).id)],
  ['ledger.lines', ({ ledger }) => ledger.lines(whose, page)],
  ['ledger.records', ({ ledger }) => Array.fromAsync(ledger.records('org_1', 9))],
  ['usage.rows', ({ usage }) => usage.rows('org_1', day, day)],
  ['usage.deposits', ({ usage }) => usage.deposits('org_1', day, day)],
  ['requestLog.list', ({ requestLog }) => requestLog.list({ keyIds: ['k'], areRefused: false }, page)],
  ['requestLog.counts', ({ requestLog }) => requestLog.counts(['k'], day, day)],
  ['inboundWebhooks.find', ({ inboundWebhooks }) => inboundWebhooks.find('org_1', account, 'w')],
  [
    'inboundWebhooks.ofCoin',
    ({ inboundWebhooks }) => inboundWebhooks.ofCoin('org_1', { account, chainId: 8453, after: 0, to: 9 }, 5),
  ],
  ['webhookEndpoints.ofOrganization', ({ webhookEndpoints }) => webhookEndpoints.ofOrganization('org_1')],
  ['webhookEndpoints.changedSince', ({ webhookEndpoints }) => webhookEndpoints.changedSince(0)],
  ['webhookDeliveries.list', ({ webhookDeliveries }) => webhookDeliveries.list(ofEndpoint, page)],
  [
    'webhookDeliveries.countByPeriod',
    ({ webhookDeliveries }) => webhookDeliveries.countByPeriod(ofEndpoint, { stepMs: 2, most: 5 }),
  ],
  ['webhookDeliveries.stored', ({ webhookDeliveries }) => webhookDeliveries.stored(['d'])],
  ['webhookDeliveries.next', ({ webhookDeliveries }) => webhookDeliveries.next('e', 5)],
  [
    'webhookDeliveries.takenUpBetween',
    ({ webhookDeliveries }) => webhookDeliveries.takenUpBetween(ofEndpoint, { since: 0, until: 9 }, 5),
  ],
  ['webhookDeliveries.drop', ({ webhookDeliveries }) => webhookDeliveries.drop('e', 0)],
  ['webhookDeliveries.countDue', ({ webhookDeliveries }) => webhookDeliveries.countDue(9, 5, ['e'])],
  ['webhookEndpoints.disabledIds', ({ webhookEndpoints }) => webhookEndpoints.disabledIds()],
  ['webhookEndpoints.enabledIds', ({ webhookEndpoints }) => webhookEndpoints.enabledIds(9)],
  ['webhookFeeds.countRead', ({ webhookFeeds }) => webhookFeeds.countRead(['e'], 1)],
  ['nodeRequests.add', ({ nodeRequests }) => nodeRequests.add(day, 'base', { eth_call: 1 })],
  ['nodeRequests.on', ({ nodeRequests }) => nodeRequests.on(day)],
  [
    'observations.note',
    ({ observations }) => observations.note({ kind: 'x', chainId: 1, provider: null, subject: null } as never, 7, 7),
  ],
  ['observations.all', ({ observations }) => observations.all()],
  ['secondSteps.find', ({ secondSteps }) => secondSteps.find('p@x.test')],
  ['secondSteps.remove', ({ secondSteps }) => secondSteps.remove('p')],
  ['time', (store) => store.time().then((time) => typeof time)],
]

/** Fills an empty database with the documents that the calls need. */
export async function seedForEveryCall(connection: Connection): Promise<void> {
  const store = mongoStore(connection, 'seed', Date.now)
  for (const [name, record] of Object.entries(records)) await portOf(store, name).save(record)
  const over = { state: 'SUCCESS', status: 'SUCCESS', dueAt: null, completedAt: 1 } as const
  await store.executions.save(executionOf(3, over, { account: ended }))
  const rows: Record<string, object> = {
    budgets: { _id: 'b', used: 3, forgetAt: new Date(1e13) },
    idempotentRequests: { _id: 'i', fingerprint: 'f', at: 1, turn: 'turn', answer: null, forgetAt: new Date(1e13) },
    inboundWebhooks: { _id: 'w', ...of, token: zeroAddress, block: 5, at: 1, text: null },
    requestLogs: { _id: 'k', requests: [] },
    requestDays: { _id: `k:${day}`, date: day, by: {} },
    auth_user: { _id: 'p', email: 'p@x.test', twoFactorEnabled: true },
    auth_session: { _id: 'e', token: 't', userId: 'p' },
    auth_verification: { _id: 'v', value: 'p', identifier: 'trust-device-1' },
    auth_twoFactor: { _id: 'f', userId: 'p' },
    auditLog: { ...kept, id: undefined, _id: 'a', ...whose },
  }
  for (const [name, row] of Object.entries(rows)) await connection.collection(name).insertOne(row as never)
  await connection.collection('intentVersions').insertOne({ _id: `${account}:0`, account, version: 0 } as never)
}
