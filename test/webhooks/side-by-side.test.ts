import { expect, test } from 'bun:test'
import { newDelivery } from '../../src/domain/webhook/delivery'
import { answered, sendingWorld } from './sending'

test('stored events are posted while the log is being read', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const first = world.process('one')
  await first.work()
  world.answers(async () => answered(500))
  const id = world.happen()
  await first.work()
  await first.end()
  world.answers(async () => answered(200))
  world.clock.now += 60_000
  const second = world.process('two', { events: { ...world.events, after: () => new Promise<never>(() => {}) } })
  for (let ticks = 0; ticks < 20; ticks++) await second.tick()
  await Bun.sleep(0)
  expect(world.idsTo('whe_1')).toEqual([id, id])
})

test('an unreadable log is read once per tick, and its events are posted once it is readable', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  let reads = 0
  let isAway = true
  const after: typeof world.events.after = async (...asked) => {
    reads += 1
    if (isAway) throw new Error('The store is away')
    return world.events.after(...asked)
  }
  const process = world.process('one', { events: { ...world.events, after, subscribe: () => () => {} } })
  await process.work(1)
  const id = world.happen()
  const before = reads
  for (let ticks = 0; ticks < 5; ticks++) await process.work(1)
  expect([reads - before, world.posted]).toEqual([5, []])
  isAway = false
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([id])
})

test('an older read of the store does not repeat a finished attempt', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const { webhookDeliveries } = world
  const answers: PromiseWithResolvers<void>[] = []
  const slow = Promise.withResolvers<void>()
  world.answers(() => slow.promise.then(() => answered(200)))
  const process = world.process('one', {
    webhookDeliveries: {
      ...webhookDeliveries,
      async next(endpointId, limit) {
        const rows = await webhookDeliveries.next(endpointId, limit)
        if (rows.length === 0) return rows
        answers.push(Promise.withResolvers<void>())
        if (answers.length > 1) await answers.at(-1)!.promise
        return rows
      },
    },
  })
  const ids = ['evt_1', 'evt_2']
  const whose = { id: 'whe_1', organizationId: 'org_a' }
  const at = world.clock.now
  for (const id of ids)
    await webhookDeliveries.save(newDelivery(whose, { id, type: 'deposit.detected', at, body: '{}' }, at))
  await process.tick()
  const tickUntil = async (isSo: () => boolean) => {
    for (let ticks = 0; ticks < 200 && !isSo(); ticks++) {
      world.clock.now += 100
      await process.tick()
      await Bun.sleep(0)
    }
    expect(isSo()).toBe(true)
  }
  await tickUntil(() => world.posted.length === ids.length)
  world.clock.now += 15_000
  await tickUntil(() => answers.length === 2)
  slow.resolve()
  await tickUntil(() => webhookDeliveries.all().every(({ status }) => status === 'DELIVERED'))
  for (const { resolve } of answers) resolve()
  await process.work()
  expect(world.idsTo('whe_1')).toEqual(ids)
})
