import { expect, test } from 'bun:test'
import { concatHex, getAddress, keccak256 } from 'viem/utils'
import { chainIds } from '../../../src/domain/chain/chain'
import { testAll } from '../../support/test-all'
import { peopledWorld, target } from '../world'

const body = { ownerAddress: 'user-1', chainKey: 'polygon' }

test('an account is 201 with its label, and repeating the request returns the same and adopts a new label', async () => {
  const { ask, client, clock } = await peopledWorld()
  const first = await ask('/api/accounts', { key: client, body })
  clock.now += 1_000
  const second = await ask('/api/accounts', { key: client, body: { ...body, chainKey: 'base', label: 'Alice' } })
  expect([first.status, second.status]).toEqual([201, 201])
  expect(first.json).toEqual({
    userId: 'user-1',
    modularAccountAddress: first.json.modularAccountAddress,
    canonicalChainId: 137,
    canonicalChainKey: 'polygon',
    supportedChains: chainIds,
    label: null,
    createdAt: '2026-11-21T10:00:00.000Z',
    updatedAt: '2026-11-21T10:00:00.000Z',
  })
  expect(second.json).toEqual({ ...first.json, label: 'Alice', updatedAt: '2026-11-21T10:00:01.000Z' })
  const { label: _, createdAt: __, updatedAt: ___, ...account } = first.json
  expect((await ask('/api/users/user-1/account', { key: client })).json).toEqual(account)
})

test('the canonical chain is the first one named, by the account or the first intent', async () => {
  const { ask, client } = await peopledWorld()
  await ask('/api/deposit-intents', { key: client, body: { userId: 'user-2', ...target } })
  await ask('/api/accounts', { key: client, body: { ...body, ownerAddress: 'user-2' } })
  const { json } = await ask('/api/users/user-2/account', { key: client })
  expect(json.canonicalChainId).toBe(42161)
})

testAll([
  ['an unknown chain', { chainKey: 'solana' }],
  ['a chain of the prototype', { chainKey: 'constructor' }],
  ['no chain', { chainKey: undefined }],
  ['no user', { ownerAddress: undefined }],
  ['a label of 257 characters', { label: 'x'.repeat(257) }],
  ['a label with a control character', { label: 'a\u0007' }],
])('a malformed account is 400', async (_case, change) => {
  const { ask, client, store } = await peopledWorld()
  expect((await ask('/api/accounts', { key: client, body: { ...body, ...change } })).status).toBe(400)
  expect(store.accounts.all()).toEqual([])
})

test('a user without an account is 404, like another organization’s', async () => {
  const { ask, client, stranger } = await peopledWorld()
  await ask('/api/accounts', { key: client, body })
  const unknown = await ask('/api/users/user-9/account', { key: client })
  const foreign = await ask('/api/users/user-1/account', { key: stranger })
  expect(unknown.json).toEqual({ statusCode: 404, message: 'No account for this user', error: 'Not Found' })
  expect([foreign.status, foreign.text]).toEqual([404, unknown.text])
})

test('a user identifier is used byte for byte, with any content', async () => {
  const { ask, client } = await peopledWorld()
  const users = ['a/b', 'a b', 'ä', 'a\u0308', '…', '%2F', '😀', "'; drop table users", '{"$gt":""}']
  const addresses = new Set<string>()
  for (const ownerAddress of users) {
    const made = await ask('/api/accounts', { key: client, body: { ...body, ownerAddress } })
    const { json } = await ask(`/api/users/${encodeURIComponent(ownerAddress)}/account`, { key: client })
    expect([made.status, json?.userId]).toEqual([201, ownerAddress])
    addresses.add(json.modularAccountAddress)
  }
  expect(addresses.size).toBe(users.length)
})

test('the proof of an address verifies by its own content', async () => {
  const { ask, client, stranger, operator } = await peopledWorld()
  const { json: account } = await ask('/api/accounts', { key: client, body })
  const path = `/api/accounts/${account.modularAccountAddress}/proof`
  const { json, status } = await ask(path, { key: operator })
  const packed = concatHex(['0xff', json.registryAddress, json.accountSalt, keccak256(json.initCode)])
  expect(status).toBe(200)
  expect(getAddress(`0x${keccak256(packed).slice(26)}`)).toBe(account.modularAccountAddress)
  expect((await ask(path, { key: stranger })).status).toBe(404)
  expect((await ask(path.toLowerCase(), { key: client })).status).toBe(200)
})

test('a sender is shown the address, the accepted tokens, and a notice while there is no intent', async () => {
  const { ask, client } = await peopledWorld()
  await ask('/api/accounts', { key: client, body })
  const before = await ask('/api/users/user-1/deposit-address', { key: client })
  await ask('/api/deposit-intents', { key: client, body: { userId: 'user-1', ...target } })
  const after = await ask('/api/users/user-1/deposit-address', { key: client })
  expect([before.json.hasIntent, before.json.targetChainId, before.json.notices.length]).toEqual([false, null, 3])
  expect([after.json.hasIntent, after.json.targetTokenSymbol, after.json.notices.length]).toEqual([true, 'USDC', 2])
  expect(after.json.accepts[0].fromTokenSymbol).toBe('USDC')
  const native = after.json.accepts.find(({ fromTokenAddress }: { fromTokenAddress: string }) =>
    /^0x0+$/.test(fromTokenAddress),
  )
  expect(native.paymentUri).toBe(`ethereum:${after.json.depositAddress}@${native.fromChainId}`)
  expect((await ask('/api/users/user-2/deposit-address', { key: client })).status).toBe(404)
})
