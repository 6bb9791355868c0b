import { expect, test } from 'bun:test'
import { chainIds } from '../../src/domain/chain/chain'
import type { HeldChange } from '../../src/domain/deposit/held-change'
import { eventTypes } from '../../src/domain/event-types'
import { newFeed } from '../../src/domain/webhook/endpoint'
import { eventId } from '../../src/events/event-id'
import { draftsOf } from '../../src/events/marked-records'
import {
  chainEvent,
  chainEvents,
  endpointEvents,
  heldEvent,
  intentEvent,
  quotaEvent,
} from '../../src/events/rare-events'
import { isoTime } from '../../src/http/views/scalar'
import { addressOf, executionOf, sightingOf } from '../support/deposits'
import { storeInMemory } from '../support/stores'
import { endpointOf } from '../support/webhooks'

const context = {
  findToken: () => null,
  confirmationsRequired: (chainId: number) => chainId,
  scannedBlock: () => 1,
  now: 100,
  isPlatform: false,
}
const at = 1_800_000_000_000
const intentOf = (version: number, updatedAt = at) =>
  ({
    ...{
      id: addressOf(1),
      version,
      organizationId: 'org_1',
      userId: 'ada',
      apiKeyId: 'key_1',
      targetChainId: 1 as const,
    },
    ...{ targetTokenAddress: addressOf(2), targetAddress: addressOf(2 + version), protocolFeeBps: 0, createdAt: at },
    ...{ sponsoredGas: false, refundAddress: null, updatedAt, seal: null, changedBy: null },
  }) as const
const id = addressOf(1)

test('the first version of an intent creates it, and each further one shows the recipient before it', () => {
  const created = intentEvent({ intent: intentOf(1), previous: null })
  const updated = intentEvent({ intent: intentOf(2), previous: intentOf(1) })
  const whose = { at, dataId: id, organizationId: 'org_1', userId: 'ada', seq: 0 }
  expect(created).toMatchObject({ id: eventId(at, id, 1), type: 'intent.created', ...whose })
  expect(updated).toMatchObject({ id: eventId(at, id, 2), type: 'intent.updated', ...whose })
  const head = { type: 'intent.created', timestamp: isoTime(at), seq: null, transition: null }
  expect(created.render(context)).toMatchObject({ id: created.id, ...head, data: { version: 1, previous: null } })
  const previous = { targetChainId: 1, targetChainKey: 'ethereum', targetAddress: addressOf(3) }
  expect(updated.render(context).data).toMatchObject({ version: 2, targetAddress: addressOf(4), previous })
})

const change: HeldChange = {
  ...{ id, version: 1, organizationId: 'org_1', userId: 'ada', of: 2, askedAt: at + 5, from: null },
  ...{ askedBy: { kind: 'API_KEY', id: 'key_1', label: 'x' }, personId: null, state: 'WAITING', seal: null },
  target: { targetChainId: 42161, targetTokenAddress: addressOf(2), targetAddress: addressOf(9), refundAddress: null },
}

test('a held change is an event of the version that it will replace', () => {
  const event = heldEvent(change, { intent: intentOf(2), previous: intentOf(1) })
  const whose = { dataId: id, organizationId: 'org_1', userId: 'ada' }
  expect(event).toMatchObject({
    id: eventId(at + 5, `held:${id}`, 2),
    at: at + 5,
    type: 'intent.change_held',
    ...whose,
  })
  expect(event.render(context).data).toMatchObject({
    ...{ version: 2, previous: { targetAddress: addressOf(3) } },
    change: { targetChainId: 42161, targetAddress: addressOf(9), hold: 'APPROVAL', takesEffectAt: null },
  })
})

test('a pause of a chain and its end are events of all organizations, and the end comes first', () => {
  const [paused, resumed] = [chainEvent(8453, at, true), chainEvent(8453, at, false)]
  expect(paused).toMatchObject({ id: eventId(at, 'chain:8453', 1), type: 'chain.paused', dataId: 'chain:8453', at })
  expect(resumed).toMatchObject({ id: eventId(at, 'chain:8453', 0), type: 'chain.resumed', dataId: 'chain:8453' })
  expect([paused.organizationId, paused.userId, resumed.id < paused.id]).toEqual([null, null, true])
  const shown = { chainId: 8453, confirmationsRequired: 8453, updatedAt: isoTime(at) }
  expect(paused.render(context).data).toMatchObject({ ...shown, acceptsDeposits: false, delivers: false })
  expect(resumed.render(context).data).toMatchObject({ ...shown, acceptsDeposits: true, delivers: true })
})

test('a chain is paused by its own pauses and by those of everything, and by no others', () => {
  const told = (scope: string) =>
    chainEvents([{ scope, from: at, to: at + 9 }]).map(({ dataId, type, at: when }) => [dataId, type, when - at])
  const both = (chainId: number) => [
    [`chain:${chainId}`, 'chain.paused', 0],
    [`chain:${chainId}`, 'chain.resumed', 9],
  ]
  expect(told('chain:8453')).toEqual(both(8453))
  expect(told('all')).toEqual(chainIds.flatMap(both))
  expect(told('tenant:org_1')).toEqual([])
})

const warning = { id: 'w', at, organizationId: 'org_1', quotaKey: 'org_1:2027-01', percent: 80, limit: 10, used: 8 }

test('a quota warning is an event of its share, with the month that ends next', () => {
  const event = quotaEvent(warning)
  const whose = { dataId: 'org_1:2027-01', organizationId: 'org_1', userId: null, seq: 0 }
  expect(event).toMatchObject({ id: eventId(at, 'org_1:2027-01', 80), at, type: 'quota.warning', ...whose })
  const resetsAt = '2027-02-01T00:00:00.000Z'
  expect(event.render(context).data).toEqual({ month: '2027-01', limit: 10, used: 8, resetsAt } as never)
})

test('each time that the service disabled an endpoint is an event with the settings of that time', () => {
  const then = { url: 'https://example.com/old', types: ['deposit.*'], description: 'old' }
  const disabling = (when: number) => ({
    ...{ at: when, reason: 'GONE', isTold: false, lastSuccessAt: when - 2, lastFailureAt: when - 1 },
    ...then,
  })
  const endpoint = { ...endpointOf('whe_1', 'org_1', at), disablings: [disabling(at + 5), disabling(at + 9)] } as never
  const [first, second, ...more] = endpointEvents(endpoint)
  expect(more).toEqual([])
  const whose = { dataId: 'whe_1', organizationId: 'org_1', userId: null, type: 'webhook_endpoint.disabled' }
  expect(first).toMatchObject({ id: eventId(at + 5, 'whe_1', 0), at: at + 5, ...whose })
  expect(second).toMatchObject({ id: eventId(at + 9, 'whe_1', 0), at: at + 9, ...whose })
  const state = { enabled: false, disabledReason: 'GONE', updatedAt: isoTime(at + 5), createdAt: isoTime(at) }
  const attempts = { lastSuccessAt: isoTime(at + 3), lastFailureAt: isoTime(at + 4) }
  expect(first!.render(context).data).toEqual({ id: 'whe_1', ...then, ...state, ...attempts } as never)
  expect(endpointEvents(endpointOf('whe_1', 'org_1', at))).toEqual([])
})

/** Records of every kind in a store, and their events as the appender reads them. */
function recorded() {
  const store = storeInMemory()
  const typesOf = async (collection: keyof ReturnType<typeof draftsOf>, ids: string[], since = 0) =>
    (await draftsOf(store)[collection](ids, since)).map((ofRecord) => ofRecord.map(({ type }) => type))
  return { ...store, store, typesOf }
}

test('the events of each record of a list are made in the order of the list, and a record that is gone has none', async () => {
  const { executions, sightings, quotaWarnings, webhookEndpoints, typesOf } = recorded()
  const [first, second] = [executionOf(1), executionOf(2, { refundOf: 'exe' })]
  for (const each of [first, second]) await executions.save(each)
  expect(await typesOf('executions', [second.id, 'gone', first.id])).toEqual([
    ...[['deposit.returned'], [], ['deposit.detected']],
  ])
  await sightings.save(sightingOf(1, { stage: 'ORPHANED' }))
  const orphaned = ['deposit.detected', 'deposit.orphaned']
  expect(await typesOf('sightings', ['gone', sightingOf(1).id])).toEqual([[], orphaned])
  await quotaWarnings.note(warning)
  expect(await typesOf('quotaWarnings', ['gone', 'w'])).toEqual([[], ['quota.warning']])
  const disabling = {
    ...newFeed(endpointOf('whe_1', 'org_1', at)),
    at,
    reason: 'GONE',
    isTold: true,
    url: 'u',
    types: [],
  }
  await webhookEndpoints.save({ ...endpointOf('whe_1', 'org_1', at), disablings: [disabling] } as never)
  expect(await typesOf('webhookEndpoints', ['whe_1'])).toEqual([['webhook_endpoint.disabled']])
  expect(await typesOf('apiKeys', ['gone'])).toEqual([[]])
})

test('each version of an intent is an event, oldest first, but not one with a new seal only', async () => {
  const { intents, typesOf, store } = recorded()
  expect(await typesOf('intents', [id])).toEqual([[]])
  const first = (await intents.save(intentOf(0)))!
  const second = (await intents.save({ ...first, targetAddress: addressOf(8), updatedAt: at + 1 }))!
  await intents.save({ ...second, seal: 'new' })
  const [drafts] = await draftsOf(store).intents([id], 0)
  expect(drafts!.map(({ type, at: when }) => [type, when - at])).toEqual([
    ['intent.created', 0],
    ['intent.updated', 1],
  ])
  const { data } = drafts![1]!.render(context)
  expect(data).toMatchObject({ version: 2, previous: { targetAddress: addressOf(2) } })
})

test('the changes that were requested of an intent are events, oldest first, if their version is known', async () => {
  const { store } = recorded()
  const asked = [change, { ...change, of: 1, askedAt: at + 1 }, { ...change, of: 7, askedAt: at + 9 }]
  const heldChanges = { requestedOf: async (of: string) => (of === id ? asked : []) }
  const versionsOf = async (named: readonly { version: number }[]) =>
    named.filter(({ version }) => version < 7).map(({ version }) => ({ intent: intentOf(version), previous: null }))
  const ports = { ...store, heldChanges, intentHistory: { ...store.intentHistory, versionsOf } } as never
  const [drafts, none] = await draftsOf(ports).heldChanges([id, 'gone'], 0)
  expect(drafts!.map(({ at: when }) => when - at)).toEqual([1, 5])
  expect(drafts!.map(({ render }) => (render(context).data as { version?: number }).version)).toEqual([1, 2])
  expect(none).toEqual([])
})

test('every record of a pause has the events of all chains, in the order of time', async () => {
  const { store } = recorded()
  const asked: unknown[] = []
  const pausePeriods = {
    async since(...given: unknown[]) {
      asked.push(given)
      return [
        { scope: 'chain:1', from: at + 5, to: at + 6 },
        { scope: 'chain:8453', from: at, to: at + 9 },
      ]
    },
  }
  const all = await draftsOf({ ...store, pausePeriods } as never).pauses(['all', 'chain:1'], 77)
  expect(all[0]!.map(({ dataId, at: when }) => `${dataId} ${when - at}`)).toEqual([
    ...['chain:8453 0', 'chain:1 5', 'chain:1 6', 'chain:8453 9'],
  ])
  expect(all[1]).toEqual(all[0]!)
  expect(asked).toEqual([[['all', ...chainIds.map((chainId) => `chain:${chainId}`)], 77]])
})

test('each event has a type of the list', () => {
  const all = [
    intentEvent({ intent: intentOf(1), previous: null }),
    ...[heldEvent(change, { intent: intentOf(2), previous: null }), chainEvent(1, at, true), quotaEvent(warning)],
  ]
  for (const { type } of all) expect(eventTypes).toContain(type)
})
