import { afterAll, describe, expect, test } from 'bun:test'
import { BSON } from 'mongodb'
import { mongoIdempotency } from '../../../src/adapters/mongo/collections/idempotency'
import { ensureIndexes } from '../../../src/adapters/mongo/engine/collection'
import { connectMongo } from '../../../src/adapters/mongo/engine/connection'
import { heldMs, replayMs } from '../../../src/domain/tenant/idempotency'
import type { IdempotentRequests } from '../../../src/ports/limits'
import { faults, mongoOnTheWire } from '../../support/mongo-on-the-wire'
import { mongoUrl } from '../../support/servers'
import { testAll } from '../../support/test-all'
import { peopledWorld, target } from '../world'
import { memoryIdempotency } from './memory-idempotency'

const body = { userId: 'user-1', ...target }
const headers = { 'idempotency-key': 'abc' }
const connections: { close(): Promise<void>; dropDatabase(): Promise<unknown> }[] = []
const stops: (() => void)[] = []

afterAll(async () => {
  for (const connection of connections) {
    await connection.dropDatabase()
    await connection.close()
  }
  for (const stop of stops) stop()
})

/** A server that answers each write with an error after it ran, and runs the repeated write again. */
async function failingAfterwards(): Promise<string> {
  const { hostname, port, pathname } = new URL(await mongoUrl())
  const wire = await mongoOnTheWire(hostname, Number(port || 27017), { isSet: true, runsAgain: true })
  const seen = new Set<string>()
  wire.fail(({ isWrite, lsid, txnNumber }) => {
    const key = BSON.EJSON.stringify({ lsid, txnNumber })
    const isFirst = isWrite && txnNumber !== undefined && !seen.has(key)
    seen.add(key)
    return isFirst ? faults['is interrupted after']! : null
  })
  stops.push(wire.stop)
  return Object.assign(new URL(wire.url), { pathname }).href
}

async function inMongo(url: string): Promise<IdempotentRequests> {
  const connection = await connectMongo(url)
  connections.push(connection)
  const requests = mongoIdempotency(connection, 'worker')
  await ensureIndexes(connection)
  return requests
}

/** The database expires old requests by its own clock. */
const at = Date.now()

const stores = [
  ['in memory', async () => memoryIdempotency()],
  ['in MongoDB', async () => inMongo(await mongoUrl())],
  ['in a database whose writes run twice', async () => inMongo(await failingAfterwards())],
] as const
describe.each(stores)('stored responses %s', (_name, open) => {
  test('a request runs once: a repetition during it is refused, and a later one gets its response', async () => {
    const requests = await open()
    const begun = await requests.begin('org:key', 'print', at)
    expect(begun.kind).toBe('BEGUN')
    expect(await requests.begin('org:key', 'print', at + 1)).toEqual({ kind: 'RUNNING' })
    expect(await requests.begin('org:key', 'other', at + 2)).toEqual({ kind: 'OTHER' })
    const { turn } = begun as { turn: string }
    await requests.keep('org:key', turn, { status: 201, body: '{}' })
    expect(await requests.begin('org:key', 'print', at + 3)).toEqual({
      kind: 'KEPT',
      answer: { status: 201, body: '{}' },
    })
    expect(await requests.begin('org:key', 'other', at + 4)).toEqual({ kind: 'OTHER' })
    expect((await requests.begin('org:key', 'print', at + replayMs)).kind).toBe('BEGUN')
  })

  test('a refusal frees the key, and a dead process frees it after a minute without its late response', async () => {
    const requests = await open()
    const first = (await requests.begin('org:key', 'print', at)) as { turn: string }
    await requests.release('org:key', first.turn)
    const second = (await requests.begin('org:key', 'print', at)) as { kind: string; turn: string }
    expect(second.kind).toBe('BEGUN')
    const third = (await requests.begin('org:key', 'other', at + heldMs)) as { kind: string; turn: string }
    expect(third.kind).toBe('BEGUN')
    await requests.keep('org:key', second.turn, { status: 201, body: 'late' })
    expect(await requests.begin('org:key', 'other', at + 1 + heldMs)).toEqual({ kind: 'RUNNING' })
  })

  test('only one of 20 simultaneous requests runs', async () => {
    const requests = await open()
    const begun = await Promise.all(Array.from({ length: 20 }, () => requests.begin('org:key', 'print', at)))
    expect(begun.filter(({ kind }) => kind === 'BEGUN').length).toBe(1)
  })
})

test('the same key and body get the first response, whatever has changed since', async () => {
  const { ask, client, clock } = await peopledWorld()
  const first = await ask('/api/deposit-intents', { key: client, body, headers })
  clock.now += 60_000
  await ask('/api/deposit-intents', { key: client, body: { ...body, targetChainId: 1 } })
  const again = await ask('/api/deposit-intents', {
    key: client,
    body: { extra: 1, ...target, userId: 'user-1' },
    headers,
  })
  expect([first.status, again.status, again.text]).toEqual([201, 201, first.text])
  expect([first.headers.get('idempotent-replayed'), again.headers.get('idempotent-replayed')]).toEqual([null, 'true'])
  clock.now += replayMs
  expect((await ask('/api/deposit-intents', { key: client, body, headers })).status).toBe(200)
})

test('the same key for a different body or endpoint is 409', async () => {
  const { ask, client } = await peopledWorld()
  await ask('/api/deposit-intents', { key: client, body, headers })
  for (const other of [
    ask('/api/deposit-intents', { key: client, body: { ...body, userId: 'user-2' }, headers }),
    ask('/api/accounts', { key: client, body: { ownerAddress: 'user-1', chainKey: 'base' }, headers }),
  ]) {
    const { status, json } = await other
    expect([status, json.message]).toEqual([409, 'Idempotency-Key was already used for another request'])
  }
})

test('the key belongs to the organization: a rotated API key replays, another organization does not', async () => {
  const world = await peopledWorld()
  const first = await world.ask('/api/deposit-intents', { key: world.client, body, headers })
  const rotated = await world.ask('/api/deposit-intents', { key: await world.key('org_a'), body, headers })
  const foreign = await world.ask('/api/deposit-intents', { key: world.stranger, body, headers })
  expect([rotated.text, foreign.status, foreign.text === first.text]).toEqual([first.text, 201, false])
})

test('a refused request is decided again', async () => {
  const { ask, client } = await peopledWorld()
  const own = { ...body, targetAddress: `0x${'0'.repeat(40)}` }
  expect((await ask('/api/deposit-intents', { key: client, body: own, headers })).status).toBe(400)
  expect((await ask('/api/deposit-intents', { key: client, body, headers })).status).toBe(201)
})

test('a request that is still running is 409 with a retry time', async () => {
  const { ask, client, ports } = await peopledWorld()
  ports.idempotency.begin = async () => ({ kind: 'RUNNING' })
  const { status, json, headers: told } = await ask('/api/deposit-intents', { key: client, body, headers })
  expect([status, json.message, told.get('retry-after')]).toEqual([
    409,
    'A request with this Idempotency-Key is still running',
    '1',
  ])
})

testAll([[' '.repeat(3)], ['x'.repeat(256)], ['a b'], ['ä']])('a malformed Idempotency-Key is 400', async (key) => {
  const { ask, client } = await peopledWorld()
  const sent = { 'idempotency-key': key === 'ä' ? '\u00e4' : key }
  const { status, headers: told } = await ask('/api/deposit-intents', { key: client, body, headers: sent })
  expect([status, told.get('x-error-code')]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY'])
})
