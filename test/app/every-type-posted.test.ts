import { afterAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { verifyWebhook } from '../../clients/typescript/src/index'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { webhookPoster } from '../../src/adapters/webhooks/post-webhook'
import { webhookPosting } from '../../src/app/webhook-posting'
import type { DepositIntent } from '../../src/domain/deposit/deposit-intent'
import { type depositEventTypes, eventTypes, testType } from '../../src/domain/event-types'
import { depositIdOf, type Execution } from '../../src/domain/execution/execution'
import { type Status, statusNames } from '../../src/domain/execution/status'
import { disabledByService, newFeed, withAttempt } from '../../src/domain/webhook/endpoint'
import { newApiKey } from '../../src/http/dashboard/new-tenants'
import {
  lifeFailed,
  lifeIncluded,
  lifePaused,
  lifeQueued,
  lifeReturned,
  lifeUntil,
  lifeWithoutIntent,
} from '../../src/http/webhooks/sample-life'
import { webhookConformance } from '../http/openapi/conform'
import { peopledWorld, target } from '../http/world'
import { addressOf, hashOf, sightingOf } from '../support/deposits'
import { eventsOn, publishing } from '../support/events'
import { newDatabase } from '../support/new-database'
import { until } from '../support/until'
import { endpointOf, testSecret, vault } from '../support/webhooks'

type Arrived = { headers: Headers; body: string }
type Event = { id: string; type: string; seq: number | null; data: { id: string } }

const arrived: Arrived[] = []
const receiver = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    arrived.push({ headers: request.headers, body: await request.text() })
    return new Response(null, { status: 204 })
  },
})
afterAll(() => receiver.stop(true))
const url = `http://127.0.0.1:${receiver.port}/hooks`

const connection = await newDatabase()
const store = mongoStore(connection, 'every-type', Date.now)
await store.ensureIndexes()
const postWebhook = webhookPoster({ now: Date.now, toLoopback: true })
const { webhookEndpoints } = store
const world = await peopledWorld({ webhookEndpoints, postWebhook, webhooksToLoopback: true, now: Date.now })

let made = 0
/** Stores an invented deposit of org_a with its own unique values. */
async function happens(life: Execution): Promise<void> {
  const txHash = hashOf(++made)
  const { deposit, facts } = life
  await store.executions.save({
    ...life,
    id: depositIdOf(deposit.chainId, txHash, deposit.logIndex!),
    organizationId: 'org_a',
    userId: `user-${made}`,
    deposit: { ...deposit, txHash },
    facts: { ...facts, ...(facts.routeId && { routeId: hashOf(1_000 + made) }) },
  })
}

async function seen(at: number, isDropped: boolean): Promise<void> {
  const whose = { organizationId: 'org_a', userId: 'user-seen', detectedAt: at }
  const stored = await store.sightings.save(sightingOf(500 + ++made, { ...whose, updatedAt: at }))
  if (isDropped) await store.sightings.save({ ...stored!, stage: 'ORPHANED', updatedAt: at + 1 })
}

async function intended(at: number, isChanged: boolean): Promise<DepositIntent> {
  const terms = { apiKeyId: 'key_1', protocolFeeBps: 50, sponsoredGas: false, refundAddress: null }
  const whose = { id: addressOf(++made), organizationId: 'org_a', userId: `user-${made}`, createdAt: at, updatedAt: at }
  const stored = await store.intents.save({ ...whose, ...terms, ...target, version: 0 })
  const other = addressOf(0x1d1d1d)
  if (isChanged) await store.intents.save({ ...stored!, targetAddress: other, updatedAt: at + 1 })
  return stored!
}

async function changeHeld(at: number): Promise<void> {
  const { id, version: of } = await intended(at, false)
  const whose = { id, organizationId: 'org_a', userId: `user-${made}`, of, personId: null, askedAt: at, from: at + 1 }
  const askedBy = { kind: 'API_KEY', id: 'key_1', label: 'client' } as const
  const asked = { ...whose, askedBy, target: { ...target, refundAddress: null }, state: 'WAITING', seal: null } as const
  await store.heldChanges.save({ ...asked, version: 0 })
}

async function paused(at: number, isOver: boolean): Promise<void> {
  const id = isOver ? 'chain:8453' : 'chain:137'
  const times = { createdAt: at, updatedAt: at, until: null, resumedAt: null }
  const stored = await store.pauses.save({ id, version: 0, reason: 'trouble', by: 'ops', ...times })
  if (isOver) await store.pauses.save({ ...stored!, updatedAt: at + 1, resumedAt: at + 1 })
}

async function warned(at: number): Promise<void> {
  const quotaKey = `org_a:${new Date(at).toISOString().slice(0, 7)}`
  const warning = { organizationId: 'org_a', quotaKey, at, percent: 80, limit: 1_000, used: 800 }
  await store.quotaWarnings.note({ id: `${quotaKey}:1000:80`, ...warning })
}

async function expiring(at: number): Promise<void> {
  const keyRequest = { organizationId: 'org_a', label: 'production', expiresAt: at + 86_400_000 }
  await store.apiKeys.save(newApiKey(keyRequest, at).apiKey)
}

async function disabled(at: number): Promise<void> {
  const other = await store.webhookEndpoints.save(endpointOf('whe_other', 'org_a', at))
  await store.webhookEndpoints.save(disabledByService(other!, 'FAILING', withAttempt(newFeed(other!), at, false), at))
}

const stepTo: Partial<Record<Status, Parameters<typeof lifeUntil>[0]>> = {
  PENDING: 'order signed',
  RUNNING: 'transaction submitted',
  SUCCESS: 'funds delivered',
}
const executionTypes = statusNames.map((status) => {
  const step = stepTo[status]
  const life = (at: number) => (step === undefined ? lifeFailed(status, at) : lifeUntil(step, at))
  return [`execution.${status.toLowerCase()}`, (at: number) => happens(life(at))] as const
})
const depositTypes: Record<(typeof depositEventTypes)[number], (at: number) => Promise<void>> = {
  'deposit.detected': (at) => seen(at, false),
  'deposit.confirmed': (at) => happens(lifeUntil('balance verified', at)),
  'deposit.waiting_for_intent': (at) => happens(lifeWithoutIntent(at)),
  'deposit.queued': (at) => happens(lifeQueued(at)),
  'deposit.paused': (at) => happens(lifePaused(at)),
  'deposit.orphaned': (at) => seen(at, true),
  'deposit.returned': (at) => happens(lifeReturned(at)),
}

/** The records that must be stored for an event of each type. */
const happening: Record<string, (at: number) => Promise<unknown>> = {
  ...depositTypes,
  ...Object.fromEntries(executionTypes),
  'execution.superseded': (at) => happens(lifeIncluded(at)),
  'execution.moved': (at) => happens(lifeUntil('route found', at)),
  'intent.created': (at) => intended(at, false),
  'intent.updated': (at) => intended(at, true),
  'intent.change_held': changeHeld,
  'chain.paused': (at) => paused(at, false),
  'chain.resumed': (at) => paused(at, true),
  'quota.warning': warned,
  'api_key.expiring': expiring,
  'webhook_endpoint.disabled': disabled,
}

/** Posts for real until all of these types have arrived. */
async function posted(types: readonly string[]): Promise<void> {
  const troubles: unknown[] = []
  const running = webhookPosting({
    posting: {
      ...store,
      events: eventsOn(store.eventLog),
      vault,
      holder: randomUUID(),
      now: Date.now,
      random: Math.random,
      post: postWebhook,
    },
    notify: async () => true,
    log: { write: () => {} },
    meters: { count: () => {} },
    onTrouble: (_work, error) => void troubles.push(error),
  })
  running.start()
  const publish = publishing({ ...world.ports, ...store })
  const missing = () => types.filter((type) => !arrived.some(({ body }) => JSON.parse(body).type === type))
  await until('every type of event is posted', async (note) => {
    await publish()
    note({ missing: missing(), troubles })
    return missing().length === 0
  })
  await running.stop()
  expect([missing(), troubles]).toEqual([[], []])
}

test('every type of event is posted signed, as documented, and with a rising number in its record', async () => {
  expect(Object.keys(happening).toSorted()).toEqual(eventTypes.toSorted())
  const since = Date.now()
  await store.webhookEndpoints.save({ ...endpointOf('whe_all', 'org_a', since - 60_000), url, types: [...eventTypes] })
  for (const happen of Object.values(happening)) await happen(Date.now())
  await posted(eventTypes)

  const { json: document } = await world.ask('/docs/json')
  const objectionTo = webhookConformance(document)
  const rising = new Map<string, Event[]>()
  const ids = new Set<string>()
  for (const { headers, body } of arrived) {
    const event = (await verifyWebhook({ body, headers, secret: testSecret })) as unknown as Event
    expect(headers.get('webhook-id')).toBe(event.id)
    expect(objectionTo(event.type, JSON.parse(body))).toBeNull()
    const hasLife = /^(deposit|execution)\./.test(event.type)
    expect([event.type, event.seq !== null]).toEqual([event.type, hasLife])
    if (hasLife && !ids.has(event.id)) rising.set(event.data.id, [...(rising.get(event.data.id) ?? []), event])
    ids.add(event.id)
  }
  for (const events of rising.values()) {
    const inFeedOrder = events.toSorted((a, b) => (a.id < b.id ? -1 : 1))
    expect(inFeedOrder.map(({ seq }) => seq)).toEqual(events.map((_, n) => n + 1))
  }
})

test('a requested sample is posted and verifies too', async () => {
  arrived.length = 0
  const made = await world.ask('/api/webhook-endpoints/whe_all/test', { key: world.client, body: {} })
  expect(made.json).toMatchObject({ type: testType, status: 'DELIVERED' })
  const [{ headers, body }] = arrived as [Arrived]
  expect(await verifyWebhook({ body, headers, secret: testSecret })).toMatchObject({ type: testType, seq: null })
})
