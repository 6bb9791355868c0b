import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { getAddress } from 'viem/utils'
import { readSigningLog } from '../../src/adapters/signer/signing-log-files'
import { chains } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { nextOf } from '../../src/http/views/next'
import type { SigningEntry } from '../../src/ports/signer'
import { orderCall, orderDigest, type Terms } from '../../src/protocols/executor/signed-order'
import { type Apart, startApart } from '../support/apart'
import { until } from '../support/environment'

const amountRaw = 25_000_000n
const thief = getAddress('0x00000000000000000000000000000000000bad01')
const base = chains.base.id

let world: Apart
beforeAll(async () => {
  world = await startApart()
}, 600_000)
afterAll(() => world?.stop(), 600_000)

/** The record of a user's only deposit, also before it is shown. */
const recordOf = async (userId: string): Promise<Execution | null> => {
  const found = await world.connection.db!.collection<{ _id: string }>('executions').findOne({ userId })
  return found && world.store.executions.load(found._id)
}

/** A user whose deposits go to Arbitrum, and a deposit of 25 USDC on Base. */
async function user() {
  const userId = world.newUserId()
  const { depositAddress } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const send = () => world.devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw, to: depositAddress })
  return { userId, account: depositAddress, send }
}

/** What the thief has by now, on both chains. */
const stolen = async () =>
  (await world.devnet.balanceOf('base', 'USDC', thief)) + (await world.devnet.balanceOf('arbitrum', 'USDC', thief))

const entriesOf = async (executionId: string) => {
  const entries: SigningEntry[] = []
  await readSigningLog(world.signer.logPath, (entry) => void (entry.executionId === executionId && entries.push(entry)))
  return entries
}
test('with each role apart a deposit arrives, and each process has the keys of its role and no other', async () => {
  const { userId, send } = await user()
  await send()
  const [execution] = await world.ended(userId, 1, 60_000)
  expect(execution!.status).toBe('SUCCESS')
  expect((await entriesOf(execution!.id)).map(({ event }) => event)).toEqual(['SIGNED'])
  const names = ['ROUTE_SIGNER_PRIVATE_KEY', 'RELAYER_PRIVATE_KEYS', 'INTENT_MAC_KEY', 'SIGNER_ACCESS_KEY'] as const
  const held = (role: string) => names.filter((name) => world.environments[role]![name])
  expect(held('api')).toEqual(['INTENT_MAC_KEY'])
  expect(held('worker')).toEqual(['RELAYER_PRIVATE_KEYS', 'SIGNER_ACCESS_KEY'])
  expect(held('scanner')).toEqual([])
  expect(held('signer')).toEqual(['ROUTE_SIGNER_PRIVATE_KEY', 'INTENT_MAC_KEY', 'SIGNER_ACCESS_KEY'])
  expect(world.environments['signer']!['MONGODB_URL']).toBeUndefined()
  // Neither key is in any process: two key management services hold them.
  const { routeSigner, relayers } = world.devnet.keys
  for (const key of [routeSigner, ...relayers]) expect(JSON.stringify(world.environments)).not.toContain(key)
}, 600_000)

test('a thief of the database, who rewrites an intent: its deposit stays where it is, and the operators are alarmed', async () => {
  const { userId, account, send } = await user()
  const intents = world.connection.db!.collection<{ _id: string }>('intents')
  await intents.updateOne({ _id: account }, { $set: { targetAddress: thief } })
  await send()
  await until('an alarm', 60_000, async () => (await recordOf(userId))?.cause?.code === 'INTENT_NOT_SEALED')
  expect(readFileSync(world.logOf('worker'), 'utf8')).toContain('"event":"INTENT_NOT_SEALED"')
  expect(await world.devnet.balanceOf('base', 'USDC', account)).toBe(amountRaw)
  expect(await stolen()).toBe(0n)
}, 600_000)

test('while the signer is away a deposit waits and says so, and goes on by itself when it is back', async () => {
  const { userId, send } = await user()
  await world.kill('signer')
  await send()
  const waiting = await until('a deposit that waits for the signer', 60_000, async () => {
    const one = await recordOf(userId)
    return one?.facts.waiting?.for === 'SIGNER' ? one : null
  })
  expect(waiting.retryCount).toBe(0)
  const next = nextOf(waiting, Date.now())
  expect(next).toMatchObject({ actor: 'SERVICE', message: expect.stringContaining('What signs its transaction') })
  await world.start('signer')
  expect((await world.ended(userId, 1, 60_000))[0]!.status).toBe('SUCCESS')
}, 600_000)

test('while a key management service gives no signature a deposit waits and spends no retry, for the order and then for the transaction', async () => {
  const { aws, gcp } = world.kms
  const { userId, send } = await user()
  aws.fail('Sign', 'ThrottlingException')
  gcp.fail('asymmetricSign', 'UNAVAILABLE')
  await send()
  const waitingWith = (hasOrder: boolean) =>
    until(`a deposit that waits ${hasOrder ? 'with' : 'for'} its order`, 60_000, async () => {
      const one = await recordOf(userId)
      return one?.facts.waiting?.for === 'SIGNER' && Boolean(one.facts.order) === hasOrder ? one : null
    })
  expect((await waitingWith(false)).retryCount).toBe(0)
  aws.mend()
  expect((await waitingWith(true)).retryCount).toBe(0)
  gcp.mend()
  const [execution] = await world.ended(userId, 1, 60_000)
  expect(execution!.status).toBe('SUCCESS')
  expect((await recordOf(userId))!.retryCount).toBe(0)
}, 600_000)

test('a thief of one key moves nothing: it takes the signer’s and a relayer’s together', async () => {
  const { devnet, clients } = world
  const { account, send } = await user()
  const { routeSigner, relayers } = devnet.keys
  const [signerKey, relayerKey] = [routeSigner, relayers[0]!]
  const own: Hex = `0x${'7'.repeat(64)}`
  /** Whether the chain would carry out an order of all that the account holds to the thief. */
  const works = async (signedBy: Hex, sentBy: Hex): Promise<boolean> => {
    const order = await orderToThief(account, signedBy)
    const call = { to: devnet.contracts.executor, data: orderCall(order), gas: 1_500_000n }
    return clients.base.call({ account: privateKeyToAccount(sentBy), ...call }).then(
      () => true,
      () => false,
    )
  }
  await world.kill('worker') // the deposit stays where it is
  await send()
  await until('the deposit', 60_000, async () => (await devnet.balanceOf('base', 'USDC', account)) === amountRaw)
  expect(await works(relayerKey, relayerKey)).toBe(false)
  expect(await works(signerKey, own)).toBe(false)
  expect(await works(own, own)).toBe(false)
  // Both together can: that the others cannot is not for another reason.
  expect(await works(signerKey, relayerKey)).toBe(true)
}, 600_000)

const headOf = async () => {
  const { timestamp } = await world.clients.base.getBlock()
  return { time: Number(timestamp) }
}

/** An order that pays all of a deposit to the thief, on its own chain and in its own token. */
async function orderToThief(account: Address, key: Hex) {
  const { devnet, store } = world
  const token = devnet.chains[base].tokens['USDC']!.address
  const { accountSalt } = (await store.accounts.load(account))!
  const terms: Terms = {
    routeId: `0x${'b'.repeat(64)}`,
    accountSalt,
    account,
    chainId: base,
    kind: 'DIRECT',
    token,
    amountIn: String(amountRaw),
    minSpent: String(amountRaw),
    protocolFee: '0',
    gasFee: '0',
    collector: devnet.keys.collector,
    intent: { toChainId: base, tokenOut: token, recipient: thief, minOut: String(amountRaw) },
    ...{ target: zeroAddress, spender: zeroAddress, nativeFee: '0', data: '0x' },
    minGas: '110000',
    deadline: (await headOf()).time + 100,
  }
  const id = orderDigest(terms, { chainId: base, executor: devnet.contracts.executor })
  return { ...terms, id, signature: await privateKeyToAccount(key).sign({ hash: id }), gasLimit: '1500000' }
}
