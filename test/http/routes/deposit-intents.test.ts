import { expect, test } from 'bun:test'
import { isSealed } from '../../../src/domain/seals'
import { executionOf } from '../../support/deposits'
import { seals } from '../../support/seals'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, usdc } from '../world'

const body = { userId: 'user-1', ...target }
const zero = `0x${'0'.repeat(40)}`

test('creating is 201 and repeating 200, and the address stays while the destination moves', async () => {
  const { ask, client, clock } = await peopledWorld()
  const created = await ask('/api/deposit-intents', { key: client, body })
  clock.now += 1_000
  const updated = await ask('/api/deposit-intents', {
    key: client,
    body: { ...body, targetChainId: 8453, targetTokenAddress: zero },
  })
  expect([created.status, updated.status]).toEqual([201, 200])
  expect(created.json).toEqual({
    userId: 'user-1',
    depositAddress: created.json.depositAddress,
    targetChainId: 42161,
    targetChainKey: 'arbitrum',
    targetTokenAddress: usdc.arbitrum,
    targetAddress: target.targetAddress,
    protocolFeeBps: 50,
    sponsoredGas: false,
    createdAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:00:00.000Z',
  })
  expect(updated.json).toEqual({
    ...created.json,
    targetChainId: 8453,
    targetChainKey: 'base',
    targetTokenAddress: zero,
    updatedAt: '2026-11-21T10:00:01.000Z',
  })
  expect((await ask('/api/users/user-1/deposit-intent', { key: client })).json).toEqual(updated.json)
})

test('the fee settings are those of the key at creation, whatever happens to the key', async () => {
  const world = await peopledWorld()
  await world.ask('/api/deposit-intents', { key: world.client, body })
  const dear = await world.key('org_a', 'CLIENT', { protocolFeeBps: 900, sponsoredGas: true })
  const { json } = await world.ask('/api/deposit-intents', { key: dear, body })
  expect([json.protocolFeeBps, json.sponsoredGas]).toEqual([50, false])
})

testAll([
  ['an unknown chain', { targetChainId: 5 }, 'Invalid target chain ID'],
  ['a chain as text', { targetChainId: '8453' }, 'Invalid target chain ID'],
  ['a token that is not an address', { targetTokenAddress: '0x12' }, 'Invalid target token address'],
  ['a recipient that is not an address', { targetAddress: 'alice.eth' }, 'Invalid target address'],
  [
    'a recipient whose checksum is wrong',
    { targetAddress: '0x1DE3D712f5D3103AD50e22dc1f4d3Ff1559D5115' },
    'Invalid target address',
  ],
  ['the zero address as the recipient', { targetAddress: zero }, 'Invalid target address'],
  ['no user', { userId: undefined }, 'userId is required'],
  ['no chain', { targetChainId: undefined }, 'targetChainId is required'],
  ['no token', { targetTokenAddress: undefined }, 'targetTokenAddress is required'],
  ['no recipient', { targetAddress: undefined }, 'targetAddress is required'],
  ['an empty user', { userId: '' }, 'userId must be 1 to 256 characters, none a control character'],
  [
    'a user of 257 characters',
    { userId: 'x'.repeat(257) },
    'userId must be 1 to 256 characters, none a control character',
  ],
  [
    'a user with a control character',
    { userId: 'a\u0000b' },
    'userId must be 1 to 256 characters, none a control character',
  ],
  [
    'a user with half a character',
    { userId: 'a\ud800' },
    'userId must be 1 to 256 characters, none a control character',
  ],
  ['a user with U+FFFD', { userId: 'a\ufffd' }, 'userId must be 1 to 256 characters, none a control character'],
  ['a user that is a number', { userId: 7 }, 'userId must be 1 to 256 characters, none a control character'],
  ['a malformed refund address', { refundAddress: '0x1' }, 'refundAddress must be an EVM address or null'],
])('a malformed intent is 400', async (_case, change, message) => {
  const { ask, client, store } = await peopledWorld()
  const { status, json, headers } = await ask('/api/deposit-intents', { key: client, body: { ...body, ...change } })
  expect([status, json, headers.get('x-error-code')]).toEqual([
    400,
    { statusCode: 400, message, error: 'Bad Request' },
    'VALIDATION_FAILED',
  ])
  expect(store.intents.all()).toEqual([])
})

testAll([
  ['lower case', target.targetAddress.toLowerCase()],
  ['upper case', `0x${target.targetAddress.slice(2).toUpperCase()}`],
  ['a valid checksum', target.targetAddress],
])('an address is accepted in any case and returned checksummed', async (_case, targetAddress) => {
  const { ask, client } = await peopledWorld()
  const { json } = await ask('/api/deposit-intents', { key: client, body: { ...body, targetAddress } })
  expect(json.targetAddress).toBe(target.targetAddress)
})

test('only intents with a refund address return one, and it stays until it is withdrawn', async () => {
  const { ask, client } = await peopledWorld()
  const put = (change: object) => ask('/api/deposit-intents', { key: client, body: { ...body, ...change } })
  expect('refundAddress' in (await put({})).json).toBe(false)
  expect((await put({ refundAddress: target.targetAddress })).json.refundAddress).toBe(target.targetAddress)
  expect((await put({})).json.refundAddress).toBe(target.targetAddress)
  expect('refundAddress' in (await put({ refundAddress: null })).json).toBe(false)
})

test('unknown fields are ignored and never returned', async () => {
  const { ask, client, store } = await peopledWorld()
  const raw = JSON.stringify({ ...body, protocolFeeBps: 0, organizationId: 'org_b', extra: 'secret' }).replace(
    '{',
    '{"__proto__":{"role":"OPERATOR"},',
  )
  const { status, json, text } = await ask('/api/deposit-intents', { key: client, raw })
  expect([status, json.protocolFeeBps]).toEqual([201, 50])
  expect(text).not.toContain('secret')
  expect(JSON.stringify(store.intents.all())).not.toContain('secret')
  expect(store.intents.all()[0]!.organizationId).toBe('org_a')
})

test('50 simultaneous creates of one user make one account and one intent, with exactly one 201', async () => {
  const { ask, client, store } = await peopledWorld()
  const answers = await Promise.all(
    Array.from({ length: 50 }, () => ask('/api/deposit-intents', { key: client, body })),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBe(1)
  expect(answers.filter(({ status }) => status === 200).length).toBe(49)
  expect([store.accounts.all().length, store.intents.all().length]).toEqual([1, 1])
  expect(new Set(answers.map(({ json }) => json.depositAddress)).size).toBe(1)
})

test('50 different simultaneous updates succeed, and the last stored one is returned', async () => {
  const { ask, client } = await peopledWorld()
  const recipient = (n: number) => `0x${(n + 1).toString(16).padStart(40, '1')}`
  const answers = await Promise.all(
    Array.from({ length: 50 }, (_, n) =>
      ask('/api/deposit-intents', { key: client, body: { ...body, targetAddress: recipient(n) } }),
    ),
  )
  expect(answers.filter(({ status }) => status === 201).length).toBe(1)
  const { json } = await ask('/api/users/user-1/deposit-intent', { key: client })
  expect(answers.map(({ text }) => text)).toContain(JSON.stringify(json))
})

test('an intent wakes the deposits that wait for it', async () => {
  const { ask, client, store, woken } = await peopledWorld()
  const { json } = await ask('/api/accounts', { key: client, body: { ownerAddress: 'user-1', chainKey: 'base' } })
  const waiting = executionOf(1, { organizationId: 'org_a' }, { account: json.modularAccountAddress })
  await store.executions.save(waiting)
  await ask('/api/deposit-intents', { key: client, body })
  expect(woken).toEqual([waiting.id])
})

test('a user without an intent is 404, like another organization’s', async () => {
  const { ask, client, stranger } = await peopledWorld()
  await ask('/api/deposit-intents', { key: client, body })
  const unknown = await ask('/api/users/user-2/deposit-intent', { key: client })
  const foreign = await ask('/api/users/user-1/deposit-intent', { key: stranger })
  expect(unknown.json).toEqual({ statusCode: 404, message: 'No deposit intent for this user', error: 'Not Found' })
  expect([foreign.status, foreign.text]).toEqual([unknown.status, unknown.text])
})

test('the same user id in two organizations has two addresses', async () => {
  const { ask, client, stranger } = await peopledWorld()
  const [ours, theirs] = [
    await ask('/api/deposit-intents', { key: client, body }),
    await ask('/api/deposit-intents', { key: stranger, body }),
  ]
  expect([ours.status, theirs.status]).toEqual([201, 201])
  expect(ours.json.depositAddress).not.toBe(theirs.json.depositAddress)
})

test('a change discards and does not seal fields that no integrator set', async () => {
  const { ask, client, store, bugs } = await peopledWorld()
  const { json } = await ask('/api/deposit-intents', { key: client, body })
  const honest = (await store.intents.load(json.depositAddress))!
  expect(isSealed(seals, honest)).toBe(true)
  const thief = '0x2000000000000000000000000000000000000002'
  await store.intents.save({ ...honest, refundAddress: thief, protocolFeeBps: 0, sponsoredGas: true })

  const again = await ask('/api/deposit-intents', { key: client, body })
  const mended = (await store.intents.load(json.depositAddress))!
  expect([again.status, isSealed(seals, mended)]).toEqual([200, true])
  expect(mended).toMatchObject({ refundAddress: null, protocolFeeBps: 50, sponsoredGas: false, version: 3 })
  expect(bugs.map(String)).toEqual([`Error: The stored intent of ${json.depositAddress} carries no seal of ours`])
})
