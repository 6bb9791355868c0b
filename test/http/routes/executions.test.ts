import { expect, test } from 'bun:test'
import { withHistoryEntry } from '../../../machines/execution'
import type { Execution } from '../../../src/domain/execution/execution'
import { statusNames } from '../../../src/domain/execution/status'
import { executionOf, hashOf } from '../../support/deposits'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, usdc } from '../world'
import { account, fill, intent, shown } from './shown-executions'

test('a row shows what arrived, as in the list of all executions, if requested', async () => {
  const { ask, client, store } = await peopledWorld()
  const intent = { apiKeyId: 'key_1', version: 1, protocolFeeBps: 50, sponsoredGas: false, ...target }
  const delivery = { hash: hashOf(9), chainId: 42161, token: usdc.arbitrum, amountRaw: '990', block: 3 } as const
  const ended = { status: 'SUCCESS', state: 'SUCCESS', createdAt: 1, completedAt: 2, dueAt: null } as const
  const facts = { intent, delivery } as unknown as Execution['facts']
  await store.executions.save(executionOf(1, { organizationId: 'org_a', userId: 'user-1', ...ended, facts }))
  const rowsOf = async (query: string) => (await ask(`/api/${query}`, { key: client })).json
  const [plain] = await rowsOf('users/user-1/executions')
  const [row] = await rowsOf('users/user-1/executions?include=delivery')
  const [full] = await rowsOf('executions?userId=user-1')
  const arrived = { amountOut: '990', toTokenDecimals: 6, destinationTxHash: hashOf(9) }
  expect(row).toEqual({ ...plain, ...arrived })
  expect(full).toMatchObject(row)
  const refused = await ask('/api/users/user-1/executions?include=all', { key: client })
  expect([refused.status, refused.json.message]).toEqual([400, 'include must be delivery'])
})

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

test('an execution shows the user’s current intent, which a re-drive and a refund follow, to an operator too', async () => {
  const world = await peopledWorld()
  const { id } = executionOf(1)
  await fill(world, 1)
  const shownTo = async (key: string) => (await world.ask(`/api/executions/${id}`, { key })).json
  expect((await shownTo(world.operator)).currentIntent).toBe(null)
  const current = { ...intent, targetAddress: usdc.base, refundAddress: target.targetAddress, version: 0 }
  const owner = { id: account, organizationId: 'org_a', userId: 'user-1', createdAt: 1, updatedAt: 1 } as const
  await world.store.intents.save({ ...owner, ...current })
  for (const key of [world.operator, world.platform]) {
    const { intent: followed, currentIntent } = await shownTo(key)
    expect(currentIntent).toEqual({ ...followed, targetAddress: usdc.base, refundAddress: target.targetAddress })
  }
})

test('an execution shows its fees and volume once they are collected, as its statement does', async () => {
  const world = await peopledWorld()
  const at = world.clock.now - 10_000
  const fees = { protocolFeeEffective: '125000', gasFeeRaw: '18432' } as never
  const feesUsd = { protocolFee: '12500049', gasFee: '1843250' }
  const spent = { hash: hashOf(9), block: 2, amountRaw: '25000000', at, feesUsd, valueUsd: '2499500000' } as const
  await world.store.executions.save(shown(1, at - 1, { facts: { intent, fees } }))
  await world.store.executions.save(shown(2, at, { facts: { intent, fees, spent } }))
  const { json } = await world.ask('/api/executions', { key: world.client })
  const shownFees = json.map(({ protocolFee, gasFee, protocolFeeUsd, gasFeeUsd }: Record<string, string | null>) => [
    ...[protocolFee, gasFee, protocolFeeUsd, gasFeeUsd],
  ])
  expect(shownFees).toEqual([
    ['125000', '18432', '0.125000', '0.018433'],
    [null, null, null, null],
  ])
  const { totals } = (await world.ask('/api/statements', { key: world.client })).json
  expect([totals.protocolFeeUsd, totals.gasFeeUsd, totals.volumeUsd]).toEqual(['0.125000', '0.018433', '25.00'])
  expect(json.map(({ volumeUsd, deliveredUsd }: Record<string, string | null>) => [volumeUsd, deliveredUsd])).toEqual([
    ['25.00', null],
    [null, null],
  ])
})

testAll([
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
])('an impossible page is 400', async (query) => {
  const { ask, client } = await peopledWorld()
  const { status, json } = await ask(`/api/users/user-1/executions?${query}`, { key: client })
  expect([status, json.statusCode, json.error]).toEqual([400, 400, 'Bad Request'])
})

testAll([
  ['limit=1'],
  ['limit=100'],
  ['offset=0'],
  ['offset=7'],
  ['unknown=1'],
  ...statusNames.map((name) => [`status=${name}`]),
])('a valid page is accepted, and is empty for a user without executions', async (query) => {
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

test('the links lead through the whole list, each row once, while new ones arrive', async () => {
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

test('executions and deposits are listed from the oldest on request, page by page', async () => {
  const world = await peopledWorld()
  await fill(world, 5)
  for (const list of ['executions', 'deposits']) {
    const seen: string[] = []
    let path: string | null = `/api/${list}?limit=2&order=oldest`
    while (path) {
      const { json, headers } = await world.ask(path, { key: world.client })
      seen.push(...json.map(({ id }: { id: string }) => id))
      path = /^<([^>]+)>; rel="next"$/.exec(headers.get('link') ?? '')?.[1] ?? null
    }
    expect(seen).toEqual(Array.from({ length: 5 }, (_, n) => executionOf(n + 1).id))
  }
  const { headers } = await world.ask('/api/executions?limit=1&order=oldest', { key: world.client })
  const cursor = new URLSearchParams(headers.get('link')!.slice(1).split('>')[0]!.split('?')[1]).get('cursor')!
  const other = await world.ask(`/api/executions?cursor=${cursor}`, { key: world.client })
  expect(other.headers.get('x-error-code')).toBe('INVALID_CURSOR')
  const unknown = await world.ask('/api/executions?order=random', { key: world.client })
  expect(unknown.status).toBe(400)
})

test('a cursor is valid only for its own list and filters', async () => {
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

test('pages by offset match those of an unchanged list', async () => {
  const world = await peopledWorld()
  await fill(world, 5)
  const { json } = await world.ask('/api/users/user-1/executions?limit=2&offset=3', { key: world.client })
  expect(json.map(({ id }: { id: string }) => id)).toEqual([2, 1].map((n) => executionOf(n).id))
})

testAll([
  ['txHash', hashOf(2)],
  ['depositId', executionOf(2).id],
  ['status', 'SUCCESS,DEAD_LETTER'],
  ['createdTo', '2026-11-21T10:00:00.002Z'],
])('executions are found by every known attribute', async (name, value) => {
  const world = await peopledWorld()
  await fill(world, 1, { status: 'SUCCESS' })
  await world.store.executions.save(shown(2, world.clock.now + 2))
  const { json } = await world.ask(`/api/executions?${name}=${encodeURIComponent(value)}`, { key: world.client })
  expect(json.map(({ id }: { id: string }) => id)).toEqual([
    executionOf(name === 'status' || name === 'createdTo' ? 1 : 2).id,
  ])
})

testAll([
  'txhash=0x1',
  'limit=0',
  'txHash=0x1',
  'fromChainId=5',
  'createdFrom=yesterday',
  'status=',
  'depositAddress=0x1',
  'offset=1',
])('a misspelt or malformed filter is 400', async (query) => {
  const { ask, client } = await peopledWorld()
  for (const list of ['executions', 'deposits'])
    expect((await ask(`/api/${list}?${query}`, { key: client })).status).toBe(400)
})

test('a platform operator sees every organization with its name, and any other operator only its own', async () => {
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

test('an unchanged response is 304, and a changed one is not', async () => {
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
    withHistoryEntry(stored, {
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
