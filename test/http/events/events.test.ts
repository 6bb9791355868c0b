import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { eventId, timeOfEvent } from '../../../src/events/event-id'
import { executionOf, sightingOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { until } from '../../support/until'
import { type ApiWorld, peopledWorld, usdc } from '../world'
import { account, running, streaming, untilReceived } from './streaming'

type EventMessage = {
  id: string
  type: string
  seq: number
  transition: { from: string | null; to: string } | null
  data: { id: string; seq: number; status?: string }
}
const told = async ({ ask, client }: Pick<ApiWorld, 'ask'> & { client: string }, query = '') =>
  (await ask(`/api/events${query}`, { key: client })).json as EventMessage[]

test('an event id contains its time, sorts in feed order and is the same every time', () => {
  const time = fc.integer({ min: 0, max: 4e12 })
  fc.assert(
    fc.property(time, time, fc.string(), fc.nat(10_000), fc.nat(10_000), (one, other, id, first, second) => {
      expect(timeOfEvent(eventId(one, id, first))).toBe(one)
      expect(eventId(one, id, first)).toBe(eventId(one, id, first))
      expect(eventId(one, id, first)).toMatch(/^evt_[0-9A-HJKMNP-TV-Z]{26}$/)
      if (one !== other) expect(eventId(one, id, first) < eventId(other, id, second)).toBe(one < other)
      else if (first !== second) expect(eventId(one, id, first) < eventId(one, id, second)).toBe(first < second)
    }),
  )
})

test('an event id equals that of earlier releases, because integrators deduplicate by it', () => {
  expect(eventId(Date.UTC(2026, 10, 21, 10), '8453:0xab:12', 8)).toBe('evt_01M7YRRT800008BCP9Y6PYZN5W')
})

test('the history of a deposit is its events, oldest first, each with the object at that time', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(running(1, world.clock.now - 60_000))
  const events = await told(world)
  expect(events.map(({ type, seq }) => [type, seq])).toEqual([
    ['deposit.detected', 1],
    ['deposit.confirmed', 3],
    ['execution.pending', 4],
    ['execution.running', 5],
  ])
  expect(events.map(({ data }) => data.seq)).toEqual([1, 3, 4, 5])
  expect(events.at(-1)!.data.status).toBe('RUNNING')
  expect((await told(world, '?types=execution.moved')).map(({ seq }) => seq)).toEqual([2])
})

test('every event has its old and new state, whatever its type', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(running(1, world.clock.now - 60_000))
  const all = await told(world, '?types=deposit.*,execution.*,execution.moved')
  expect(all.map(({ type, transition }) => [type, transition?.from, transition?.to])).toEqual([
    ['deposit.detected', null, 'matching intent'],
    ['execution.moved', 'matching intent', 'verifying balance'],
    ['deposit.confirmed', 'verifying balance', 'finding route'],
    ['execution.pending', 'finding route', 'PENDING'],
    ['execution.running', 'PENDING', 'RUNNING'],
  ])
})

test('an unconfirmed transfer has the same event id as the deposit that it becomes', async () => {
  const world = await peopledWorld()
  const at = world.clock.now - 60_000
  await world.store.sightings.save(
    sightingOf(1, { organizationId: 'org_a', account, token: usdc.base, detectedAt: at }),
  )
  const [seen] = await told(world)
  await world.store.executions.save(running(1, at))
  expect((await told(world))[0]!.id).toBe(seen!.id)
})

test('a dropped block is reported', async () => {
  const world = await peopledWorld()
  const at = world.clock.now - 60_000
  await world.store.sightings.save(
    sightingOf(1, {
      organizationId: 'org_a',
      account,
      token: usdc.base,
      detectedAt: at,
      stage: 'ORPHANED',
      updatedAt: at + 5_000,
    }),
  )
  expect((await told(world)).map(({ type, seq }) => [type, seq])).toEqual([
    ['deposit.detected', 1],
    ['deposit.orphaned', 2],
  ])
})

test('the link can be followed endlessly and returns every event once, in order, for any page size', async () => {
  const world = await peopledWorld()
  for (let n = 1; n <= 20; n++) await world.store.executions.save(running(n, world.clock.now - 3_600_000 + n * 7))
  const all = await told(world)
  const walked: string[] = []
  for (let path = '/api/events?limit=7', page = 0; page < 20; page++) {
    const { json, headers } = await world.ask(path, { key: world.client })
    walked.push(...json.map(({ id }: EventMessage) => id))
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
  }
  expect([all.length, walked]).toEqual([80, all.map(({ id }) => id)])
})

test('pages requested while events arrive neither skip nor repeat an event', async () => {
  const moment = fc.record({
    waitMs: fc.nat(4_000),
    // However late a write is, no reader misses its events.
    ages: fc.array(fc.nat(4_900_000), { maxLength: 3 }),
    limit: fc.integer({ min: 1, max: 9 }),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(moment, { minLength: 1, maxLength: 25 }), async (moments) => {
      const world = await peopledWorld()
      let next = '/api/events?limit=5'
      let n = 0
      const walked: string[] = []
      const read = async (limit: number): Promise<number> => {
        const { json, headers } = await world.ask(next.replace(/limit=\d+/, `limit=${limit}`), { key: world.client })
        walked.push(...json.map(({ id }: EventMessage) => id))
        next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
        return json.length
      }
      for (const { waitMs, ages, limit } of moments) {
        world.clock.now += waitMs
        const arriving = ages.map((age) => world.store.executions.save(running(++n, world.clock.now - age)))
        await Promise.all([read(limit), ...arriving])
      }
      world.clock.now += 1_000 // their last entries are a few milliseconds ahead
      while ((await read(100)) > 0);
      const all = await told(world, '?limit=100')
      expect(walked.slice(0, 100)).toEqual(all.map(({ id }) => id))
      expect([walked.length, new Set(walked).size]).toEqual([4 * n, 4 * n])
    }),
    { numRuns: 40 },
  )
})

test('an event is listed as soon as it is logged, and after those that were logged before it happened', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(running(1, world.clock.now - 1_000))
  const first = await told(world)
  await world.store.executions.save(running(2, world.clock.now - 3_600_000))
  const both = await told(world)
  expect([first.length, both.length, both.slice(0, 4)]).toEqual([4, 8, first])
  expect(await told(world, `?after=${first.at(-1)!.id}`)).toEqual(both.slice(4))
})

test('an id that is not in the log stands for its time, less ten seconds', async () => {
  const world = await peopledWorld()
  const { clock, store } = world
  const [far, near] = [clock.now, clock.now + 60_000]
  await store.executions.save(running(1, far - 1_000))
  await told(world)
  clock.now = near
  await store.executions.save(running(2, near - 1_000))
  await told(world)
  const after = async (at: number) => (await told(world, `?after=${eventId(at, 'x', 1)}`)).length
  expect([await after(far + 10_000), await after(far + 10_001), await after(near + 10_001)]).toEqual([8, 4, 0])
})

test('a page without any selected event leads on to the next page', async () => {
  const world = await peopledWorld()
  for (let n = 1; n <= 1_300; n++) await world.store.executions.save(running(n, world.clock.now - 60_000))
  const wanted = { ...running(2_000, world.clock.now), userId: 'rare' }
  await world.store.executions.save({ ...wanted, organizationId: 'org_a' })
  const walked: EventMessage[] = []
  let [path, pages] = ['/api/events?types=intent.*,execution.running&limit=1', 0]
  path = '/api/events?types=intent.*'
  for (; pages < 4; pages++) {
    const { json, headers } = await world.ask(path, { key: world.client })
    walked.push(...json)
    const next = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
    if (next === path) break
    path = next
  }
  expect([walked, pages]).toEqual([[], 2])
})

test('types, users and executions filter the list; an invalid filter is 400 and a too old position 410', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(running(1, world.clock.now - 60_000))
  expect((await told(world, '?types=execution.*,deposit.confirmed')).length).toBe(3)
  expect((await told(world, '?userId=nobody')).length).toBe(0)
  expect((await told(world, `?executionId=${executionOf(1).id}`)).length).toBe(4)
  expect((await told(world, '?executionId=8453:0x1:1')).length).toBe(0)
  for (const query of ['?types=nope', '?types=', '?after=evt_1', '?after=', '?limit=0', '?typo=1'])
    expect((await world.ask(`/api/events${query}`, { key: world.client })).status).toBe(400)
  const old = eventId(world.clock.now - 8 * 24 * 3_600_000, 'x', 1)
  expect((await world.ask(`/api/events?after=${old}`, { key: world.client })).headers.get('x-error-code')).toBe(
    'EVENTS_EXPIRED',
  )
})

test('another organization’s events are not listed', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(running(1, world.clock.now - 60_000))
  expect(await told({ ...world, client: world.stranger })).toEqual([])
})

test('the stream sends events immediately to their own organization', async () => {
  const { open, client, stranger, store } = await streaming()
  const [ours, theirs] = [await open(client), await open(stranger)]
  await untilReceived(
    'both streams are open',
    () => ours.received.text.startsWith('retry: 3000') && theirs.received.text.startsWith('retry: 3000'),
  )
  await store.executions.save(running(1, Date.now()))
  await untilReceived('the execution runs', () => ours.received.text.includes('event: execution.running'))
  expect(theirs.received.text).not.toMatch(/event:|data:/)
  expect(ours.response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(ours.response.headers.get('cache-control')).toBe('no-store')
  ours.leave()
  theirs.leave()
})

test('a returning reader gets the events that it missed', async () => {
  const { open, client, store } = await streaming()
  const at = Date.now() - 30_000
  await store.executions.save(running(1, at))
  const stream = await open(client, { 'last-event-id': eventId(at, executionOf(1).id, 1) })
  await untilReceived('the execution runs', () => stream.received.text.includes('event: execution.running'))
  stream.leave()
})

testAll([
  ['nothing we know', 'nonsense', 'UNKNOWN_ID'],
  ['too old', eventId(0, 'x', 1), 'TOO_OLD'],
])('a Last-Event-ID that cannot be continued causes a reset', async (_case, id, reason) => {
  const { open, client } = await streaming()
  const stream = await open(client, { 'last-event-id': id })
  await untilReceived('a reset with its reason', () =>
    stream.received.text.includes(`event: reset\ndata: {"reason":"${reason}"}`),
  )
  stream.leave()
})

test('the stream ends soon after the key’s revocation, and at shutdown', async () => {
  let isDraining = false
  const world = await streaming({ readiness: { checks: {}, isDraining: () => isDraining } })
  const [ours, theirs] = [await world.open(world.client), await world.open(world.stranger)]
  world.store.apiKeys.change('key_1', { revokedAt: Date.now() })
  await ours.over
  expect(theirs.received.isOver).toBe(false)
  isDraining = true
  await theirs.over
})

test('a key has at most ten streams, and a closed stream frees its permit', async () => {
  const { open, client } = await streaming()
  const streams = await Promise.all(Array.from({ length: 10 }, () => open(client)))
  const over = await open(client)
  expect([over.response.status, over.response.headers.get('x-error-code')]).toEqual([429, 'TOO_MANY_STREAMS'])
  streams[0]!.leave()
  const again = await until('a place for another stream', async (note) => {
    const stream = await open(client)
    return note(stream.response.status) !== 429 && stream
  })
  for (const { leave } of [...streams, again]) leave()
})
