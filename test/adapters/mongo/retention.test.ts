import { expect, test } from 'bun:test'
import { mongoStore } from '../../../src/adapters/mongo/mongo-store'
import { retentionDays } from '../../../src/domain/retention'
import { executionOf } from '../../support/deposits'
import { newDatabase } from '../../support/new-database'

const dayMs = 86_400_000
const now = Date.UTC(2026, 10, 21)
const ago = (days: number) => now - days * dayMs
const connection = await newDatabase()
test('only expired records are deleted, in small batches', async () => {
  const store = mongoStore(connection, 'sweeper', () => now)
  const rows: Record<string, object[]> = {
    inboundWebhooks: [
      ...Array.from({ length: 700 }, (_, n) => ({ _id: `old${n}`, at: ago(91) })),
      { _id: 'new', at: ago(89) },
    ],
    sightings: [
      { _id: 'orphaned', stage: 'ORPHANED', detectedAt: ago(91) },
      { _id: 'lately', stage: 'ORPHANED', detectedAt: ago(89) },
      { _id: 'confirmed', stage: 'CONFIRMED', detectedAt: ago(900) },
    ],
    requestDays: [
      { _id: 'k:2025-01-01', date: '2025-01-01' },
      { _id: 'k:2026-11-01', date: '2026-11-01' },
      { _id: 'undated' },
    ],
    nodeRequests: [
      { _id: 'a', date: '2025-01-01' },
      { _id: 'b', date: '2026-11-01' },
    ],
    webhookEndpoints: [
      { _id: 'deleted', deletedAt: ago(31) },
      { _id: 'deleted lately', deletedAt: ago(29) },
      { _id: 'in use', deletedAt: null },
    ],
    webhookDeliveries: [
      { _id: 'of nobody', endpointId: 'deleted lately', createdAt: ago(1), dueAt: ago(1) },
      { _id: 'delivered', endpointId: 'deleted lately', createdAt: ago(29), dueAt: null },
      { _id: 'under way', endpointId: 'in use', createdAt: ago(1), dueAt: ago(1) },
      { _id: 'delivered long ago', endpointId: 'in use', createdAt: ago(31), dueAt: null },
      { _id: 'failed long ago', endpointId: 'in use', createdAt: ago(31), dueAt: ago(30) },
    ],
    events: [9, 11, 12].toReversed().map((days, n) => ({ _id: `${n}`, loggedAt: ago(days) })),
    lateEvents: [
      { _id: 'listed', at: ago(7) },
      { _id: 'listed no more', at: ago(9) },
    ],
    webhookFeeds: [{ _id: 'deleted' }, { _id: 'deleted lately' }, { _id: 'in use' }],
    auditLog: [{ _id: 'first', at: 0 }],
    intentVersions: [{ _id: 'v', updatedAt: 0 }],
  }
  for (const [name, each] of Object.entries(rows)) await connection.collection(name).insertMany(each as never)
  await store.executions.save(executionOf(1))
  const swept = [await store.retention.sweep(), await store.retention.sweep(), await store.retention.sweep()]
  expect(swept).toEqual([510, 200, 0])
  const left = async (name: string) =>
    (
      await connection
        .collection(name)
        .find({}, { projection: { _id: 1 } })
        .toArray()
    ).map(({ _id }) => String(_id))
  expect(await left('inboundWebhooks')).toEqual(['new'])
  expect((await left('sightings')).toSorted()).toEqual(['confirmed', 'lately'])
  expect((await left('requestDays')).toSorted()).toEqual(['k:2026-11-01', 'undated'])
  for (const name of ['webhookEndpoints', 'webhookFeeds'])
    expect((await left(name)).toSorted()).toEqual(['deleted lately', 'in use'])
  expect((await left('webhookDeliveries')).toSorted()).toEqual(['delivered', 'under way'])
  expect(await left('lateEvents')).toEqual(['listed'])
  expect(await left('events')).toEqual(['2'])
  expect(await left('nodeRequests')).toEqual(['b'])
  expect([...(await left('auditLog')), ...(await left('intentVersions'))]).toEqual(['first', 'v'])
  expect(await left('executions')).toEqual([executionOf(1).id])
})

test('records are kept for the configured number of days', async () => {
  const { retention } = mongoStore(connection, 'patient', () => now)
  const webhooks = connection.collection<{ _id: string; at: number }>('inboundWebhooks')
  await webhooks.insertMany([
    { _id: 'after 29 days', at: ago(29) },
    { _id: 'after 31 days', at: ago(31) },
    { _id: 'after 95 days', at: ago(95) },
  ])
  await retention.sweep({ ...retentionDays, inboundWebhooks: 100 })
  expect(await webhooks.countDocuments({ _id: { $regex: '^after' } })).toBe(3)
  await retention.sweep({ ...retentionDays, inboundWebhooks: 30 })
  expect(await webhooks.find({ _id: { $regex: '^after' } }).toArray()).toEqual([{ _id: 'after 29 days', at: ago(29) }])
})
