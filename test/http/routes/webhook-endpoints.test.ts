import { expect, test } from 'bun:test'
import { afterAttempt, newDelivery, type Outcome, resendMax } from '../../../src/domain/webhook/delivery'
import { signedHeaders } from '../../../src/domain/webhook/signature'
import { secretsOf } from '../../../src/webhooks/secrets'
import { attackUrls } from '../../support/attacks'
import { testAll } from '../../support/test-all'
import { vault } from '../../support/webhooks'
import { peopledWorld } from '../world'

const path = '/api/webhook-endpoints'
const url = 'https://example.com/hooks'

async function hooksWorld(outcome: Partial<Outcome> = {}) {
  const posted: { url: string; headers: Record<string, string>; body: string }[] = []
  const world = await peopledWorld({
    postWebhook: async (to, sent) => {
      posted.push({ url: to, ...sent })
      return { statusCode: 200, durationMs: 12, error: null, retryAfterMs: null, ...outcome }
    },
  })
  const make = async (body: object = { url }, key = world.client) => {
    const { status, json } = await world.ask(path, { key, body })
    expect(status).toBe(201)
    return json as { id: string; secret: string; createdAt: string }
  }
  /** Stores the delivery of an event. */
  const deliver = async (endpointId: string, n: number, change: object = {}) => {
    const event = { id: `evt_${n}`, type: 'execution.success', at: world.clock.now, body: '{}' }
    const made = newDelivery({ id: endpointId, organizationId: 'org_a' }, event, world.clock.now + n)
    return (await world.store.webhookDeliveries.save({ ...made, ...change }))!
  }
  return { ...world, posted, make, deliver }
}

test('an endpoint is created, shown without its secret, changed and deleted', async () => {
  const { ask, client, make, store } = await hooksWorld()
  const { secret, ...made } = await make({ url, description: 'Checkout' })
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
  expect(made).toEqual({
    id: made.id,
    url,
    types: ['deposit.*', 'execution.*'],
    description: 'Checkout',
    enabled: true,
    disabledReason: null,
    lastSuccessAt: null,
    lastFailureAt: null,
    createdAt: made.createdAt,
    updatedAt: made.createdAt,
  } as never)
  expect((await ask(path, { key: client })).json).toEqual([made])
  expect((await ask(`${path}/${made.id}`, { key: client })).json).toEqual(made)
  const change = { types: ['execution.success'], enabled: false }
  const changed = await ask(`${path}/${made.id}`, { key: client, method: 'PATCH', body: change })
  expect([changed.status, changed.json]).toEqual([200, { ...made, ...change, disabledReason: 'BY_REQUEST' }])
  const enabled = await ask(`${path}/${made.id}`, { key: client, method: 'PATCH', body: { enabled: true } })
  expect(enabled.json).toMatchObject({ enabled: true, disabledReason: null })
  expect((await ask(`${path}/${made.id}`, { key: client, method: 'DELETE' })).status).toBe(204)
  expect((await ask(`${path}/${made.id}`, { key: client })).headers.get('x-error-code')).toBe('ENDPOINT_NOT_FOUND')
  expect((await ask(path, { key: client })).json).toEqual([])
  const verbs = (await store.auditLog.list({ organizationId: 'org_a' }, { limit: 10 })).map(({ verb }) => verb)
  expect(verbs.toSorted()).toEqual(
    ['create', 'delete', 'edit', 'edit'].map((verb) => `webhook_endpoint.${verb}` as never),
  )
})

test('a secret is stored encrypted and absent from the audit log, and a repeated request returns the same one', async () => {
  const { ask, client, store, ports } = await hooksWorld()
  const kept: unknown[] = []
  const { keep } = ports.idempotency
  ports.idempotency.keep = (...given) => {
    kept.push(given)
    return keep(...given)
  }
  const sent = { key: client, body: { url }, headers: { 'idempotency-key': 'once' } }
  const [first, again] = [await ask(path, sent), await ask(path, sent)]
  expect([first.status, again.status, again.headers.get('idempotent-replayed')]).toEqual([201, 201, 'true'])
  expect(again.json).toEqual(first.json)
  const { secret } = first.json as { secret: string }
  const stored = store.webhookEndpoints.all()
  expect(stored).toHaveLength(1)
  expect(secretsOf(stored[0]!, vault, 0)).toEqual([secret])
  const entries = await store.auditLog.list({ organizationId: 'org_a' }, { limit: 10 })
  expect(JSON.stringify([stored, entries, kept])).not.toContain(secret.slice('whsec_'.length))
})

test('a new secret signs along with the old one for the requested time', async () => {
  const { ask, client, make, store, clock } = await hooksWorld()
  const { id, secret } = await make()
  const { status, json } = await ask(`${path}/${id}/rotate-secret`, { key: client, body: { overlapSeconds: 60 } })
  expect([status, json.previousExpiresAt]).toEqual([200, new Date(clock.now + 60_000).toISOString()])
  const stored = store.webhookEndpoints.get(id)
  expect(secretsOf(stored, vault, clock.now + 59_999)).toEqual([json.secret, secret])
  expect(secretsOf(stored, vault, clock.now + 60_000)).toEqual([json.secret])
  const refused = await ask(`${path}/${id}/rotate-secret`, { key: client, body: { overlapSeconds: 604_801 } })
  expect(refused.status).toBe(400)
})

test('an endpoint can be neither created at nor moved to a private address', async () => {
  const { ask, client, make } = await hooksWorld()
  const { id } = await make()
  for (const attack of [...attackUrls, '', 5, null]) {
    const made = await ask(path, { key: client, body: { url: attack } })
    const moved = await ask(`${path}/${id}`, { key: client, method: 'PATCH', body: { url: attack } })
    expect([attack, made.status, moved.status]).toEqual([attack, 400, 400])
    expect([made.json.message, moved.json.message]).toEqual([
      expect.stringMatching(/^url must /),
      expect.stringMatching(/^url must /),
    ])
  }
})

test('types must be event types, and an eleventh endpoint is refused', async () => {
  const { ask, client, make } = await hooksWorld()
  for (const types of [['execution.unknown'], ['*'], [''], [], ['deposit.*', 'x.*'], 'deposit.*'])
    expect((await ask(path, { key: client, body: { url, types } })).status).toBe(400)
  for (let n = 0; n < 10; n++) await make({ url, types: ['execution.moved'] })
  const refused = await ask(path, { key: client, body: { url } })
  expect([refused.status, refused.headers.get('x-error-code'), refused.json.message]).toEqual([
    409,
    'LIMIT_REACHED',
    'No more than 10 webhook endpoints',
  ])
})

test('another organization’s endpoint is answered like a missing one', async () => {
  const { ask, stranger, operator, make, deliver } = await hooksWorld()
  const { id } = await make()
  const { eventId, id: deliveryId } = await deliver(id, 1)
  const calls = [
    ['', 'GET'],
    ['', 'PATCH', { enabled: false }],
    ['', 'DELETE'],
    ['/rotate-secret', 'POST', {}],
    ['/test', 'POST', {}],
    ['/deliveries', 'GET'],
    [`/deliveries/${deliveryId}`, 'GET'],
    ['/resend', 'POST', { eventId }],
  ] as const
  for (const [more, method, body] of calls) {
    const theirs = await ask(`${path}/${id}${more}`, { key: stranger, method, body })
    const nobodys = await ask(`${path}/whe_none${more}`, { key: stranger, method, body })
    expect([more, theirs.status, theirs.json]).toEqual([more, 404, nobodys.json])
    expect((await ask(`${path}/${id}${more}`, { key: operator, method, body })).status).toBe(403)
  }
  expect((await ask(path, { key: stranger })).json).toEqual([])
})

test('a test is posted immediately and signed, and its response is shown', async () => {
  const { ask, client, make, posted, clock } = await hooksWorld()
  const { id, secret } = await make()
  const { status, json } = await ask(`${path}/${id}/test`, { key: client, body: {} })
  expect(status).toBe(200)
  expect(json).toMatchObject({
    type: 'webhook.test',
    status: 'DELIVERED',
    attempts: 1,
    nextAttemptAt: null,
    lastAttempt: { statusCode: 200, durationMs: 12, error: null },
  })
  const [{ headers, body, url: to }] = posted as [(typeof posted)[number]]
  expect(to).toBe(url)
  expect(headers).toEqual(signedHeaders({ id: json.eventId, body }, [secret], clock.now))
  expect(JSON.parse(body)).toMatchObject({ id: json.eventId, seq: null, data: { message: 'It works.' } })
  expect(JSON.parse(body)).toMatchObject({ type: 'webhook.test', seq: null, data: { message: 'It works.' } })
  expect((await ask(`${path}/${id}/deliveries`, { key: client })).json).toEqual([json])
})

test('a test can be a sample of every event type, and other types are refused', async () => {
  const { ask, client, make, posted } = await hooksWorld()
  const { id } = await make()
  const { json: lifecycle } = await ask('/api/lifecycle', { key: client })
  for (const type of lifecycle.eventTypes as string[]) {
    expect((await ask(`${path}/${id}/test`, { key: client, body: { type } })).status).toBe(200)
    const { data, ...head } = JSON.parse(posted.at(-1)!.body)
    const named = data.id ?? data.userId ?? data.chainKey ?? data.month
    expect([head.type, head.seq, typeof named]).toEqual([type, null, 'string'])
  }
  expect((await ask(`${path}/${id}/test`, { key: client, body: { type: 'execution.unknown' } })).status).toBe(400)
})

test('a test with a bad response is a 200, and is not repeated', async () => {
  const { ask, client, make, store } = await hooksWorld({ statusCode: null, error: 'TIMEOUT' })
  const { id } = await make()
  const { status, json } = await ask(`${path}/${id}/test`, { key: client, body: {} })
  expect([status, json.status, json.nextAttemptAt, json.lastAttempt.error]).toEqual([200, 'FAILED', null, 'TIMEOUT'])
  expect(await store.webhookDeliveries.next(id, 10)).toEqual([])
})

test('deliveries are listed page by page, by status and by event', async () => {
  const { ask, client, make, deliver } = await hooksWorld()
  const { id } = await make()
  for (let n = 1; n <= 5; n++) await deliver(id, n, n === 2 ? { status: 'FAILED', dueAt: null } : {})
  const idsOf = async (query: string) =>
    (await ask(`${path}/${id}/deliveries?${query}`, { key: client })).json.map(
      ({ eventId }: { eventId: string }) => eventId,
    )
  expect(await idsOf('limit=100')).toEqual([5, 4, 3, 2, 1].map((n) => `evt_${n}`))
  expect([await idsOf('status=FAILED'), await idsOf('eventId=evt_4')]).toEqual([['evt_2'], ['evt_4']])
  const { headers } = await ask(`${path}/${id}/deliveries?limit=2`, { key: client })
  const next = /<([^>]+)>/.exec(headers.get('link')!)![1]!
  expect((await ask(next, { key: client })).json.map(({ eventId }: { eventId: string }) => eventId)).toEqual([
    'evt_3',
    'evt_2',
  ])
  for (const query of ['status=LOST', 'eventId=%20', 'state=FAILED'])
    expect((await ask(`${path}/${id}/deliveries?${query}`, { key: client })).status).toBe(400)
})

test('a delivery is shown with its body and every attempt, and only under its own endpoint', async () => {
  const { ask, client, make, deliver, store, clock } = await hooksWorld()
  const [{ id }, other] = [await make(), await make()]
  let delivery = await deliver(id, 1)
  const answered = (statusCode: number): Outcome => ({ statusCode, durationMs: 5, error: null, retryAfterMs: null })
  const stored = { responseText: 'Out of order', signature: 'v1,AAAA' }
  for (const [n, statusCode] of [503, 500, 200].entries())
    delivery = afterAttempt(delivery, { ...answered(statusCode), ...(n > 0 && stored) }, clock.now + n * 60_000, 0.5)
  await store.webhookDeliveries.save(delivery)
  const { status, json, headers } = await ask(`${path}/${id}/deliveries/${delivery.id}`, { key: client })
  expect([status, typeof headers.get('etag')]).toEqual([200, 'string'])
  const [listed] = (await ask(`${path}/${id}/deliveries`, { key: client })).json
  const at = (n: number) => new Date(clock.now + n * 60_000).toISOString()
  const sentHeaders = (n: number) => ({
    'content-type': 'application/json',
    'user-agent': 'Switchyard-Webhooks/1',
    'webhook-id': 'evt_1',
    'webhook-timestamp': String(Math.floor(clock.now / 1_000) + n * 60),
    'webhook-signature': 'v1,AAAA',
  })
  const allAttempts = [503, 500, 200].map((statusCode, n) => ({
    ...{ at: at(n), statusCode, durationMs: 5, error: null, cause: null },
    ...(n > 0
      ? { sentHeaders: sentHeaders(n), responseText: 'Out of order' }
      : { sentHeaders: null, responseText: null }),
  }))
  expect(json).toEqual({ ...listed, body: '{}', allAttempts })
  for (const wrong of [`${id}/deliveries/dlv_none`, `${other.id}/deliveries/${delivery.id}`]) {
    const refused = await ask(`${path}/${wrong}`, { key: client })
    expect([refused.status, refused.json.message]).toEqual([404, 'This endpoint has no such delivery'])
  }
})

test('a test shows the headers that were sent and the response', async () => {
  const { ask, client, make, posted } = await hooksWorld({ statusCode: 500, responseText: 'Database is down' })
  const { id } = await make()
  const { json: tested } = await ask(`${path}/${id}/test`, { key: client, body: {} })
  const { json } = await ask(`${path}/${id}/deliveries/${tested.id}`, { key: client })
  expect(json.allAttempts).toMatchObject([{ sentHeaders: posted[0]!.headers, responseText: 'Database is down' }])
})

test('a delivery in the list names the user of its event', async () => {
  const { ask, client, make, deliver } = await hooksWorld()
  const { id } = await make()
  const bodies = ['{"data":{"id":"exec_1","userId":"ada"}}', '{"data":{"month":"2026-11"}}', '{"data":null}']
  for (const [n, body] of bodies.entries()) await deliver(id, n, { body })
  const { json } = await ask(`${path}/${id}/deliveries?order=oldest`, { key: client })
  expect(json.map(({ userId }: { userId: string | null }) => userId)).toEqual(['ada', null, null])
})

test('deliveries are listed by statuses, types, time and text', async () => {
  const { ask, client, make, deliver, clock } = await hooksWorld()
  const { id } = await make()
  await deliver(id, 1, { status: 'FAILED', dueAt: null, body: '{"data":{"userId":"ada (1)"}}' })
  await deliver(id, 2, { status: 'RETRYING', type: 'deposit.detected' })
  await deliver(id, 3, { status: 'DELIVERED', dueAt: null, type: 'webhook.test' })
  const found = async (query: object) => {
    const { status, json } = await ask(`${path}/${id}/deliveries?${new URLSearchParams({ ...query })}`, { key: client })
    return status === 200 ? (json as { eventId: string }[]).map(({ eventId }) => eventId) : json.message
  }
  const at = (n: number) => new Date(clock.now + n).toISOString()
  expect(await found({ status: 'RETRYING,FAILED' })).toEqual(['evt_2', 'evt_1'])
  expect(await found({ types: 'deposit.*' })).toEqual(['evt_2'])
  expect(await found({ types: 'webhook.test' })).toEqual(['evt_3'])
  expect(await found({ createdFrom: at(2), createdTo: at(3) })).toEqual(['evt_2'])
  expect(await found({ search: 'ada (1)', status: 'FAILED' })).toEqual(['evt_1'])
  expect(await found({ search: 'ada .1.' })).toEqual([])
  expect(await found({ search: 'a"b' })).toBe('search must be 3 to 256 characters without quotes')
  expect(await found({ types: 'deposit.lost' })).toStartWith('types must be among')
})

testAll([
  ['enabled', { enabled: true }],
  ['moved', { url: 'https://example.com/mended' }],
])('an endpoint that is %s again posts what waits for a retry immediately', async (_how, change) => {
  const { ask, client, make, deliver, clock, store } = await hooksWorld()
  const { id } = await make()
  if ('enabled' in change) await ask(`${path}/${id}`, { key: client, method: 'PATCH', body: { enabled: false } })
  await deliver(id, 1, { status: 'RETRYING', dueAt: clock.now + 1_800_000, attempts: 3, tries: 3 })
  await deliver(id, 2, { status: 'FAILED', dueAt: null, attempts: 10, tries: 10 })
  clock.now += 60_000
  const due = async () =>
    (await store.webhookDeliveries.next(id, 9)).map(({ eventId, dueAt, tries }) => [eventId, dueAt, tries])
  const described = { description: 'Checkout' }
  await ask(`${path}/${id}`, { key: client, method: 'PATCH', body: described })
  expect(await due()).toEqual([['evt_1', clock.now + 1_740_000, 3]])
  await ask(`${path}/${id}`, { key: client, method: 'PATCH', body: change })
  expect(await due()).toEqual([['evt_1', clock.now, 0]])
})

test('one event, a range, or the failed part of a range can be resent', async () => {
  const { ask, client, make, deliver, clock, store } = await hooksWorld()
  const { id } = await make()
  for (let n = 1; n <= 4; n++)
    await deliver(id, n, { status: n % 2 ? 'FAILED' : 'DELIVERED', dueAt: null, attempts: 10, tries: 10 })
  const resend = (body: object) => ask(`${path}/${id}/resend`, { key: client, body })
  const isoAt = (n: number) => new Date(clock.now + n).toISOString()
  const due = async () => (await store.webhookDeliveries.next(id, 10)).map(({ eventId }) => eventId).toSorted()
  expect([(await resend({ eventId: 'evt_2' })).json, await due()]).toEqual([
    { scheduled: 1, nextSince: null },
    ['evt_2'],
  ])
  expect((await resend({ since: isoAt(1), until: isoAt(4), onlyFailed: true })).json).toEqual({
    scheduled: 2,
    nextSince: null,
  })
  expect(await due()).toEqual(['evt_1', 'evt_2', 'evt_3'])
  const all = await resend({ since: isoAt(1), until: isoAt(99) })
  expect([all.status, all.json, await due()]).toEqual([
    202,
    { scheduled: 4, nextSince: null },
    ['evt_1', 'evt_2', 'evt_3', 'evt_4'],
  ])
  expect((await resend({ eventId: 'evt_9' })).status).toBe(404)
  const [eventId, since] = ['evt_1', isoAt(1)]
  for (const more of [{ since }, { until: since }, { onlyFailed: true }])
    expect((await resend({ eventId, ...more })).json.message).toBe('Send eventId alone, or a range by since')
  for (const body of [{}, { until: isoAt(4) }, { since: 'yesterday' }, { since: '2026-02-31T00:00Z', until: 5 }])
    expect((await resend(body)).status).toBe(400)
})

test('a resend reaches the events that are still being retried', async () => {
  const { ask, client, make, deliver, clock, store } = await hooksWorld()
  const { id } = await make()
  const laterMs = 1_800_000
  await deliver(id, 1, { status: 'RETRYING', dueAt: clock.now + laterMs, attempts: 2, tries: 2 })
  await deliver(id, 2, { status: 'FAILED', dueAt: null, attempts: 10, tries: 10 })
  await deliver(id, 3, { status: 'DELIVERED', dueAt: null, attempts: 1, tries: 1 })
  const since = new Date(clock.now).toISOString()
  const until = new Date(clock.now + 9).toISOString()
  const resend = async (body: object) =>
    (await ask(`${path}/${id}/resend`, { key: client, body: { since, until, ...body } })).json
  expect(await resend({ statuses: ['RETRYING', 'FAILED'] })).toEqual({ scheduled: 2, nextSince: null })
  const due = (await store.webhookDeliveries.next(id, 10)).map((one) => [one.eventId, one.dueAt, one.tries])
  expect(due).toEqual([
    ['evt_1', clock.now, 0],
    ['evt_2', clock.now, 0],
  ])
  expect((await resend({ statuses: ['RETRYING'], onlyFailed: true })).message).toBe('Send onlyFailed or statuses')
  for (const statuses of [[], ['LATE'], 'FAILED']) expect(await resend({ statuses })).toMatchObject({ statusCode: 400 })
})

test('continuing a stopped resend posts every event of the range', async () => {
  const { ask, client, make, deliver, clock, store } = await hooksWorld()
  const { id } = await make()
  const over = { status: 'DELIVERED', dueAt: null, attempts: 1, tries: 1 }
  for (let n = 1; n <= resendMax + 3; n++) await deliver(id, n, over)
  const until = new Date(clock.now + resendMax + 9).toISOString()
  const answers = []
  for (let since: string | null = new Date(clock.now).toISOString(); since !== null; since = answers.at(-1).nextSince)
    answers.push((await ask(`${path}/${id}/resend`, { key: client, body: { since, until } })).json)
  const nextSince = new Date(clock.now + resendMax + 1).toISOString()
  expect(answers).toEqual([
    { scheduled: resendMax, nextSince },
    { scheduled: 3, nextSince: null },
  ])
  expect(await store.webhookDeliveries.next(id, 2 * resendMax)).toHaveLength(resendMax + 3)
})

test('a failed test is in no resent range, and its event id gives it one more attempt', async () => {
  const { ask, client, make, deliver, clock, store } = await hooksWorld({ statusCode: 503 })
  const { id } = await make()
  const { json: tested } = await ask(`${path}/${id}/test`, { key: client, body: { type: 'execution.success' } })
  expect(tested.status).toBe('FAILED')
  await deliver(id, 1, { status: 'FAILED', dueAt: null, attempts: 10, tries: 10 })
  const resend = async (body: object) => (await ask(`${path}/${id}/resend`, { key: client, body })).json
  const due = async () => (await store.webhookDeliveries.next(id, 10)).map(({ eventId }) => eventId)
  const since = new Date(clock.now).toISOString()
  const until = new Date(clock.now + 9).toISOString()
  expect([await resend({ since, until, onlyFailed: true }), await due()]).toEqual([
    { scheduled: 1, nextSince: null },
    ['evt_1'],
  ])
  expect([await resend({ since, until }), await due()]).toEqual([{ scheduled: 1, nextSince: null }, ['evt_1']])
  expect(await resend({ eventId: tested.eventId })).toEqual({ scheduled: 1, nextSince: null })
  expect((await due()).toSorted()).toEqual(['evt_1', tested.eventId].toSorted())
})

test('a response with a secret may not be cached, even when replayed', async () => {
  const { ask, client, make } = await hooksWorld()
  const { id } = await make()
  for (const [to, body] of [
    [path, { url }],
    [`${path}/${id}/rotate-secret`, {}],
  ] as const)
    for (const time of ['first', 'replayed']) {
      const { json, headers } = await ask(to, { key: client, body, headers: { 'idempotency-key': `key-${to}` } })
      expect([time, (json as { secret: string }).secret.slice(0, 6)]).toEqual([time, 'whsec_'])
      expect([time, headers.get('cache-control')]).toEqual([time, 'no-store'])
    }
})

test('repeated requests for the same events write them once', async () => {
  const { ask, client, make, deliver, store, clock } = await hooksWorld()
  const { id } = await make()
  for (let n = 1; n <= 3; n++) await deliver(id, n, { status: 'DELIVERED', dueAt: null, attempts: 1, tries: 1 })
  const versions = async () => (await store.webhookDeliveries.next(id, 10)).map(({ version }) => version)
  for (let time = 0; time < 3; time++) {
    const [since, until] = [1, 9].map((n) => new Date(clock.now + n).toISOString())
    const { json } = await ask(`${path}/${id}/resend`, { key: client, body: { since, until } })
    expect([json, await versions()]).toEqual([{ scheduled: 3, nextSince: null }, [2, 2, 2]])
  }
})

test('simultaneous creates are limited to as many endpoints as sequential ones', async () => {
  const { ask, client } = await hooksWorld()
  const all = await Promise.all(Array.from({ length: 15 }, () => ask(path, { key: client, body: { url } })))
  const made = all.filter(({ status }) => status === 201).map(({ json }) => (json as { id: string }).id)
  const refused = all.filter(({ status }) => status !== 201).map(({ headers }) => headers.get('x-error-code'))
  expect(made.length).toBeLessThanOrEqual(10)
  expect(new Set(refused)).toEqual(new Set(['LIMIT_REACHED']))
  const kept = (await ask(path, { key: client })).json as { id: string }[]
  expect(kept.map(({ id }) => id).toSorted()).toEqual(made.toSorted())
})

test('at most two secrets sign: a second rotation within the overlap ends the oldest immediately', async () => {
  const { ask, client, make, store } = await hooksWorld()
  const { id, secret: first } = await make()
  const rotate = async () => (await ask(`${path}/${id}/rotate-secret`, { key: client, body: {} })).json.secret as string
  const signing = async () => secretsOf((await store.webhookEndpoints.load(id))!, vault, 0)
  const second = await rotate()
  expect(await signing()).toEqual([second, first])
  const third = await rotate()
  expect(await signing()).toEqual([third, second])
})

testAll([
  ['PATCH', '', { enabled: true }],
  ['POST', '/rotate-secret', {}],
])('a change of an endpoint deleted in between is refused without effect', async (method, more, body) => {
  const { ask, client, make, store } = await hooksWorld()
  const { id } = await make()
  const { append } = store.auditLog
  // Between the read and the write, which is when the audit log is written.
  store.auditLog.append = async (entry) => {
    const known = (await store.webhookEndpoints.load(id))!
    await store.webhookEndpoints.save({ ...known, deletedAt: 1 })
    return append(entry)
  }
  const answer = await ask(`${path}/${id}${more}`, { key: client, method, body })
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'ENDPOINT_NOT_FOUND'])
  expect(await store.webhookEndpoints.load(id)).toMatchObject({ deletedAt: 1, version: 2 })
})

test('a new URL starts fresh: earlier failures do not count against it', async () => {
  const { ask, client, make, store, clock } = await hooksWorld()
  const { id } = await make()
  clock.now += 1_000
  await ask(`${path}/${id}`, { key: client, method: 'PATCH', body: { description: 'Till' } })
  expect((await store.webhookEndpoints.load(id))!.enabledAt).toBe(clock.now - 1_000)
  await ask(`${path}/${id}`, { key: client, method: 'PATCH', body: { url: 'https://example.com/new' } })
  expect((await store.webhookEndpoints.load(id))!.enabledAt).toBe(clock.now)
})
