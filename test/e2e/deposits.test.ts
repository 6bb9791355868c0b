import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { type ChainKey, chains } from '../../src/domain/chain/chain'
import type { Hash } from '../../src/domain/chain/hex'
import { type Environment, startEnvironment } from '../support/environment'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment()
})
afterAll(() => environment?.stop())

const toArbitrum = { to: 'arbitrum', receive: 'USDC' } as const

test('the first route after an intent deploys the account, and the money arrives', async () => {
  const { api, devnet, clients, newUserId, intend, ended } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  const sent = { chainKey: 'base', token: 'USDC', amountRaw: 25_000_000n, to: depositAddress } as const
  expect(await clients.base.getCode({ address: depositAddress })).toBeUndefined()

  await devnet.sendDeposit(sent)
  const [execution] = await ended(userId, 1)
  expect(execution).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
  expect(await clients.base.getCode({ address: depositAddress })).toMatch(/^0x[0-9a-f]{90,}$/)
  expect(await devnet.balanceOf('base', 'USDC', depositAddress)).toBe(0n)
  const { delivery, fees } = execution!.facts
  expect(await devnet.balanceOf('arbitrum', 'USDC', recipientOf(userId))).toBe(BigInt(delivery!.amountRaw))
  expect(BigInt(fees!.amountForSwapRaw)).toBe(
    25_000_000n - BigInt(fees!.protocolFeeEffective) - BigInt(fees!.gasFeeRaw),
  )
  expect(await api.executions(userId)).toMatchObject([
    { id: execution!.id, status: 'SUCCESS', amountIn: '25000000', txHash: execution!.facts.spent!.hash },
  ])
})

test('a deposit before its intent waits, is in no list of executions, and is routed once the intent is created', async () => {
  const { api, devnet, installation, store, newUserId, intend, ended } = environment
  const userId = newUserId()
  const made = await fetch(`${installation.apiUrl}/api/accounts`, {
    method: 'POST',
    headers: { 'x-api-key': installation.keys.client, 'content-type': 'application/json' },
    body: JSON.stringify({ ownerAddress: userId, chainKey: 'polygon' }),
  })
  expect(made.status).toBe(201)
  const { modularAccountAddress: account } = (await made.json()) as { modularAccountAddress: `0x${string}` }

  await devnet.sendDeposit({ chainKey: 'polygon', token: 'USDC', amountRaw: 7_000_000n, to: account })
  await until('a deposit that waits for its intent', async (note) => {
    const waiting = await store.executions.waitingForIntent(account)
    return note(waiting).length === 1
  })
  expect(await api.executions(userId)).toEqual([])
  expect(await devnet.balanceOf('polygon', 'USDC', account)).toBe(7_000_000n)

  expect((await intend(userId, toArbitrum)).depositAddress).toBe(account)
  expect(await ended(userId, 1)).toMatchObject([{ status: 'SUCCESS', deposit: { amountRaw: '7000000' } }])
})

test('a deposit of native coin is routed like any other', async () => {
  const { devnet, newUserId, intend, ended } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  await devnet.sendDeposit({ chainKey: 'avalanche', token: 'native', amountRaw: 10n ** 18n, to: depositAddress })
  expect(await ended(userId, 1)).toMatchObject([{ status: 'SUCCESS', deposit: { amountRaw: '1000000000000000000' } }])
})

test('a webhook that arrives fifty times leads to one execution', async () => {
  const { devnet, newUserId, intend, ended, executionsOf, webhookOf, postWebhook, routesExecuted } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  const hash = await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 9_000_000n, to: depositAddress })
  const { body, signature } = await webhookOf(hash)
  const fiftyTimes = async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => postWebhook(body, signature)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  }
  await fiftyTimes()
  expect(await ended(userId, 1)).toMatchObject([{ status: 'SUCCESS' }])

  await fiftyTimes()
  await depositedMeanwhile('base')
  expect(await executionsOf(userId)).toHaveLength(1)
  expect((await routesExecuted()).filter(({ account }) => account === depositAddress)).toHaveLength(1)
})

test('two deposits of one token to one account in one second are two executions, each with its own amount', async () => {
  const { devnet, newUserId, intend, ended, routesExecuted } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  const amounts = [3_000_000n, 5_000_000n]
  for (const amountRaw of amounts)
    await devnet.sendDeposit({ chainKey: 'polygon', token: 'USDC', amountRaw, to: depositAddress })
  const both = await ended(userId, 2)
  expect(both.map(({ status }) => status)).toEqual(['SUCCESS', 'SUCCESS'])
  expect(both.map(({ deposit }) => deposit.amountRaw).toSorted()).toEqual(['3000000', '5000000'])
  expect(both.map(({ facts }) => facts.spent!.amountRaw).toSorted()).toEqual(['3000000', '5000000'])
  const routes = (await routesExecuted()).filter(({ account }) => account === depositAddress)
  expect(new Set(routes.map(({ routeId }) => routeId)).size).toBe(2)
  const delivered = both.reduce((sum, { facts }) => sum + BigInt(facts.delivery!.amountRaw), 0n)
  expect(await devnet.balanceOf('arbitrum', 'USDC', recipientOf(userId))).toBe(delivered)
})

test('a thief of Alchemy’s signing key causes work but moves no money, because reports are verified on the chain', async () => {
  const { devnet, newUserId, intend, ended, webhookOf, postWebhook, executionsOf, sign } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  const amountRaw = 4_000_000n
  const send = () => devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: depositAddress })
  const hash = await send()
  await ended(userId, 1)
  const { body } = await webhookOf(hash)
  const invented = body.replaceAll(hash, `0x${'cd'.repeat(32)}`)
  const inflated = body.replaceAll('3d0900', '3d090000')
  expect([body === invented, body === inflated]).toEqual([false, false])
  for (const forged of [invented, inflated]) expect((await postWebhook(forged, sign('base', forged))).status).toBe(200)
  const later = await send()
  await ended(userId, 2)
  const found = (await executionsOf(userId)).map(({ deposit }) => [deposit.txHash, deposit.amountRaw])
  expect(found).toEqual([hash, later].map((each) => [each, `${amountRaw}`]))
})

test('an unsigned or forged webhook gets 401 and leaves no trace in the database', async () => {
  const { devnet, newUserId, intend, ended, webhookOf, postWebhook, countDocuments, connection, sign } = environment
  const userId = newUserId()
  const { depositAddress } = await intend(userId, toArbitrum)
  const hash = await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 4_000_000n, to: depositAddress })
  await ended(userId, 1)
  const { body, signature } = await webhookOf(hash)
  const invented: Hash = `0x${'ab'.repeat(32)}`
  const forged = body.replaceAll(hash, invented)
  const before = await countDocuments()

  for (const given of [null, '', signature, sign('base', `${forged} `), '0'.repeat(64), 'x'])
    expect((await postWebhook(forged, given)).status).toBe(401)
  await depositedMeanwhile('base')
  const { accounts, ...others } = await countDocuments()
  expect({ ...others, accounts }).toMatchObject({ sightings: (before['sightings'] ?? 0) + 1 })
  for (const name of Object.keys(others)) {
    const stored = await connection.db!.collection(name).find().toArray()
    expect(JSON.stringify(stored)).not.toContain(invented.slice(2))
  }
})

test('a signed webhook with a false amount and token changes nothing, because the chain is read', async () => {
  const { devnet, newUserId, intend, ended, executionsOf, webhookOf, postWebhook, sign, store } = environment
  const [template, userId] = [newUserId('honest'), newUserId('lied-about')]
  const honest = await intend(template, toArbitrum)
  const other = await intend(userId, toArbitrum)
  const chainKey: ChainKey = 'base'
  const known = await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 1_000_000n, to: honest.depositAddress })
  const { body } = await webhookOf(known)
  await ended(template, 1)

  const hash = await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 2_000_000n, to: other.depositAddress })
  const lie = (about: Hash, address: string) =>
    body
      .replaceAll(known, about)
      .replaceAll(honest.depositAddress.toLowerCase().slice(2), address.toLowerCase().slice(2))
      .replaceAll(1_000_000n.toString(16), 900_000_000_000n.toString(16))
      .replaceAll(devnet.chains[chains.base.id].tokens['USDC']!.address.toLowerCase(), `0x${'12'.repeat(20)}`)
  const neverSent = lie(`0x${'cd'.repeat(32)}`, other.depositAddress)
  for (const text of [lie(hash, other.depositAddress), neverSent])
    expect((await postWebhook(text, sign(chainKey, text))).status).toBe(200)

  const usdc = devnet.chains[chains.base.id].tokens['USDC']!.address
  const told = { status: 'SUCCESS', deposit: { amountRaw: '2000000', token: usdc, txHash: hash } } as const
  expect(await ended(userId, 1)).toMatchObject([told])
  await depositedMeanwhile(chainKey)
  expect(await executionsOf(userId)).toHaveLength(1)
  expect(await store.executions.load(`${chains.base.id}:0x${'cd'.repeat(32)}:0`)).toBeNull()
})

/** Waits until a later deposit on this chain has ended, which means that every earlier event was processed. */
async function depositedMeanwhile(chainKey: ChainKey): Promise<void> {
  const { devnet, newUserId, intend, ended } = environment
  const userId = newUserId('meanwhile')
  const { depositAddress } = await intend(userId, toArbitrum)
  await devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 6_000_000n, to: depositAddress })
  await ended(userId, 1)
}
