import { expect, test } from 'bun:test'
import { newDelivery } from '../../src/domain/webhook/delivery'
import { sharedEvents } from '../../src/webhooks/shared-events'
import { answered, sendingWorld } from './sending'

test('stored events are posted while the feed is being read', async () => {
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
  const second = world.process('two', { eventsBetween: () => new Promise<never>(() => {}) })
  for (let beats = 0; beats < 20; beats++) await second.beat()
  await Bun.sleep(0)
  expect(world.idsTo('whe_1')).toEqual([id, id])
})

test('an unreadable feed is read once per tick, and normally again once it is readable', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  await process.work()
  await process.end()
  let reads = 0
  let isAway = false
  const away = world.process('two', {
    subscribe: () => () => {},
    eventsBetween: async (_asked, { to }) => {
      if (!isAway) return { events: [], readTo: to }
      reads += 1
      throw new Error('The store is away')
    },
  })
  await away.work()
  isAway = true
  const id = world.happen()
  world.clock.now += 15_000
  for (let beats = 0; beats < 5; beats++) {
    await away.beat()
    await Bun.sleep(1)
  }
  expect(reads).toBe(5)
  await away.end()
  await world.process('three').work()
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
  await process.beat()
  const beatUntil = async (isSo: () => boolean) => {
    for (let beats = 0; beats < 200 && !isSo(); beats++) {
      world.clock.now += 100
      await process.beat()
      await Bun.sleep(0)
    }
    expect(isSo()).toBe(true)
  }
  await beatUntil(() => world.posted.length === ids.length)
  world.clock.now += 15_000
  await beatUntil(() => answers.length === 2)
  slow.resolve()
  await beatUntil(() => webhookDeliveries.all().every(({ status }) => status === 'DELIVERED'))
  for (const { resolve } of answers) resolve()
  await process.work()
  expect(world.idsTo('whe_1')).toEqual(ids)
})

test('endpoints with the same request share one read of the feed, until a new event or a failure', async () => {
  let reads = 0
  let isAway = false
  const { eventsBetween, forget } = sharedEvents(async () => {
    reads += 1
    if (isAway) throw new Error('The store is away')
    return { events: [], readTo: reads }
  }, Date.now)
  const asked = { organizationId: 'org_a', types: ['deposit.*'] }
  const range = { from: 0, to: 1_000, after: null, limit: 200 }
  const all = await Promise.all([eventsBetween(asked, range), eventsBetween({ ...asked }, { ...range })])
  expect([all.map(({ readTo }) => readTo), reads]).toEqual([[1, 1], 1])
  await eventsBetween({ ...asked, organizationId: 'org_b' }, range)
  await eventsBetween({ ...asked, types: ['execution.*'] }, range)
  await eventsBetween(asked, { ...range, to: 2_000 })
  expect(reads).toBe(4)
  forget('org_a')
  isAway = true
  await expect(eventsBetween(asked, range)).rejects.toThrow('away')
  isAway = false
  expect((await eventsBetween(asked, range)).readTo).toBe(6)
  expect((await eventsBetween({ ...asked, organizationId: 'org_b' }, range)).readTo).toBe(2)
})

test('a full page is read once for endpoints that reach it within three seconds', async () => {
  const clock = { now: 0 }
  let reads = 0
  const eventOf = (n: number) => ({
    id: `evt_${n}`,
    place: `evt_${n}`,
    fact: `${n}`,
    type: 'deposit.detected',
    at: n,
    body: () => '',
  })
  const { eventsBetween, forget } = sharedEvents(
    async (_asked, { from, to, limit }) => {
      reads += 1
      const count = Math.min(limit, to - from)
      return { events: Array.from({ length: count }, (_, n) => eventOf(from + n)), readTo: to }
    },
    () => clock.now,
  )
  const asked = { organizationId: 'org_a', types: ['deposit.*'] }
  const range = { from: 0, to: 1_000, after: null, limit: 200 }
  const ask = (change: Partial<typeof range>) => {
    forget('org_a')
    return eventsBetween(asked, { ...range, ...change })
  }
  const [first, same] = [await ask({}), await ask({ to: 2_000 })]
  expect([same.events === first.events, reads]).toEqual([true, 1])
  await ask({ to: 150 })
  await ask({ from: 10 })
  await eventsBetween({ ...asked, organizationId: 'org_b' }, range)
  expect(reads).toBe(4)
  await ask({ from: 900 })
  expect((await ask({ from: 900, to: 1_010 })).events).toHaveLength(110)
  expect(reads).toBe(6)
  clock.now = 3_000
  await ask({})
  expect(reads).toBe(7)
})
