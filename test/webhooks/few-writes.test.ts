import { expect, test } from 'bun:test'
import { answered, sendingWorld } from './sending'

type World = ReturnType<typeof sendingWorld>

/** Counts the requests to the store of deliveries. */
function counted({ webhookDeliveries }: World) {
  const asked = { save: 0, next: 0, stored: 0 }
  const counting = <Name extends keyof typeof asked>(name: Name) =>
    (async (...given: never[]) => {
      asked[name] += 1
      return (webhookDeliveries[name] as (...all: never[]) => Promise<never>)(...given)
    }) as unknown as World['webhookDeliveries'][Name]
  return {
    asked,
    webhookDeliveries: {
      ...webhookDeliveries,
      save: counting('save'),
      next: counting('next'),
      stored: counting('stored'),
    },
  }
}

test('an event delivered at the first attempt costs one write without a read', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const { asked, webhookDeliveries } = counted(world)
  const process = world.process('one', { webhookDeliveries })
  await process.work()
  const before = { ...asked }
  const ids = Array.from({ length: 40 }, () => world.happen())
  for (let ticks = 0; ticks < 5; ticks++) await process.work()
  expect(world.idsTo('whe_1')).toEqual(ids)
  expect(asked).toEqual({ ...before, save: before.save + ids.length })
  expect(world.webhookDeliveries.all().map(({ status, version }) => [status, version])).toEqual(
    ids.map(() => ['DELIVERED', 1]),
  )
})

test('events beyond the memory limit are each posted and stored once, and none is stored before it is posted', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  await process.work()
  const ids = Array.from({ length: 5_000 }, () => world.happen())
  for (let ticks = 0; ticks < 10; ticks++) {
    await process.work()
    world.clock.now += 15_000
  }
  expect(world.idsTo('whe_1').toSorted()).toEqual(ids)
  const versions = new Set(world.webhookDeliveries.all().map(({ status, version }) => `${status} ${version}`))
  expect([...versions]).toEqual(['DELIVERED 1'])
  expect(world.troubles).toEqual([])
})

test('an event waiting for a silent endpoint is stored and listed after two seconds', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  await process.work()
  const answer = Promise.withResolvers<void>()
  world.answers(async () => {
    await answer.promise
    return answered(200)
  })
  const ids = Array.from({ length: 20 }, () => world.happen())
  const tick = async (ms: number) => {
    world.clock.now += ms
    for (let ticks = 0; ticks < 20; ticks++) await process.tick()
  }
  await tick(0)
  await tick(2_000)
  expect(world.webhookDeliveries.all()).toEqual([])
  await tick(1)
  const rows = world.webhookDeliveries.all()
  expect(rows.map(({ eventId, status }) => [eventId, status]).toSorted()).toEqual(
    ids.slice(8).map((id) => [id, 'PENDING']),
  )
  answer.resolve()
  await process.work(10)
  expect(world.idsTo('whe_1')).toEqual(ids)
  expect(world.webhookDeliveries.all().filter(({ status }) => status !== 'DELIVERED')).toEqual([])
})

test('an event posted and stored by one process is not posted again by the next, however far back that reads', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const first = world.process('one')
  await first.work()
  const ids = [world.happen(), world.happen()]
  await first.work()
  await first.end()
  const next = world.process('two')
  for (let n = 0; n < 3; n++) {
    await next.work()
    world.clock.now += 6 * 60_000
  }
  expect(world.idsTo('whe_1')).toEqual(ids)
})

test('the stored time up to which the log is read stays before every unstored event', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  await process.work()
  const answer = Promise.withResolvers<void>()
  world.answers(async () => {
    await answer.promise
    return answered(200)
  })
  const place = world.clock.now
  world.happen()
  for (let n = 0; n < 25; n++) {
    world.clock.now += 2_000
    for (let ticks = 0; ticks < 10; ticks++) await process.tick()
  }
  expect(world.webhookFeeds.get('whe_1').readTo).toBeLessThanOrEqual(place)
  answer.resolve()
  world.happen()
  for (let n = 0; n < 3; n++) {
    await process.work()
    world.clock.now += 15_000
  }
  expect(world.webhookFeeds.get('whe_1').readTo).toBeGreaterThan(place)
})

test('fast endpoints have eight attempts at a time, for any number of endpoints', async () => {
  const world = sendingWorld()
  for (let n = 0; n < 10; n++) await world.endpoint(`whe_${n}`)
  const process = world.process('one')
  await process.work()
  world.happen()
  await process.work()
  let [open, most] = [0, 0]
  const answer = Promise.withResolvers<void>()
  world.answers(async () => {
    most = Math.max(most, ++open)
    await answer.promise
    open--
    return answered(200)
  })
  for (let n = 0; n < 20; n++) world.happen()
  for (let ticks = 0; ticks < 50; ticks++) await process.tick()
  expect(most).toBe(80)
  answer.resolve()
  await process.work()
})
