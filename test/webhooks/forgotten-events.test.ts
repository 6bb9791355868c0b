import { expect, test } from 'bun:test'
import type { EventReader } from '../../src/ports/webhooks'
import { answered, sendingWorld } from './sending'

type World = ReturnType<typeof sendingWorld>

/** Nine events from a minute ago, and a log whose first read returns them and whose second one blocks. */
async function readHalfway(world: World) {
  await world.endpoint('whe_1', { createdAt: world.clock.now })
  const ids = Array.from({ length: 9 }, () => world.happen())
  world.clock.now += 60_000
  const rest = Promise.withResolvers<void>()
  let reads = 0
  const after: EventReader['after'] = async (...asked) => {
    reads += 1
    if (reads === 2) await rest.promise
    return { ...(await world.events.after(...asked)), isMore: reads === 1 }
  }
  return {
    ids,
    at: world.clock.now - 60_000,
    events: { ...world.events, after },
    goOn: rest.resolve,
    reads: () => reads,
  }
}

const tick = async (process: { tick(): Promise<void> }, times = 20) => {
  for (let n = 0; n < times; n++) {
    await process.tick()
    await Bun.sleep(0)
  }
}

test('events read before a lost lease are read again when it is reacquired, whatever the old read still returns', async () => {
  const world = sendingWorld()
  const { ids, events, goOn, reads } = await readHalfway(world)
  const answer = Promise.withResolvers<void>()
  world.answers(() => answer.promise.then(() => answered(200)))
  const one = world.process('one', { events })
  await tick(one)
  expect([reads(), world.posted.length]).toEqual([2, 8])
  world.clock.now += 31_000
  await tick(world.process('other', { events: { ...world.events, after: () => new Promise<never>(() => {}) } }))
  world.clock.now += 31_000
  await tick(one)
  goOn()
  answer.resolve()
  await one.work(10)
  expect(new Set(world.idsTo('whe_1'))).toEqual(new Set(ids))
  expect(world.webhookDeliveries.all().map(({ status }) => status)).toEqual(ids.map(() => 'DELIVERED'))
})

test('the stored time of an endpoint disabled during a read stays before the unstored events', async () => {
  const world = sendingWorld()
  const { at, events, goOn, reads } = await readHalfway(world)
  const answer = Promise.withResolvers<void>()
  let isGone = true
  world.answers(async () => {
    if (!isGone) return answer.promise.then(() => answered(200))
    isGone = false
    return answered(410)
  })
  const one = world.process('one', { events })
  await one.tick()
  for (let n = 0; n < 50; n++) await Bun.sleep(0)
  expect([reads(), world.webhookEndpoints.get('whe_1').enabled]).toEqual([2, false])
  goOn()
  for (let n = 0; n < 50; n++) await Bun.sleep(0)
  answer.resolve()
  await one.work(10)
  expect(world.webhookFeeds.get('whe_1')).toMatchObject({ holder: null })
  expect(world.webhookFeeds.get('whe_1').readTo).toBeLessThanOrEqual(at)
})

test('hardly any events are posted while no delivery can be stored', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const away = async (): Promise<never> => {
    throw new Error('The store is away')
  }
  let isAway = false
  const process = world.process('one', {
    webhookDeliveries: {
      ...world.webhookDeliveries,
      // Without the pause this would never end: it stops after 5,000 posts instead.
      save: (one) => (isAway && world.posted.length < 5_000 ? away() : world.webhookDeliveries.save(one)),
    },
  })
  await process.work()
  isAway = true
  const ids = Array.from({ length: 2_500 }, () => world.happen())
  for (let seconds = 0; seconds < 30; seconds++) {
    await tick(process, 3)
    world.clock.now += 1_000
  }
  expect(world.posted.length).toBeLessThan(100)
  isAway = false
  for (let n = 0; n < 4; n++) {
    world.clock.now += 15_000
    await process.work()
  }
  expect(new Set(world.idsTo('whe_1'))).toEqual(new Set(ids))
  expect(world.webhookDeliveries.all().filter(({ status }) => status !== 'DELIVERED')).toEqual([])
})

test('an event stored despite a reported failure is not posted twice at the same time', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const open = new Map<string, number>()
  let most = 0
  const waiting: (() => void)[] = []
  world.answers(async (_url, { headers }) => {
    const id = headers['webhook-id']!
    open.set(id, (open.get(id) ?? 0) + 1)
    most = Math.max(most, open.get(id)!)
    await new Promise<void>((resolve) => waiting.push(resolve))
    open.set(id, open.get(id)! - 1)
    return answered(200)
  })
  const process = world.process('one', {
    webhookDeliveries: {
      ...world.webhookDeliveries,
      async save(one) {
        const stored = await world.webhookDeliveries.save(one)
        if (one.attempts === 0) throw new Error('The connection was cut')
        return stored
      },
    },
  })
  await tick(process)
  const ids = Array.from({ length: 12 }, () => world.happen())
  await tick(process)
  for (let n = 0; n < 60; n++) {
    world.clock.now += 500
    await tick(process, 5)
    if (n > 10) waiting.shift()?.()
  }
  for (let n = 0; n < 20; n++) {
    for (const end of waiting.splice(0)) end()
    world.clock.now += 1_000
    await tick(process, 5)
  }
  expect(most).toBe(1)
  expect(new Set(world.idsTo('whe_1'))).toEqual(new Set(ids))
})

test('an event in flight when its endpoint was deleted is not stored', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const answer = Promise.withResolvers<void>()
  world.answers(() => answer.promise.then(() => answered(200)))
  const process = world.process('one')
  await tick(process)
  const id = world.happen()
  await tick(process)
  await world.change('whe_1', { deletedAt: world.clock.now })
  await tick(process)
  answer.resolve()
  await process.work(10)
  await tick(process)
  expect([world.idsTo('whe_1'), world.webhookDeliveries.all()]).toEqual([[id], []])
})
