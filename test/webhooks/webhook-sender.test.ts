import { expect, test } from 'bun:test'
import { resent } from '../../src/domain/webhook/delivery'
import { signedHeaders } from '../../src/domain/webhook/signature'
import { answered, secret, sendingWorld } from './sending'

test('an event is posted once to each endpoint of its organization, in order, signed as sent', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  await world.endpoint('whe_2', { types: ['deposit.*'] })
  await world.endpoint('whe_b', { organizationId: 'org_b' })
  const process = world.process('one')
  await process.work()
  const ids = ['deposit.detected', 'execution.running', 'execution.success'].map((type) => world.happen(type))
  await process.work()
  await process.work()
  expect([world.idsTo('whe_1'), world.idsTo('whe_2'), world.idsTo('whe_b')]).toEqual([ids, [ids[0]!], []])
  const [first] = world.posted
  expect(first!.headers).toEqual(signedHeaders({ id: first!.id, body: first!.body }, [secret], world.clock.now))
  expect(world.webhookDeliveries.all().map(({ status, attempts }) => [status, attempts])).toEqual(
    Array.from({ length: 4 }, () => ['DELIVERED', 1]),
  )
  const lastSuccessAt = world.clock.now
  world.clock.now += 1_000
  await process.work()
  expect(world.webhookFeeds.get('whe_1')).toMatchObject({ lastSuccessAt, failingSince: null })
})

test('an event from before an endpoint’s creation is not posted to it', async () => {
  const world = sendingWorld()
  world.happen()
  world.clock.now += 1
  await world.endpoint('whe_1')
  await world.process('one').work()
  expect(world.posted).toEqual([])
})

test('an event that happened before its neighbours in the log is posted once, in the order of the log', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  await process.work()
  const ids = [world.happen(), world.happen()]
  await process.work()
  await process.end()
  world.clock.now += 1_000
  ids.push(world.happen())
  await world.process('two').work()
  expect(world.idsTo('whe_1')).toEqual(ids)
})

test('an event whose signal was lost is posted at the next tick', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one', { events: { ...world.events, subscribe: () => () => {} } })
  await process.work()
  const id = world.happen()
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([id])
})

test('a failed attempt is repeated when it is due', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(500))
  const process = world.process('one')
  world.happen()
  await process.work()
  for (const [waitMs, attempts] of [
    [4_999, 1],
    [1, 2],
    [299_999, 2],
    [1, 3],
  ] as const) {
    world.clock.now += waitMs
    await process.work()
    expect(world.posted.length).toBe(attempts)
  }
  world.answers(async () => answered(204))
  world.clock.now += 30 * 60_000
  await process.work()
  expect(world.webhookDeliveries.all()).toMatchObject([{ status: 'DELIVERED', attempts: 4, dueAt: null }])
})

test('a silent endpoint delays no other, not even of its own organization', async () => {
  const world = sendingWorld()
  for (const id of ['whe_slow', 'whe_fast']) await world.endpoint(id)
  await world.endpoint('whe_b', { organizationId: 'org_b' })
  let release = () => {}
  const released = new Promise<void>((resolve) => {
    release = resolve
  })
  world.answers(async (url) => {
    if (url.endsWith('whe_slow')) await released
    return answered(200)
  })
  const process = world.process('one')
  await process.work(1)
  const ids = Array.from({ length: 40 }, () => world.happen())
  const others = Array.from({ length: 40 }, () => world.happen('execution.success', 'org_b'))
  const isDone = () => world.idsTo('whe_fast').length === ids.length && world.idsTo('whe_b').length === others.length
  for (let ticks = 0; !isDone() && ticks < 1_000; ticks++) await process.tick()
  expect([world.idsTo('whe_fast'), world.idsTo('whe_b')]).toEqual([ids, others])
  expect(world.idsTo('whe_slow').length).toBe(8)
  release()
  await process.work()
  expect(world.idsTo('whe_slow')).toEqual(ids)
})

test('a failing endpoint has two attempts at a time, and a tenant has its share', async () => {
  const world = sendingWorld()
  for (let n = 0; n < 10; n++) await world.endpoint(`whe_${n}`)
  let [open, most] = [0, 0]
  const waiting: (() => void)[] = []
  world.answers(async () => {
    most = Math.max(most, ++open)
    await new Promise<void>((resolve) => waiting.push(resolve))
    open--
    return answered(500)
  })
  for (let n = 0; n < 20; n++) world.happen()
  const process = world.process('one')
  for (let ticks = 0; ticks < 50; ticks++) await process.tick()
  expect(most).toBe(32)
  while (open > 0) {
    for (const resolve of waiting.splice(0)) resolve()
    await process.tick()
  }
  await process.settle()
  most = 0
  world.clock.now += 60_000
  for (let ticks = 0; ticks < 50; ticks++) await process.tick()
  expect(most).toBe(20)
  for (let ticks = 0; open > 0 && ticks < 10_000; ticks++) {
    for (const resolve of waiting.splice(0)) resolve()
    await process.tick()
  }
  await process.settle()
})

test('an attempt that cannot be stored is repeated at the next poll, and blocks no other', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const { save } = world.webhookDeliveries
  let unstorable = ''
  const process = world.process('one', {
    webhookDeliveries: {
      ...world.webhookDeliveries,
      save: async (one) => {
        // Without the pause this would never end: it stops after fifty posts instead.
        if (one.attempts > 0 && one.eventId === unstorable && world.posted.length < 50)
          throw new Error('The store is full')
        return save(one)
      },
    },
  })
  await process.work()
  unstorable = world.happen()
  await process.work()
  const other = world.happen()
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([unstorable, other])
  for (const times of [2, 3]) {
    world.clock.now += 14_999
    await process.work()
    expect(world.idsTo('whe_1').filter((id) => id === unstorable)).toHaveLength(times - 1)
    world.clock.now += 1
    await process.work()
    expect(world.idsTo('whe_1').filter((id) => id === unstorable)).toHaveLength(times)
  }
  expect(world.troubles).toHaveLength(3)
  unstorable = ''
  world.clock.now += 15_000
  await process.work()
  expect(world.webhookDeliveries.all().map(({ status }) => status)).toEqual(['DELIVERED', 'DELIVERED'])
})

test('a resent event is posted again under the same id', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  const id = world.happen()
  await process.work()
  const [delivery] = world.webhookDeliveries.all()
  world.clock.now += 3_600_000
  await world.webhookDeliveries.save(resent(delivery!, world.clock.now)!)
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([id, id])
  expect(world.webhookDeliveries.all()).toMatchObject([{ status: 'DELIVERED', attempts: 2, tries: 1 }])
})

test('only one of two processes posts, and the other continues when it stalls', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  let isStalled = false
  const one = world.process('one', {
    events: {
      ...world.events,
      subscribe: (organizationId, onEvent) => world.events.subscribe(organizationId, () => isStalled || onEvent()),
    },
  })
  const other = world.process('other')
  await one.work()
  await other.work()
  const first = world.happen()
  await Promise.all([other.work(), one.work()])
  expect(world.idsTo('whe_1')).toEqual([first])
  isStalled = true
  const second = world.happen()
  await other.work()
  expect(world.idsTo('whe_1')).toEqual([first])
  world.clock.now += 30_001
  await other.work()
  expect(world.idsTo('whe_1')).toEqual([first, second])
  await one.work()
  expect(world.idsTo('whe_1')).toEqual([first, second])
})

test('another process posts within five seconds after the process of a busy endpoint is killed, and an idle endpoint costs a write in ten seconds', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  let writes = 0
  const { webhookFeeds } = world
  const save: typeof webhookFeeds.save = async (feed) => {
    writes += 1
    return webhookFeeds.save(feed)
  }
  let isDead = false
  const killed = world.process('killed', {
    webhookFeeds: { ...webhookFeeds, save },
    events: {
      ...world.events,
      subscribe: (organizationId, onEvent) => world.events.subscribe(organizationId, () => isDead || onEvent()),
    },
  })
  const other = world.process('other')
  await killed.work()
  await other.work()
  for (let second = 0; second < 60; second++) {
    world.clock.now += 1_000
    await killed.work()
  }
  expect(writes).toBeLessThanOrEqual(8)
  const first = world.happen()
  await killed.work()
  world.clock.now += 1_000
  await killed.work()
  await other.work()
  isDead = true
  const second = world.happen()
  for (let ticks = 0; ticks < 12; ticks++) {
    world.clock.now += 400
    await other.work()
  }
  expect(world.idsTo('whe_1')).toEqual([first, second])
})

test('a stopping process releases its endpoints to the others immediately', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const one = world.process('one')
  await one.work()
  await one.end()
  const id = world.happen()
  await world.process('other').work()
  expect(world.idsTo('whe_1')).toEqual([id])
})

test('a temporary outage of the store loses nothing', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  let isAway = false
  const { webhookDeliveries } = world
  const save: typeof webhookDeliveries.save = async (record) => {
    if (isAway) throw new Error('The store is away')
    return webhookDeliveries.save(record)
  }
  const process = world.process('one', { webhookDeliveries: { ...webhookDeliveries, save } })
  await process.work()
  isAway = true
  const id = world.happen()
  await process.work()
  expect([world.webhookDeliveries.all(), world.troubles.length > 0]).toEqual([[], true])
  isAway = false
  world.clock.now += 15_000
  await process.work()
  // The post could not be recorded, so it is repeated under the same id.
  expect(world.idsTo('whe_1')).toEqual([id, id])
  expect(world.webhookDeliveries.all()).toMatchObject([{ eventId: id, status: 'DELIVERED' }])
})
