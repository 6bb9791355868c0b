import { expect, test } from 'bun:test'
import { endpointsMax } from '../../src/domain/webhook/endpoint'
import { answered, sendingWorld } from './sending'

const never = new Promise<never>(() => {})

test('each endpoint keeps its own slots, however many others of its organization are slow', async () => {
  const world = sendingWorld()
  const slow = Array.from({ length: endpointsMax - 1 }, (_, n) => `whe_${n}`)
  for (const id of slow) await world.endpoint(id)
  let open = 0
  world.answers(async (url) => {
    if (url.endsWith('whe_quick')) return answered(200)
    open++
    return never
  })
  const process = world.process('one')
  await process.tick()
  const ids = Array.from({ length: 20 }, () => world.happen())
  for (let ticks = 0; ticks < 100; ticks++) await process.tick()
  await world.endpoint('whe_quick', { createdAt: world.clock.now - 1 })
  for (let ticks = 0; ticks < 1_000 && world.idsTo('whe_quick').length < ids.length; ticks++) await process.tick()
  expect(world.idsTo('whe_quick')).toEqual(ids)
  expect(open).toBeLessThanOrEqual(32 - 2)
})

test('a delivered event is not posted repeatedly while the store is read-only', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const { webhookDeliveries, webhookFeeds } = world
  let isReadOnly = false
  const assureWritable = () => {
    if (isReadOnly) throw new Error('The store does not write')
  }
  const process = world.process('one', {
    webhookDeliveries: {
      ...webhookDeliveries,
      async save(record) {
        if (record.attempts > 0) assureWritable()
        return webhookDeliveries.save(record)
      },
    },
    webhookFeeds: {
      ...webhookFeeds,
      async save(record) {
        assureWritable()
        return webhookFeeds.save(record)
      },
    },
  })
  await process.work()
  world.answers(async () => (world.posted.length > 50 ? never : answered(200)))
  isReadOnly = true
  const id = world.happen()
  for (let ticks = 0; ticks < 100; ticks++) await process.tick()
  expect(world.idsTo('whe_1')).toEqual([id])
  for (let ticks = 0; ticks < 1_000; ticks++) {
    world.clock.now += 400
    await process.tick()
  }
  expect(world.idsTo('whe_1').length).toBeLessThanOrEqual(3)
  isReadOnly = false
  world.clock.now += 15_000
  await process.work()
  expect(world.webhookDeliveries.all()).toMatchObject([{ status: 'DELIVERED' }])
})

test('a process whose lease has ended starts no attempt, even if it cannot renew the lease', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const { webhookFeeds } = world
  let isAway = false
  const held = async (record: Parameters<typeof webhookFeeds.save>[0]) => (isAway ? never : webhookFeeds.save(record))
  const stalled = world.process('stalled', { webhookFeeds: { ...webhookFeeds, save: held } })
  await stalled.work()
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  world.answers(async () => {
    await released
    return answered(200)
  })
  const ids = Array.from({ length: 20 }, () => world.happen())
  for (let ticks = 0; ticks < 50; ticks++) await stalled.tick()
  const begun = world.posted.length
  expect(begun).toBe(8)
  isAway = true
  world.clock.now += 30_001
  void stalled.tick()
  release()
  await stalled.settle()
  expect(world.posted.length).toBe(begun)
  await world.process('other').work()
  expect([...new Set(world.idsTo('whe_1'))]).toEqual(ids)
})

test('an endpoint whose change was stored very late is noticed', async () => {
  const world = sendingWorld()
  const process = world.process('one')
  await process.work()
  const createdAt = world.clock.now
  world.clock.now += 10 * 60_000
  await process.work()
  await world.endpoint('whe_1', { createdAt, updatedAt: createdAt })
  const id = world.happen()
  world.clock.now += 30_000
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([id])
})

test('a process rarely asks for an endpoint that another one holds', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  await world.process('one').work()
  let asked = 0
  const { webhookFeeds } = world
  const load: typeof webhookFeeds.load = async (id) => {
    asked++
    return webhookFeeds.load(id)
  }
  const other = world.process('other', { webhookFeeds: { ...webhookFeeds, load } })
  for (let ticks = 0; ticks < 5; ticks++) {
    await other.work(1)
    world.clock.now += 400
  }
  expect(asked).toBe(1)
})
