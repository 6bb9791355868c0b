import { describe, expect, test } from 'bun:test'
import { type DeliveryStatus, newDelivery, newSample, type WebhookDelivery } from '../../src/domain/webhook/delivery'
import { newFeed, type WebhookEndpoint } from '../../src/domain/webhook/endpoint'
import { stores } from '../support/stores'
import { endpointOf } from '../support/webhooks'

const endpoint = (id: string, organizationId: string, createdAt: number, change = {}): WebhookEndpoint => ({
  ...endpointOf(id, organizationId, createdAt),
  ...change,
})

const delivery = (endpointId: string, n: number, change: Partial<WebhookDelivery> = {}): WebhookDelivery => ({
  ...newDelivery(
    { id: endpointId, organizationId: 'org_a' },
    { id: `evt_${n}`, type: 'execution.success', at: 100 + n, body: '{}' },
    1_000 + n,
  ),
  ...change,
})
const page = { limit: 10 }

describe.each(stores)('webhooks %s', (_name, open) => {
  test('an organization sees its own endpoints, newest first, without deleted ones', async () => {
    const { store } = await open()
    const { webhookEndpoints } = store
    const all = [
      endpoint('whe_1', 'org_a', 1),
      endpoint('whe_2', 'org_a', 2),
      endpoint('whe_3', 'org_a', 3, { deletedAt: 4, updatedAt: 4 }),
      endpoint('whe_4', 'org_b', 2, { enabled: false, disabledReason: 'GONE' }),
      endpoint('whe_5', 'org_b', 1, { enabled: false, disabledReason: 'GONE', deletedAt: 1 }),
    ]
    for (const one of all) expect(await webhookEndpoints.save(one)).toMatchObject({ id: one.id, version: 1 })
    const idsOf = (found: WebhookEndpoint[]) => found.map(({ id }) => id)
    expect(idsOf(await webhookEndpoints.ofOrganization('org_a'))).toEqual(['whe_2', 'whe_1'])
    expect(idsOf(await webhookEndpoints.changedSince(2)).toSorted()).toEqual(['whe_2', 'whe_3', 'whe_4'])
    expect(await webhookEndpoints.disabledIds()).toEqual(['whe_4'])
    expect(await webhookEndpoints.load('whe_1')).toEqual({ ...all[0]!, version: 1 })
  })

  test('an endpoint counts as read up to its feed’s position, and recently enabled ones are left out', async () => {
    const { store, other } = await open()
    const { webhookEndpoints, webhookFeeds } = store
    const all = [
      endpoint('whe_1', 'org_a', 1),
      endpoint('whe_2', 'org_a', 1),
      endpoint('whe_3', 'org_b', 1),
      endpoint('whe_4', 'org_b', 1, { enabledAt: 5 }),
      endpoint('whe_5', 'org_b', 1, { enabled: false, disabledReason: 'GONE' }),
      endpoint('whe_6', 'org_b', 1, { deletedAt: 2 }),
    ]
    for (const one of all) await webhookEndpoints.save(one)
    const ids = await other.webhookEndpoints.enabledIds(5)
    expect(ids.toSorted()).toEqual(['whe_1', 'whe_2', 'whe_3'])
    for (const [n, readTo] of [5, 4].entries()) await webhookFeeds.save({ ...newFeed(all[n]!), readTo })
    await webhookFeeds.save({ ...newFeed(all[4]!), readTo: 9 })
    expect(await other.webhookFeeds.countRead(ids, 5)).toBe(1)
    expect(await other.webhookFeeds.countRead(ids, 4)).toBe(2)
    expect(await other.webhookFeeds.countRead([], 0)).toBe(0)
  })

  test('endpoints, feeds and deliveries never change their owner, and events never change their bytes', async () => {
    const { store } = await open()
    const first = endpoint('whe_1', 'org_a', 1)
    const saved = (await store.webhookEndpoints.save(first))!
    const feed = (await store.webhookFeeds.save(newFeed(first)))!
    const row = (await store.webhookDeliveries.save(delivery('whe_1', 1)))!
    await expect(store.webhookEndpoints.save({ ...saved, organizationId: 'org_b' })).rejects.toThrow()
    await expect(store.webhookFeeds.save({ ...feed, organizationId: 'org_b' })).rejects.toThrow()
    for (const change of [{ organizationId: 'org_b' }, { endpointId: 'whe_2' }, { body: '{ }' }, { eventId: 'evt_2' }])
      await expect(store.webhookDeliveries.save({ ...row, ...change })).rejects.toThrow()
  })

  test('only one of two processes stores a delivery or takes a feed', async () => {
    const { store, other } = await open()
    const both = await Promise.all([store, other].map((one) => one.webhookDeliveries.save(delivery('whe_1', 1))))
    expect(both.filter((one) => one !== null)).toHaveLength(1)
    const feed = (await store.webhookFeeds.save(newFeed(endpoint('whe_1', 'org_a', 1))))!
    const taken = await Promise.all([store, other].map((one, n) => one.webhookFeeds.save({ ...feed, holder: `${n}` })))
    expect(taken.filter((one) => one !== null)).toHaveLength(1)
  })

  test('the next deliveries are listed by due time, without finished ones', async () => {
    const { store } = await open()
    const { webhookDeliveries } = store
    const rows = [
      delivery('whe_1', 3),
      delivery('whe_1', 1),
      delivery('whe_1', 2, { status: 'DELIVERED', dueAt: null }),
      delivery('whe_1', 4, { status: 'RETRYING', dueAt: 50 }),
      delivery('whe_2', 5),
    ]
    for (const row of rows) await webhookDeliveries.save(row)
    const idsOf = (found: WebhookDelivery[]) => found.map(({ eventId }) => eventId)
    expect(idsOf(await webhookDeliveries.next('whe_1', 10))).toEqual(['evt_4', 'evt_1', 'evt_3'])
    expect(idsOf(await webhookDeliveries.next('whe_1', 1))).toEqual(['evt_4'])
    const { countDue } = webhookDeliveries
    expect([await countDue(103, 10, []), await countDue(1_000, 2, []), await countDue(1_000, 9, ['whe_1'])]).toEqual([
      2, 2, 1,
    ])
    const told = { type: 'webhook_endpoint.disabled', status: 'DELIVERED', dueAt: null } as const
    const deletedAt = 10_000_000
    await webhookDeliveries.save(delivery('whe_1', 6, { ...told, createdAt: deletedAt }))
    await webhookDeliveries.save(delivery('whe_1', 7, { ...told, createdAt: deletedAt - 600_001 }))
    await webhookDeliveries.drop('whe_1', deletedAt)
    expect(idsOf(await webhookDeliveries.next('whe_1', 10))).toEqual([])
    const left = await webhookDeliveries.list({ organizationId: 'org_a', endpointId: 'whe_1' }, page)
    expect(idsOf(left)).toEqual(['evt_7', 'evt_2'])
  })

  test('a list covers one endpoint of one organization, newest first, by page, status or event', async () => {
    const { store } = await open()
    const { webhookDeliveries } = store
    for (let n = 1; n <= 5; n++)
      await webhookDeliveries.save(delivery('whe_1', n, n % 2 ? { status: 'FAILED', dueAt: null } : {}))
    await webhookDeliveries.save(delivery('whe_2', 9))
    const whose = { organizationId: 'org_a', endpointId: 'whe_1' }
    const ask = async (filter: object, asked: object = page) =>
      (await webhookDeliveries.list({ ...whose, ...filter }, { ...page, ...asked })).map(({ eventId }) => eventId)
    expect(await ask({})).toEqual(['evt_5', 'evt_4', 'evt_3', 'evt_2', 'evt_1'])
    const [last] = await webhookDeliveries.list({ ...whose, eventId: 'evt_4' }, page)
    const after = { createdAt: last!.createdAt, id: last!.id }
    expect(await ask({}, { after, limit: 2 })).toEqual(['evt_3', 'evt_2'])
    expect(await ask({ statuses: ['FAILED'] })).toEqual(['evt_5', 'evt_3', 'evt_1'])
    expect(await ask({ statuses: ['FAILED', 'PENDING'] }, { limit: 3 })).toEqual(['evt_5', 'evt_4', 'evt_3'])
    expect(await ask({ createdFrom: 1_002, createdTo: 1_004 })).toEqual(['evt_3', 'evt_2'])
    expect(await ask({ types: ['deposit.detected'] })).toEqual([])
    expect([await ask({ text: '{}' }, { limit: 1 }), await ask({ text: '.' })]).toEqual([['evt_5'], []])
    const counted = async (filter: object, most = 10) =>
      (await webhookDeliveries.countByPeriod({ ...whose, ...filter }, { stepMs: 2, most }))
        .map(({ status, at, count }) => `${status} ${at}: ${count}`)
        .toSorted()
    expect(await counted({})).toEqual([
      ...['FAILED 1000: 1', 'FAILED 1002: 1', 'FAILED 1004: 1', 'PENDING 1002: 1', 'PENDING 1004: 1'],
    ])
    expect(await counted({ createdFrom: 1_004 })).toEqual(['FAILED 1004: 1', 'PENDING 1004: 1'])
    expect(await counted({}, 2)).toEqual([
      ...['FAILED 1002: 1', 'FAILED 1004: 1', 'PENDING 1002: 1', 'PENDING 1004: 1'],
    ])
    expect(await counted({ types: ['deposit.detected'] })).toEqual([])
    expect(await ask({ organizationId: 'org_b' })).toEqual([])
    const between = (since: number, until: number, statuses?: readonly DeliveryStatus[], limit = 10) =>
      webhookDeliveries.takenUpBetween(whose, { since, until, statuses }, limit)
    const ids = (numbers: number[]) => numbers.map((n) => ({ id: delivery('whe_1', n).id, createdAt: 1_000 + n }))
    expect(await between(1_002, 1_005)).toEqual(ids([2, 3, 4]))
    expect(await between(1_001, 1_006, ['FAILED'])).toEqual(ids([1, 3, 5]))
    expect(await between(0, 9_999, ['PENDING', 'FAILED'])).toEqual(ids([1, 2, 3, 4, 5]))
    expect(await between(0, 9_999, undefined, 2)).toEqual(ids([1, 2]))
    const invented = { id: 'evt_6', type: 'execution.success', at: 1_003, body: '{}' }
    const sample = newSample({ id: 'whe_1', organizationId: 'org_a' }, invented, 1_003)
    await webhookDeliveries.save({ ...sample, status: 'FAILED' })
    expect([await between(1_003, 1_004), await between(1_003, 1_004, ['FAILED'])]).toEqual([ids([3]), ids([3])])
    expect(
      await webhookDeliveries.takenUpBetween({ ...whose, organizationId: 'org_b' }, { since: 0, until: 9_999 }, 10),
    ).toEqual([])
  })
})
