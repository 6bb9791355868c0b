import { expect, test } from 'bun:test'
import { newSample, resent } from '../../src/domain/webhook/delivery'
import type { NoticePorts } from '../../src/webhooks/disabled-notices'
import { testAll } from '../support/test-all'
import { endpointOf } from '../support/webhooks'
import { answered, sendingWorld } from './sending'

test('410 disables an endpoint immediately, and enabling it delivers the events since then', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const process = world.process('one')
  const first = world.happen()
  await process.work()
  expect(world.webhookEndpoints.get('whe_1')).toMatchObject({ enabled: false, disabledReason: 'GONE' })
  expect(world.disabled).toEqual(['whe_1'])
  const second = world.happen()
  world.clock.now += 600_000
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([first])
  world.answers(async () => answered(200))
  await world.change('whe_1', { enabled: true, disabledReason: null, enabledAt: world.clock.now })
  await process.work()
  expect(world.idsTo('whe_1').slice(1).toSorted()).toEqual([first, second])
})

test('five days of failures disable an endpoint, and one success restarts the count', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  const day = 86_400_000
  const fail = async (ms: number) => {
    world.happen()
    await process.work()
    world.clock.now += ms
  }
  world.answers(async () => answered(500))
  for (let n = 0; n < 4; n++) await fail(day)
  world.answers(async () => answered(200))
  await fail(1)
  world.answers(async () => answered(500))
  for (let n = 0; n < 5; n++) await fail(day)
  expect(world.webhookEndpoints.get('whe_1').enabled).toBe(true)
  await fail(1)
  expect(world.webhookEndpoints.get('whe_1')).toMatchObject({ enabled: false, disabledReason: 'FAILING' })
})

test('the disabling of an endpoint is stored with it and e-mailed to its people once', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const [one, other] = [world.process('one'), world.process('other')]
  world.happen()
  await one.work()
  await other.work()
  const { url, types } = world.webhookEndpoints.get('whe_1')!
  const then = { at: world.clock.now, reason: 'GONE', url, types, description: null, isTold: true }
  expect(world.webhookEndpoints.get('whe_1')!.disablings).toEqual([expect.objectContaining(then)])
  world.clock.now += 120_000
  await other.work()
  await world.process('new').work()
  expect(world.told).toEqual(['whe_1 GONE'])
})

test('a failed e-mail is sent once when that works again, also by another process', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const one = world.process('one', {
    notify: async () => {
      throw new Error('The mail server is away')
    },
  })
  const other = world.process('other')
  world.happen()
  await one.work()
  await other.work()
  expect([world.troubles.length > 0, world.told]).toEqual([true, []])
  world.clock.now += 60_000
  await other.work()
  expect(world.told).toEqual(['whe_1 GONE'])
})

test('an e-mail is sent when the mail server returns, however long it was away and without further changes', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  let isAway = true
  const told: string[] = []
  const notify = async ({ id }: { id: string }) => {
    if (isAway) throw new Error('The mail server is away')
    return told.push(id) > 0
  }
  const [one, other] = [world.process('one', { notify }), world.process('other', { notify })]
  world.happen()
  for (let minute = 0; minute < 120; minute++) {
    await one.work()
    await other.work()
    world.clock.now += 60_000
  }
  expect([told, world.troubles.length > 60]).toEqual([[], true])
  isAway = false
  await one.work()
  await other.work()
  world.clock.now += 60_000
  await one.work()
  await other.work()
  expect(told).toEqual(['whe_1'])
})

test('a person in quiet hours gets the e-mail afterwards, even if the first process has ended', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const morning = world.clock.now + 8 * 3_600_000
  const letters: string[] = []
  const notify: NoticePorts['notify'] = async (_endpoint, { toldTo = [] }, noteTold) => {
    const due = ['awake', ...(world.clock.now >= morning ? ['asleep'] : [])].filter((who) => !toldTo.includes(who))
    for (const who of due) await noteTold(who).then(() => letters.push(who))
    return world.clock.now >= morning
  }
  const one = world.process('one', { notify })
  world.happen()
  await one.work()
  expect(letters).toEqual(['awake'])
  const other = world.process('other', { notify })
  for (let minute = 0; minute < 8 * 60 + 20; minute++) {
    if (world.clock.now < morning) expect(letters).toEqual(['awake'])
    world.clock.now += 60_000
    await other.work()
  }
  expect([letters, world.troubles]).toEqual([['awake', 'asleep'], []])
  const { disablings } = world.webhookEndpoints.get('whe_1')!
  expect(disablings).toEqual([expect.objectContaining({ isTold: true, toldTo: ['awake', 'asleep'] })])
})

test('a process that dies between two e-mails leaves the list of people who already got an e-mail', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const died = world.process('died', {
    notify: async (_endpoint, _disabling, noteTold) => {
      await noteTold('ann')
      throw new Error('killed')
    },
  })
  world.happen()
  await died.work()
  world.clock.now += 60_000
  const seen: unknown[] = []
  const next = world.process('next', { notify: async (_endpoint, { toldTo }) => seen.push(toldTo) > 0 })
  await next.work()
  expect(seen).toEqual([['ann']])
})

test('a stopping process does not wait for a silent mail server', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const begun = Promise.withResolvers<void>()
  const never = Promise.withResolvers<void>()
  const one = world.process('one', {
    notify: async () => {
      begun.resolve()
      await never.promise
      return true
    },
  })
  world.happen()
  void one.work()
  await begun.promise
  await one.end()
})

test('only one process at a time writes to the people of an endpoint', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(410))
  const slow = Promise.withResolvers<void>()
  let writing = 0
  const notify = async () => {
    writing++
    await slow.promise
    return true
  }
  const died = world.process('died', {
    notify: async () => {
      throw new Error('The mail server is away')
    },
  })
  world.happen()
  await died.work()
  world.clock.now += 60_000
  const [one, other] = [world.process('one', { notify }), world.process('other', { notify })]
  await Promise.all([one.tick(), other.tick()])
  slow.resolve()
  await Promise.all([one.work(), other.work()])
  expect(writing).toBe(1)
})

test('an endpoint enabled again before any e-mail needs none, and only reported times are marked', async () => {
  const world = sendingWorld()
  const { url, types, description } = endpointOf('whe_1', 'org_a', world.clock.now)
  const ofTime = (at: number) => ({ at, reason: 'GONE', url, types, description, isTold: false }) as never
  const { now } = world.clock
  const disablings = [ofTime(now - 7_200_000), ofTime(now - 3_600_000)]
  await world.endpoint('whe_1', { disablings })
  await world.endpoint('whe_2', { disablings, enabled: false, disabledReason: 'BY_REQUEST' })
  await world.endpoint('whe_3', { disablings, enabled: false, disabledReason: 'GONE' })
  await world.process('one').work()
  expect(world.told).toEqual(['whe_3 GONE'])
  const marks = world.webhookEndpoints.get('whe_3')!.disablings!.map(({ isTold }) => isTold)
  expect(marks).toEqual([false, true])
})

test('no e-mail is sent about an endpoint that its organization disabled or deleted', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1', { enabled: false, disabledReason: 'BY_REQUEST' })
  const gone = { at: world.clock.now, reason: 'GONE', isTold: false } as never
  await world.endpoint('whe_2', {
    deletedAt: world.clock.now,
    disabledReason: 'GONE',
    enabled: false,
    disablings: [gone],
  })
  await world.process('one').work()
  world.clock.now += 120_000
  await world.process('other').work()
  expect(world.told).toEqual([])
})

test('the old URL’s response neither disables nor fails an endpoint that has moved', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  world.answers(async (url) => {
    if (!url.endsWith('whe_1')) return answered(200)
    await world.change('whe_1', { url: 'https://example.com/new', enabledAt: world.clock.now })
    return answered(410)
  })
  const id = world.happen()
  world.clock.now += 1
  await process.work()
  expect(world.webhookEndpoints.get('whe_1')).toMatchObject({ enabled: true, disabledReason: null })
  expect(world.disabled).toEqual([])
  world.clock.now += 10_000
  await process.work()
  expect(world.posted.map(({ url, id: of }) => [url, of])).toEqual([
    ['https://example.com/whe_1', id],
    ['https://example.com/new', id],
  ])
})

test('a deleted endpoint gets no more events, and its pending ones are removed', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  world.answers(async () => answered(500))
  const process = world.process('one')
  world.happen()
  await process.work()
  await world.change('whe_1', { deletedAt: world.clock.now })
  world.happen()
  await process.work()
  world.clock.now += 86_400_000
  await process.work()
  expect([world.posted.length, world.webhookDeliveries.all()]).toEqual([1, []])
})

test('a delivery stored while its endpoint was deleted is removed as well', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const { webhookDeliveries } = world
  let store = () => {}
  const isStorable = new Promise<void>((resolve) => {
    store = resolve
  })
  let isStored = false
  const save: typeof webhookDeliveries.save = async (record) => {
    await isStorable
    isStored = true
    return webhookDeliveries.save(record)
  }
  world.answers(async () => answered(500))
  const process = world.process('one', { webhookDeliveries: { ...webhookDeliveries, save } })
  await process.tick()
  const id = world.happen()
  for (let ticks = 0; ticks < 10; ticks++) await process.tick()
  await world.change('whe_1', { deletedAt: world.clock.now })
  await process.tick()
  expect(isStored).toBe(false)
  store()
  for (let ticks = 0; ticks < 100; ticks++) await process.tick()
  expect([isStored, world.webhookDeliveries.all(), world.idsTo('whe_1')]).toEqual([true, [], [id]])
})

test('an endpoint enabled again before the process noticed its disabling gets the waiting events', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const process = world.process('one')
  await process.work()
  const waiting: ((statusCode: number) => void)[] = []
  world.answers(() => new Promise((resolve) => waiting.push((statusCode) => resolve(answered(statusCode)))))
  const ids = Array.from({ length: 60 }, () => world.happen())
  const tick = async () => {
    for (let ticks = 0; ticks < 10; ticks++) await process.tick()
  }
  // It answers slowly for long enough that the feed is read past the waiting events.
  for (let seconds = 0; seconds < 40; seconds++) {
    await tick()
    waiting.shift()!(200)
    world.clock.now += 1_000
  }
  await tick()
  world.answers(async () => answered(200))
  for (const gone of waiting.splice(0)) gone(410)
  await process.settle()
  expect(world.webhookEndpoints.get('whe_1').enabled).toBe(false)
  expect(world.posted.length).toBeLessThan(ids.length)
  await world.change('whe_1', { enabled: true, disabledReason: null, enabledAt: world.clock.now + 1 })
  world.clock.now += 10_000
  await process.work(5)
  expect([...new Set(world.idsTo('whe_1'))].toSorted()).toEqual(ids)
})

testAll([410, 500, 200])(
  'a resent test event is attempted once for any response and does not affect its endpoint’s health',
  async (statusCode) => {
    const world = sendingWorld()
    await world.endpoint('whe_1')
    const event = { id: 'evt_sample', type: 'execution.success', at: world.clock.now, body: '{}' }
    const tested = newSample(endpointOf('whe_1', 'org_a', 0), event, world.clock.now)
    const stored = await world.webhookDeliveries.save({ ...tested, status: 'FAILED', attempts: 1, tries: 1 })
    await world.webhookDeliveries.save(resent(stored!, world.clock.now)!)
    world.answers(async () => answered(statusCode))
    const process = world.process('one')
    await process.work()
    world.clock.now += 5 * 86_400_000
    await process.work()
    expect(world.idsTo('whe_1')).toEqual(['evt_sample'])
    const status = statusCode === 200 ? 'DELIVERED' : 'FAILED'
    expect(world.webhookDeliveries.get(tested.id)).toMatchObject({ status, attempts: 2, dueAt: null })
    expect(world.webhookEndpoints.get('whe_1').enabled).toBe(true)
    const untouched = { lastSuccessAt: null, lastFailureAt: null, failingSince: null }
    expect(world.webhookFeeds.get('whe_1')).toMatchObject(untouched)
  },
)

test('a test event whose process died before storing the response is attempted once more, a minute later', async () => {
  const world = sendingWorld()
  await world.endpoint('whe_1')
  const event = { id: 'evt_sample', type: 'execution.success', at: world.clock.now, body: '{}' }
  const tested = newSample(endpointOf('whe_1', 'org_a', 0), event, world.clock.now)
  await world.webhookDeliveries.save(tested)
  world.answers(async () => answered(500))
  const process = world.process('one')
  world.clock.now += 30_000
  await process.work()
  expect(world.idsTo('whe_1')).toEqual([])
  world.clock.now += 31_000
  await process.work()
  world.clock.now += 86_400_000
  await process.work()
  expect(world.idsTo('whe_1')).toEqual(['evt_sample'])
  expect(world.webhookDeliveries.get(tested.id)).toMatchObject({ status: 'FAILED', attempts: 1, dueAt: null })
})
