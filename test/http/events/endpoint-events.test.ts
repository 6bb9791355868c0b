import { expect, test } from 'bun:test'
import { disabledByService, newFeed } from '../../../src/domain/webhook/endpoint'
import { bodyOf } from '../../../src/webhooks/log-reader'
import { endpointOf } from '../../support/webhooks'
import { peopledWorld } from '../world'
import { running, streaming, untilReceived } from './streaming'

type Told = { id: string; type: string; seq: number | null; data: { id: string } }
const type = 'webhook_endpoint.disabled'

/** An endpoint that was disabled half a minute ago. */
async function disabledWorld() {
  const world = await peopledWorld()
  const at = world.clock.now - 30_000
  const endpoint = endpointOf('whe_1', 'org_a', at - 60_000)
  const failing = { ...newFeed(endpoint), lastFailureAt: at }
  const stored = (await world.store.webhookEndpoints.save(disabledByService(endpoint, 'FAILING', failing, at)))!
  const told = async (query = '', key = world.client) =>
    (await world.ask(`/api/events${query}`, { key })).json as Told[]
  return { ...world, at, stored, told }
}

test('the service’s disabling of an endpoint is an event with the endpoint at that time', async () => {
  const { told, at, ask, client } = await disabledWorld()
  const { json: endpoint } = await ask('/api/webhook-endpoints/whe_1', { key: client })
  const timestamp = new Date(at).toISOString()
  const data = { ...endpoint, lastFailureAt: timestamp }
  const [event] = await told()
  expect(event).toEqual({ id: event!.id, type, timestamp, seq: null, transition: null, data } as never)
  expect(endpoint).toMatchObject({ enabled: false, disabledReason: 'FAILING' })
  expect(await told('?types=webhook_endpoint.*')).toEqual([event!])
})

test('the event stays the same when the endpoint is enabled, moved or deleted', async () => {
  const { told, ask, client, clock } = await disabledWorld()
  const before = await told()
  const path = '/api/webhook-endpoints/whe_1'
  clock.now += 1_000
  await ask(path, { key: client, method: 'PATCH', body: { enabled: true, url: 'https://example.com/new' } })
  expect(await told()).toEqual(before)
  await ask(path, { key: client, method: 'DELETE' })
  expect(await told()).toEqual(before)
})

test('only the organization gets the event, and it belongs to no user or execution', async () => {
  const { told, stranger, platform } = await disabledWorld()
  for (const key of [stranger, platform]) expect(await told('', key)).toEqual([])
  for (const query of ['?userId=user-1', '?executionId=whe_1', '?types=execution.*,deposit.*'])
    expect(await told(query)).toEqual([])
})

test('the event has its position among the others on any page', async () => {
  const { told, store, at, ask, client } = await disabledWorld()
  for (const [n, when] of [at - 5_000, at + 5_000].entries()) await store.executions.save(running(n + 1, when))
  const all = (await told()).map(({ id }) => id)
  const walked: string[] = []
  for (let path = '/api/events?limit=2', page = 0; page < 8; page++) {
    const { json, headers } = await ask(path, { key: client })
    walked.push(...(json as Told[]).map(({ id }) => id))
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link')!)![1]!
  }
  expect([all.length, walked]).toEqual([9, all])
})

test('the stream sends the event once, to its organization', async () => {
  const { open, client, stranger, platform, store } = await streaming()
  const [ours, theirs, platforms] = [await open(client), await open(stranger), await open(platform)]
  await untilReceived('all streams are open', () =>
    [ours, theirs, platforms].every(({ received }) => received.text.startsWith('retry: 3000')),
  )
  const endpoint = endpointOf('whe_1', 'org_a', Date.now())
  await store.webhookEndpoints.save(disabledByService(endpoint, 'GONE', newFeed(endpoint), Date.now()))
  await untilReceived(`the event ${type}`, () => ours.received.text.includes(`event: ${type}`))
  await store.executions.save(running(1, Date.now()))
  await untilReceived('the execution runs', () => ours.received.text.includes('event: execution.running'))
  expect(ours.received.text.split(`event: ${type}`).length).toBe(2)
  for (const { received } of [theirs, platforms]) expect(received.text).not.toContain(type)
})

test('the event’s body is posted in full for any length of the address', async () => {
  const { told } = await disabledWorld()
  const [event] = await told()
  const long = { ...event!, data: { ...event!.data, url: `https://example.com/${'x'.repeat(2_000)}` } }
  expect(JSON.parse(bodyOf(JSON.stringify(long)))).toEqual(long)
})
