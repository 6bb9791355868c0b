import { afterAll, beforeAll, expect, test } from 'bun:test'
import { executionIndexes } from '../../../src/adapters/mongo/collections/execution-indexes'
import { unsupportedIdOf } from '../../../src/domain/deposit/unsupported'
import { markedCollections } from '../../../src/domain/event-marks'
import { deliveryStatuses } from '../../../src/domain/webhook/delivery'
import type { DepositFilter, ExecutionFilter } from '../../../src/ports/queries'
import { addressOf, executionOf, hashOf, sender, token } from '../../support/deposits'
import { sample } from '../../support/depth'
import { accountOf, insertRows, lane, now, organizationId, rows, userId } from '../../support/plan-rows'
import { explainedStore } from '../../support/plans'
import { testAll } from '../../support/test-all'

const whose = { organizationId }
const everyone = { organizationId: null }

/** The database's plan for each query of the store. */
let explained: Awaited<ReturnType<typeof explainedStore>>
beforeAll(async () => {
  explained = await explainedStore()
  await insertRows(explained.connection)
})
afterAll(() => explained.close())

type Store = Awaited<ReturnType<typeof explainedStore>>['store']
type Question = [what: string, ask: (store: Store) => Promise<unknown>]

const after = { createdAt: now - 100_000_000, id: 'x' }
const page = { limit: 20 }
const executionFilters: [string, Partial<ExecutionFilter>][] = [
  ['all', {}],
  ['a user', { userId }],
  ['a user and status', { userId, status: ['SUCCESS'] }],
  ['a hash', { txHash: hashOf(7) }],
  ['an address', { depositAddress: accountOf(7) }],
  ['a recipient', { targetAddress: addressOf(7) }],
  ['a route', { routeId: hashOf(1_000_007) }],
  ['a deposit', { depositId: executionOf(7).id }],
  ['a status', { status: ['FAILED'] }],
  ['chains', { fromChainId: 8453, toChainId: 42161 }],
  ['a token', { fromTokenAddress: token }],
  ['a provider', { provider: 'lifi' }],
  ['a cause', { causeCode: 'NO_ROUTE' }],
  ['a key', { apiKeyId: 'key_1' }],
  ['times', { createdFrom: now - 3_600_000, createdTo: now }],
]
const hashPart = { begin: hashOf(7).slice(0, 62), end: '07' }
const depositFilters: [string, Partial<DepositFilter>][] = [
  ['all', {}],
  ['a user', { userId }],
  ['a stage', { stage: ['QUEUED'] }],
  ['a seen stage', { stage: ['CONFIRMING'] }],
  ['amounts that wait', { stage: ['CONFIRMING', 'QUEUED', 'ROUTING'], amountsRaw: ['7', '70'] }],
  ['a shortened hash that waits', { stage: ['CONFIRMING', 'QUEUED', 'ROUTING'], hashPart }],
  ['a shortened hash of tokens on no list', { stage: ['UNSUPPORTED'], hashPart }],
  ['tokens on no list', { stage: ['UNSUPPORTED'] }],
  ['tokens on no list at an address', { stage: ['UNSUPPORTED'], depositAddress: accountOf(7) }],
  ['a token', { fromTokenAddress: addressOf(7) }],
  ['a hash', { txHash: hashOf(7) }],
  ['an address', { depositAddress: accountOf(7) }],
  ['a sender', { fromAddress: sender }],
  ['a rare sender', { fromAddress: addressOf(1) }],
  ['a recipient', { targetAddress: addressOf(7) }],
  ['a chain and token', { fromChainId: 8453, fromTokenAddress: token }],
  ['times', { createdFrom: now - 3_600_000, createdTo: now }],
]
const key = executionOf(7).id
const ofEndpoint = { ...whose, endpointId: 'e7' }
const tokenPair = { fromChainId: 8453, fromToken: token, toChainId: 42161, toToken: token } as const

const questions: Question[] = [
  ...[whose, everyone].flatMap((tenant) => [
    ...executionFilters.flatMap(([what, filter]): Question[] => [
      [`executions of ${what}`, ({ executionQueries }) => executionQueries.list({ ...tenant, ...filter }, page)],
      [
        `executions of ${what}, on`,
        ({ executionQueries }) => executionQueries.list({ ...tenant, ...filter }, { ...page, after }),
      ],
      [
        `executions of ${what}, oldest first`,
        ({ executionQueries }) =>
          executionQueries.list({ ...tenant, ...filter }, { ...page, after, isOldestFirst: true }),
      ],
      [`how many of ${what}`, ({ executionQueries }) => executionQueries.count({ ...tenant, ...filter }, 100)],
    ]),
    ...depositFilters.flatMap(([what, filter]): Question[] => [
      [`deposits of ${what}`, ({ depositQueries }) => depositQueries.list({ ...tenant, ...filter }, page)],
      [
        `deposits of ${what}, on`,
        ({ depositQueries }) => depositQueries.list({ ...tenant, ...filter }, { ...page, after }),
      ],
      [
        `deposits of ${what}, oldest first`,
        ({ depositQueries }) => depositQueries.list({ ...tenant, ...filter }, { ...page, after, isOldestFirst: true }),
      ],
    ]),
    ['users whose id begins so', ({ accounts }) => accounts.beginningWith(tenant, 'user-29', 5)] as Question,
    ['users with a word that begins so', ({ accounts }) => accounts.withPart(tenant, '29', 5)] as Question,
    [
      'executions of an amount',
      ({ executionQueries }) =>
        executionQueries.list({ ...tenant, amountsRaw: ['7', '70'], fromTokenSymbol: 'USDC' }, page),
    ] as Question,
    [
      'executions with a hash that begins and ends so',
      ({ executionQueries }) => executionQueries.list({ ...tenant, hashPart }, page),
    ] as Question,
    ['one execution', ({ executionQueries }) => executionQueries.find(tenant, key)] as Question,
    ['one deposit', ({ depositQueries }) => depositQueries.find(tenant, key)] as Question,
    ['what is overdue', ({ executionQueries }) => executionQueries.overdue(tenant, now, 50)] as Question,
    ['what is in a state', ({ executionQueries }) => executionQueries.inState(tenant, 'RUNNING', 50)] as Question,
    ['counts by status', ({ executionQueries }) => executionQueries.countByStatus(tenant)] as Question,
    ['counts by state', ({ executionQueries }) => executionQueries.countByState(tenant, 9)] as Question,
    ...depositFilters
      .filter(([, { stage, txHash, fromAddress, targetAddress }]) => !(stage || txHash || fromAddress || targetAddress))
      .map(
        ([what, filter]): Question => [
          `the ledger of ${what}`,
          ({ ledger }) => ledger.lines({ ...tenant, ...filter }, { ...page, after }),
        ],
      ),
    ['usage', ({ usage }) => usage.rows(tenant.organizationId, '2026-11-20', '2026-11-20')] as Question,
    ['deposits seen', ({ usage }) => usage.deposits(tenant.organizationId, '2026-11-20', '2026-11-20')] as Question,
    ['the content of a webhook', ({ inboundWebhooks }) => inboundWebhooks.find('org_1', accountOf(7), key)] as Question,
    [
      'webhooks about native coins',
      ({ inboundWebhooks }) =>
        inboundWebhooks.ofCoin('org_1', { account: accountOf(7), chainId: 8453, after: 1, to: 9 }, 10),
    ] as Question,
    ['audit', ({ auditLog }) => auditLog.list(tenant, page)] as Question,
    ['audit of a target', ({ auditLog }) => auditLog.list({ ...tenant, target: 't7' }, page)] as Question,
    ['audit of an actor', ({ auditLog }) => auditLog.list({ ...tenant, actorId: 'x' }, page)] as Question,
  ]),
  ['how many are overdue', ({ executionQueries }) => executionQueries.countOverdue(now, 500)],
  ['rows by offset', ({ executionQueries }) => executionQueries.list(whose, { limit: 20, offset: 100 })],
  ['an execution', ({ executions }) => executions.load(key)],
  ['a change', async ({ executions }) => executions.save({ ...(await executions.load(key))! })],
  ['several', ({ executions }) => executions.loadMany([key, 'x'])],
  ['what is due', ({ executions }) => executions.due(now, 0, 100)],
  ['unspent', ({ executions }) => executions.unspentIn(lane)],
  ['waiting for a lane', ({ executions }) => executions.waitingForLane(lane, 5)],
  ['failed between', ({ executions }) => executions.failedBetween(tokenPair, 5)],
  ['waiting for an intent', ({ executions }) => executions.waitingForIntent(accountOf(7))],
  ['sent', ({ executions }) => executions.sentFrom(accountOf(7), 8453)],
  ['the quota', ({ executions }) => executions.countQuota('org_1:2026-7')],
  ['the quota without', ({ executions }) => executions.countQuota('org_1:2026-7', [key])],
  ['the book', ({ executions }) => executions.ledgerOf(lane, 10)],
  ['a sighting', ({ sightings }) => sightings.load(key)],
  ['confirming', ({ sightings }) => sightings.confirming(8453, 10)],
  ['tokens to be measured', ({ unsupported }) => unsupported.due(8453, rows, 50)],
  ['tokens to be judged', ({ unsupported }) => unsupported.unjudged(8453, rows, 50)],
  ['only pointed at', ({ unsupported }) => unsupported.pointedAt(8453, rows, 20)],
  ['how many tokens on no list', ({ unsupported }) => unsupported.countOf(accountOf(7), 8453, 50)],
  [
    'a token on no list',
    ({ depositQueries }) => depositQueries.find(whose, unsupportedIdOf(8453, accountOf(7), token)),
  ],
  ['an account', ({ accounts }) => accounts.load(accountOf(7))],
  ['a user’s account', ({ accounts }) => accounts.findByUser(organizationId, userId)],
  ['new accounts', ({ accounts }) => accounts.createdSince(rows - 10, 100)],
  ['an intent', ({ intents }) => intents.load(accountOf(7))],
  ['a key', ({ apiKeys }) => apiKeys.findByDigest(hashOf(7))],
  ['an organization’s keys', ({ apiKeys }) => apiKeys.ofOrganization('org_7')],
  ['a key’s use', ({ apiKeys }) => apiKeys.markUsed('key_7', now)],
  ['blacklist changes', ({ blacklist }) => blacklist.changedSince(rows - 10)],
  ['the blacklist', ({ blacklist }) => blacklist.list({}, page)],
  ['the blacklist of an address', ({ blacklist }) => blacklist.list({ address: accountOf(7) }, page)],
  ['a budget', ({ limitCounters }) => limitCounters.take('b7', 100, Date.now() + 1e7)],
  ['a kept answer', ({ idempotency }) => idempotency.begin('i7', '', now)],
  ['keeping one', ({ idempotency }) => idempotency.keep('i7', 'x', { status: 200, body: '' })],
  ['freeing a key', ({ idempotency }) => idempotency.release('i7', 'x')],
  ['an invitation', ({ invitations }) => invitations.findByToken(hashOf(7))],
  ['invitations', ({ invitations }) => invitations.ofOrganization('org_7')],
  ['jobs', ({ jobs }) => jobs.due(now)],
  ['changes of recipients that wait', ({ heldChanges }) => heldChanges.waiting(organizationId)],
  ['changes of recipients that are due', ({ heldChanges }) => heldChanges.due(100, 50)],
  ['requested recipient changes', ({ heldChanges }) => heldChanges.requestedOf(accountOf(7))],
  ['organizations', ({ organizations }) => organizations.list(page)],
  ['memberships', ({ memberships }) => memberships.ofPerson('p7')],
  ['pauses', ({ pauses }) => pauses.changedSince(rows - 10)],
  ['periods of pauses', ({ pausePeriods }) => pausePeriods.since(['p7'], rows - 10)],
  ['warnings', ({ quotaWarnings }) => quotaWarnings.load(['w7'])],
  ['versions of intents', ({ intentHistory }) => intentHistory.versionsOf([{ id: accountOf(7), version: 2 }])],
  ...[organizationId, null].flatMap((tenant): Question[] => [
    [`the events of ${tenant}`, ({ eventLog }) => eventLog.after(100, { organizationId: tenant }, 50)],
    [`a user’s events, ${tenant}`, ({ eventLog }) => eventLog.after(9, { organizationId: tenant, userId: 'u7' }, 50)],
    [
      `an object’s events, ${tenant}`,
      ({ eventLog }) => eventLog.after(9, { organizationId: tenant, dataId: 'd7' }, 50),
    ],
  ]),
  ['the last event', ({ eventLog }) => eventLog.head()],
  ['the events of objects', ({ eventLog }) => eventLog.named(['d7', 'd8'])],
  ['an event', ({ eventLog }) => eventLog.positionOf('evt_7')],
  ['an event by time', ({ eventLog }) => eventLog.positionBefore(rows / 2)],
  ...markedCollections.map(
    (name): Question => [`${name} with events`, ({ eventMarks }) => eventMarks.due(name, -1, now, 50)],
  ),
  ['requests', ({ requestLog }) => requestLog.list({ keyIds: ['key_7', 'key_8'], areRefused: false }, page)],
  [
    'refused requests, on',
    ({ requestLog }) => requestLog.list({ keyIds: ['key_7', 'key_8'], areRefused: true }, { ...page, after }),
  ],
  ['everybody’s request counts', ({ requestLog }) => requestLog.counts(null, '2026-11-01', '2026-11-02')],
  ['request counts', ({ requestLog }) => requestLog.counts(['key_7'], '2026-11-01', '2026-11-30')],
  ['a delivery', ({ deliveries }) => deliveries.load('d7')],
  ['deliveries by webhook', ({ webhookDeliveries }) => webhookDeliveries.list(ofEndpoint, { ...page, after })],
  ['stored deliveries', ({ webhookDeliveries }) => webhookDeliveries.stored(['w7', 'w8'])],
  ['how many deliveries are due', ({ webhookDeliveries }) => webhookDeliveries.countDue(now, 50, ['e7'])],
  ['a lane', ({ lanes }) => lanes.load('l7')],
  ['a sender', ({ relayerRecords }) => relayerRecords.load('s7')],
  ['a cursor', ({ scanCursors }) => scanCursors.load('c7')],
  ['the requests of a day', ({ nodeRequests }) => nodeRequests.on('day7')],
  ['a lease', ({ chainLeases }) => chainLeases.load('c7')],
]

const partial = new Map(
  executionIndexes.flatMap(([, options]) => {
    const { name, partialFilterExpression: of = {} } = options!
    const field = 'completedAt' in of ? 'completedAt' : 'dueAt' in of ? 'dueAt' : null
    return field === null || name === 'due' ? [] : [[name, field] as const]
  }),
)

/** Each plan takes 0.2 s of the database's processor time. */
testAll(sample('queries', questions, 45))('every query of the store uses an index', async (_what, ask) => {
  for (const { asked, collection, indexes, isScan } of await explained.plansOf(() => ask(explained.store))) {
    expect(isScan, asked).toBe(false)
    expect(indexes.length, asked).toBeGreaterThan(0)
    // If a query names a partial index, DocumentDB returns only that index's rows, even if the filter matches more.
    // So the filter itself must ask for these rows only.
    const { hint, filter, pipeline } = JSON.parse(asked)
    const field = collection === 'executions' && partial.get(hint)
    if (field) expect(JSON.stringify(filter ?? pipeline[0].$match), asked).toMatch(`"${field}":{"$gt":-1`)
  }
})

testAll<[string, Question[1], string | string[]]>([
  [
    'a user',
    ({ executionQueries }) => executionQueries.list({ ...whose, userId }, { ...page, after }),
    ['open', 'userEnded'],
  ],
  [
    'a user’s status',
    ({ executionQueries }) => executionQueries.list({ ...whose, userId, status: ['SUCCESS'] }, page),
    'userEnded',
  ],
  [
    'a user’s deposits',
    ({ depositQueries }) => depositQueries.list({ ...whose, userId }, page),
    ['userAnywhere', 'open', 'userEnded'],
  ],
  [
    'how many of a hash',
    ({ executionQueries }) => executionQueries.count({ ...whose, txHash: hashOf(7) }, 9),
    'hashes',
  ],
  [
    'a recipient',
    ({ executionQueries }) =>
      executionQueries.list({ ...whose, targetAddress: addressOf(7), status: ['FAILED'] }, page),
    ['targets', 'open'],
  ],
  [
    'a provider',
    ({ executionQueries }) => executionQueries.list({ ...whose, provider: 'lifi' }, page),
    ['open', 'provider'],
  ],
  [
    'a key’s successes',
    ({ executionQueries }) => executionQueries.count({ ...whose, apiKeyId: 'key_1', status: ['SUCCESS'] }, 9),
    'apiKey',
  ],
  [
    'what was superseded',
    ({ executionQueries }) => executionQueries.list({ ...whose, superseded: true, status: ['SUCCESS'] }, page),
    ['redrivenByEnded', 'continuedByEnded', 'takenByEnded'],
  ],
  ['what is unspent', ({ executions }) => executions.unspentIn(lane), 'laneOver'],
  [
    'money sent by several accounts in one query',
    ({ executions }) => Promise.all([7, 8, 9].map((n) => executions.sentFrom(accountOf(n), 8453))),
    'laneOver',
  ],
  ['waiting for a lane', ({ executions }) => executions.waitingForLane(lane, 5), 'laneOver'],
  ['leftovers in a lane', ({ executions }) => executions.residueIn(lane), 'laneOver'],
  ['the book', ({ executions }) => executions.ledgerOf(lane, 10), ['_id_', 'laneOver', '_id_']],
  [
    'an address',
    ({ executionQueries }) => executionQueries.list({ ...whose, depositAddress: accountOf(7) }, page),
    'laneOver',
  ],
  [
    'a sender’s deposits',
    ({ depositQueries }) => depositQueries.list({ ...whose, fromAddress: addressOf(1) }, page),
    ['sender', 'open', 'senderEnded', 'open', 'sendersEnded'],
  ],
  [
    'users whose id begins so',
    ({ accounts }) => accounts.beginningWith({ organizationId: null }, 'user-29', 5),
    'userAnywhere',
  ],
  [
    'a shortened hash of tokens on no list',
    ({ depositQueries }) => depositQueries.list({ ...whose, stage: ['UNSUPPORTED'], hashPart }, page),
    ['txHash', 'laneOver', '_id_'],
  ],
  ['tokens to be measured', ({ unsupported }) => unsupported.due(8453, rows, 50), 'due'],
  ['tokens to be judged', ({ unsupported }) => unsupported.unjudged(8453, rows, 50), 'unjudged'],
  ['only pointed at', ({ unsupported }) => unsupported.pointedAt(8453, rows, 20), 'pointed'],
  ['how many tokens on no list', ({ unsupported }) => unsupported.countOf(accountOf(7), 8453, 50), 'account'],
  ['what waits', ({ depositQueries }) => depositQueries.list({ ...whose, stage: ['QUEUED'] }, page), 'open'],
  [
    'the chart of an endpoint’s deliveries',
    ({ webhookDeliveries }) =>
      webhookDeliveries.countByPeriod(
        { ...ofEndpoint, createdFrom: now - 86_400_000, createdTo: now },
        { stepMs: 3_600_000, most: 50 },
      ),
    'status',
  ],
  ['an endpoint’s next deliveries', ({ webhookDeliveries }) => webhookDeliveries.next('e7', 20), 'next'],
  [
    'an endpoint’s failed deliveries of a time',
    ({ webhookDeliveries }) =>
      webhookDeliveries.takenUpBetween(
        ofEndpoint,
        { since: now - 86_400_000, until: now, statuses: [deliveryStatuses[0]!] },
        20,
      ),
    'status',
  ],
  [
    'what was returned',
    ({ depositQueries }) => depositQueries.list({ ...whose, stage: ['RETURNED'] }, page),
    ['open', 'refundsEnded'],
  ],
])('a selective index is the only one read', async (_what, ask, index) => {
  const plans = await explained.plansOf(() => ask(explained.store))
  const expected = [index].flat()
  for (const [n, { indexes, asked }] of plans.entries()) expect(indexes, asked).toEqual([expected[n] ?? expected[0]!])
  expect(plans.length).toBeGreaterThan(0)
})

test('usage finds open and ended executions by an index of each, in one query', async () => {
  const { usage } = explained.store
  const [began] = await explained.plansOf(() => usage.rows(organizationId, '2026-11-19', '2026-11-19'))
  expect(began!.indexes).toEqual(['open', 'createdEnded'])
  const [seen] = await explained.plansOf(() => usage.deposits(organizationId, '2026-11-19', '2026-11-19'))
  expect(seen!.indexes).toEqual(['open', 'detectedEnded'])
})
