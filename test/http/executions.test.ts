import { expect, test } from 'bun:test'
import { follow, noted } from '../../machines/follow'
import type { Execution } from '../../src/domain/execution'
import { statusNames } from '../../src/domain/status'
import { executionOf, hashOf, sightingOf } from '../support/deposits'
import { type ApiWorld, peopledWorld, target, usdc } from './world'

const account = '0x25fa55D9f052CB3b815bB1E09504f9F448f2FA9C'
const intent = {
  version: 1,
  apiKeyId: 'key_1',
  targetChainId: 42161,
  targetTokenAddress: usdc.arbitrum,
  targetAddress: target.targetAddress,
  protocolFeeBps: 50,
  sponsoredGas: false,
  refundAddress: null,
} as const

type Change = Partial<Execution>
const shown = (n: number, at: number, change: Change = {}): Execution =>
  executionOf(
    n,
    { organizationId: 'org_a', status: 'RUNNING', state: 'RUNNING', createdAt: at, facts: { intent }, ...change },
    { account, token: usdc.base, detectedAt: at },
  )

async function fill({ store, clock }: Pick<ApiWorld, 'store' | 'clock'>, count: number, change: Change = {}) {
  for (let n = 1; n <= count; n++) await store.executions.save(shown(n, clock.now + n, change))
}

test('the list is newest first, and has exactly the client’s fields', async () => {
  const world = await peopledWorld()
  await fill(world, 3)
  const { json } = await world.ask('/api/users/user-1/executions', { key: world.client })
  expect(json.map(({ id }: { id: string }) => id)).toEqual([3, 2, 1].map((n) => executionOf(n).id))
  expect(json[0]).toEqual({
    id: executionOf(3).id,
    routeId: json[0].routeId,
    userId: 'user-1',
    status: 'RUNNING',
    fromChainId: 8453,
    fromChainKey: 'base',
    fromTokenSymbol: 'USDC',
    fromTokenAddress: usdc.base,
    toChainId: 42161,
    toChainKey: 'arbitrum',
    toTokenSymbol: 'USDC',
    toTokenAddress: usdc.arbitrum,
    amountIn: '1000',
    amountOutExpected: '0',
    txHash: null,
    retryable: false,
    retryCount: 0,
    lastErrorCode: null,
    lastErrorMessage: null,
    lastErrorCategory: null,
    createdAt: '2026-11-21T10:00:00.003Z',
    updatedAt: '2026-11-21T10:00:00.003Z',
    completedAt: null,
  })
})

test.each([
  ['limit=0'],
  ['limit=101'],
  ['limit=-1'],
  ['limit=1.5'],
  ['limit=1e1'],
  ['limit=0x10'],
  ['limit='],
  ['limit=%2010'],
  ['limit=1,2'],
  ['limit=1&limit=2'],
  ['offset=-1'],
  ['offset=a'],
  ['offset=1.5'],
  ['offset=99999999999999999999'],
  ['status=DONE'],
  ['status=success'],
  ['status='],
  ['status=SUCCESS,FAILED'],
  ['cursor=x'],
  ['cursor=W10'],
  ['offset=1&cursor=W10AAAAAAAA'],
])('?%s is 400', async (query) => {
  const { ask, client } = await peopledWorld()
  const { status, json } = await ask(`/api/users/user-1/executions?${query}`, { key: client })
  expect([status, json.statusCode, json.error]).toEqual([400, 400, 'Bad Request'])
})

test.each([
  ['limit=1'],
  ['limit=100'],
  ['offset=0'],
  ['offset=7'],
  ['unknown=1'],
  ...statusNames.map((name) => [`status=${name}`]),
])('?%s is taken, of a user who has none it is an empty list', async (query) => {
  const { ask, client, stranger, ...world } = await peopledWorld()
  await fill(world, 2)
  for (const [path, key] of [
    ['/api/users/nobody/executions', client],
    ['/api/users/user-1/executions', stranger],
  ] as const) {
    const { status, text } = await ask(`${path}?${query}`, { key })
    expect([status, text]).toEqual([200, '[]'])
  }
})

test('the links lead through all of a list, each row once, while new ones arrive', async () => {
  const world = await peopledWorld()
  await fill(world, 25)
  const seen: string[] = []
  let path: string | null = '/api/users/user-1/executions?limit=10'
  for (let page = 0; path; page++) {
    const { json, headers } = await world.ask(path, { key: world.client })
    seen.push(...json.map(({ id }: { id: string }) => id))
    path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
    await world.store.executions.save(shown(100 + page, world.clock.now + 1_000 + page))
  }
  expect(seen).toEqual(Array.from({ length: 25 }, (_, n) => executionOf(25 - n).id))
})

test('a cursor is good for its own list and filters only', async () => {
  const world = await peopledWorld()
  await fill(world, 3)
  const { headers } = await world.ask('/api/executions?limit=1&status=RUNNING', { key: world.client })
  const cursor = new URLSearchParams(headers.get('link')!.slice(1).split('>')[0]!.split('?')[1]).get('cursor')!
  const ask = async (path: string) => (await world.ask(path, { key: world.client })).headers.get('x-error-code')
  expect(await ask(`/api/executions?limit=2&status=RUNNING&cursor=${cursor}`)).toBe(null)
  expect(await ask(`/api/executions?cursor=${cursor}`)).toBe('INVALID_CURSOR')
  expect(await ask(`/api/deposits?cursor=${cursor}`)).toBe('INVALID_CURSOR')
  expect(await ask(`/api/users/user-1/executions?cursor=${cursor}`)).toBe('INVALID_CURSOR')
})

test('pages by offset are those of a list that stands still', async () => {
  const world = await peopledWorld()
  await fill(world, 5)
  const { json } = await world.ask('/api/users/user-1/executions?limit=2&offset=3', { key: world.client })
  expect(json.map(({ id }: { id: string }) => id)).toEqual([2, 1].map((n) => executionOf(n).id))
})

test('a deposit is no execution before its route is found, and is shown as a deposit', async () => {
  const world = await peopledWorld()
  await world.store.executions.save(
    shown(1, world.clock.now, { status: null, createdAt: null, state: 'finding route' }),
  )
  const ask = (path: string) => world.ask(path, { key: world.client })
  expect((await ask('/api/executions')).json).toEqual([])
  expect((await ask(`/api/executions/${executionOf(1).id}`)).json.message).toBe('No execution with this id')
  const { json } = await ask(`/api/deposits/${executionOf(1).id}`)
  expect([json.stage, json.executionId, json.next.action]).toEqual(['ROUTING', null, 'ROUTE'])
})

test.each([
  ['txHash', hashOf(2)],
  ['depositId', executionOf(2).id],
  ['status', 'SUCCESS,DEAD_LETTER'],
  ['createdTo', '2026-11-21T10:00:00.002Z'],
])('executions are found by %s', async (name, value) => {
  const world = await peopledWorld()
  await fill(world, 1, { status: 'SUCCESS' })
  await world.store.executions.save(shown(2, world.clock.now + 2))
  const { json } = await world.ask(`/api/executions?${name}=${encodeURIComponent(value)}`, { key: world.client })
  expect(json.map(({ id }: { id: string }) => id)).toEqual([
    executionOf(name === 'status' || name === 'createdTo' ? 1 : 2).id,
  ])
})

test.each([
  'txhash=0x1',
  'limit=0',
  'txHash=0x1',
  'fromChainId=5',
  'createdFrom=yesterday',
  'status=',
  'depositAddress=0x1',
  'offset=1',
])('a filter that is misspelt or malformed is 400: %s', async (query) => {
  const { ask, client } = await peopledWorld()
  for (const list of ['executions', 'deposits'])
    expect((await ask(`/api/${list}?${query}`, { key: client })).status).toBe(400)
})

test('an operator of the platform sees every organization by name, another one its own', async () => {
  const world = await peopledWorld()
  await fill(world, 1)
  const path = `/api/executions/${executionOf(1).id}`
  const [platform, operator, stranger] = await Promise.all(
    [world.platform, world.operator, world.stranger].map((key) => world.ask(path, { key })),
  )
  expect([platform!.json.organizationId, 'organizationId' in operator!.json, stranger!.status]).toEqual([
    'org_a',
    false,
    404,
  ])
})

test('a failure says what went wrong, where the money is and who acts', async () => {
  const world = await peopledWorld()
  const failure = {
    code: 'NO_ROUTE',
    category: 'VALIDATION',
    message: 'No provider has a route for this token to the target.',
  } as const
  const failed = follow(
    executionOf(
      1,
      { organizationId: 'org_a', facts: { intent }, state: 'finding route' },
      { account, token: usdc.base },
    ),
    {
      type: 'step failed',
      failure,
      at: world.clock.now,
      retryAt: 0,
    },
  )
  await world.store.executions.save(failed)
  const { json } = await world.ask(`/api/executions/${failed.id}`, { key: world.client })
  expect([json.status, json.lastErrorCode, json.lastErrorCategory, json.cause.code]).toEqual([
    'FAILED_UNROUTABLE_MAIN',
    'FAILED_UNROUTABLE_MAIN',
    'VALIDATION',
    'NO_ROUTE',
  ])
  expect([json.funds.holder, json.next.actor, json.next.action, json.retryable]).toEqual([
    'DEPOSIT_ACCOUNT',
    'INTEGRATOR',
    'CHANGE_INTENT',
    false,
  ])
  expect(json.completedAt).toBe('2026-11-21T10:00:00.000Z')
})

test('a failure that is tried again is named by its cause, and says when', async () => {
  const world = await peopledWorld()
  const failure = {
    code: 'PROVIDER_TIMEOUT',
    category: 'TIMEOUT',
    message: 'A routing provider did not answer in time.',
  } as const
  const failed = follow(
    executionOf(
      1,
      { organizationId: 'org_a', facts: { intent }, state: 'finding route' },
      { account, token: usdc.base },
    ),
    {
      type: 'step failed',
      failure,
      at: world.clock.now,
      retryAt: world.clock.now + 2_000,
    },
  )
  await world.store.executions.save(failed)
  const { json } = await world.ask(`/api/executions/${failed.id}`, { key: world.client })
  expect([json.status, json.retryable, json.retryCount, json.lastErrorCode]).toEqual([
    'FAILED',
    true,
    1,
    'PROVIDER_TIMEOUT',
  ])
  expect(json.next).toMatchObject({ actor: 'SERVICE', action: 'RETRY', expectedAt: '2026-11-21T10:00:02.000Z' })
})

test('a transfer that is only seen is a deposit that confirms; one that was dropped is nobody’s', async () => {
  const world = await peopledWorld()
  const seen = { organizationId: 'org_a', account, token: usdc.base, detectedAt: world.clock.now } as const
  await world.store.sightings.save(sightingOf(1, seen))
  await world.store.sightings.save(sightingOf(2, { ...seen, stage: 'ORPHANED' }))
  const { json } = await world.ask(`/api/deposits?txHash=${hashOf(1)}`, { key: world.client })
  expect(json).toMatchObject([
    { stage: 'CONFIRMING', seq: 1, executionId: null, next: { actor: 'SERVICE', action: 'CONFIRM' } },
  ])
  const dropped = await world.ask(`/api/deposits/${sightingOf(2).id}`, { key: world.client })
  expect(dropped.json).toMatchObject({
    stage: 'ORPHANED',
    funds: { holder: 'SENDER' },
    next: { actor: 'NOBODY' },
    state: 'orphaned',
  })
})

test('what has not changed is 304, what has is not', async () => {
  const world = await peopledWorld()
  await fill(world, 1)
  const path = `/api/executions/${executionOf(1).id}`
  const first = await world.ask(path, { key: world.client })
  const etag = first.headers.get('etag')!
  expect(etag).toMatch(/^W\/"[0-9a-f]{16}"$/)
  const again = await world.ask(path, { key: world.client, headers: { 'if-none-match': `"x", ${etag}` } })
  expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
  const stored = (await world.store.executions.load(executionOf(1).id))!
  await world.store.executions.save(
    noted(stored, {
      at: world.clock.now + 9,
      event: 'paused',
      from: 'RUNNING',
      to: 'RUNNING',
      status: 'RUNNING',
      note: null,
    }),
  )
  expect((await world.ask(path, { key: world.client, headers: { 'if-none-match': etag } })).status).toBe(200)
})
