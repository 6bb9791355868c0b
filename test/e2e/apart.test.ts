import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { privateKeyToAccount } from 'viem/accounts'
import { getAddress } from 'viem/utils'
import { connectNats } from '../../src/adapters/nats/connection'
import { readSigningLog } from '../../src/adapters/signer/signing-log-files'
import { acceptLog } from '../../src/cli/verbs/signing-log'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { chains } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { pointersText, wakeText } from '../../src/domain/wake-messages'
import { nextOf } from '../../src/http/views/next'
import type { SigningEntry } from '../../src/ports/signer'
import { orderCall, orderDigest, type Terms } from '../../src/protocols/executor/signed-order'
import { type Apart, startApart } from '../support/apart'
import { nightly } from '../support/depth'
import { newAddress } from '../support/order-world'
import { until } from '../support/until'

const amountRaw = 25_000_000n
const thief = getAddress('0x00000000000000000000000000000000000bad01')
const base = chains.base.id

let world: Apart
beforeAll(async () => {
  world = await startApart()
})
afterAll(() => world?.stop())

/** The record of a user's only deposit, even before it is shown. */
const recordOf = async (userId: string): Promise<Execution | null> => {
  const found = await world.connection.db!.collection<{ _id: string }>('executions').findOne({ userId })
  return found && world.store.executions.load(found._id)
}

/** Creates a user whose deposits go to Arbitrum. `send` deposits 25 USDC, or another token, on Base. */
async function user({ token = 'USDC', ...more }: { token?: string; refundAddress?: Address } = {}) {
  const userId = world.newUserId()
  const { depositAddress } = await world.intend(userId, { to: 'arbitrum', receive: 'USDC', ...more })
  const send = () => world.devnet.sendDeposit({ chainKey: 'base', token, amountRaw, to: depositAddress })
  return { userId, account: depositAddress, send }
}

/** A deposit of a token without a cap in the contracts, after its execution has ended. */
async function uncapped(refundAddress: Address) {
  const made = await user({ token: 'SY-NOCAP', refundAddress })
  await made.send()
  const [execution] = await world.ended(made.userId, 1)
  return { ...made, execution: execution! }
}

async function api(path: string, body?: object) {
  const { apiUrl, keys } = world.installation
  const headers = { 'x-api-key': keys.platformOperator, 'content-type': 'application/json' }
  const asked = { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) }
  const answer = await fetch(`${apiUrl}/api/${path}`, asked)
  return { status: answer.status, json: await answer.json() }
}
const refund = (id: string) =>
  api(`operator/executions/${encodeURIComponent(id)}/refund`, { reason: 'The contracts have no cap for it' })

/** The thief's balance on both chains. */
const stolen = async () =>
  (await world.devnet.balanceOf('base', 'USDC', thief)) + (await world.devnet.balanceOf('arbitrum', 'USDC', thief))

const entriesOf = async (executionId: string) => {
  const entries: SigningEntry[] = []
  await readSigningLog(world.signer.logPath, (entry) => void (entry.executionId === executionId && entries.push(entry)))
  return entries
}
test('a deposit arrives with each role in its own process, and each process has only its role’s keys', async () => {
  const { userId, send } = await user()
  await send()
  const [execution] = await world.ended(userId, 1)
  expect(execution!.status).toBe('SUCCESS')
  expect((await entriesOf(execution!.id)).map(({ event }) => event)).toEqual(['SIGNED'])
  const names = ['ROUTE_SIGNER_PRIVATE_KEY', 'RELAYER_PRIVATE_KEYS', 'INTENT_MAC_KEY', 'SIGNER_ACCESS_KEY'] as const
  const held = (role: string) => names.filter((name) => world.environments[role]![name])
  expect(held('api')).toEqual(['INTENT_MAC_KEY'])
  expect(held('worker')).toEqual(['RELAYER_PRIVATE_KEYS', 'SIGNER_ACCESS_KEY'])
  expect(held('scanner')).toEqual([])
  expect(held('signer')).toEqual(['ROUTE_SIGNER_PRIVATE_KEY', 'INTENT_MAC_KEY', 'SIGNER_ACCESS_KEY'])
  expect(world.environments['signer']!['MONGODB_URL']).toBeUndefined()
  // No process has either key: two key management services hold them.
  const { routeSigner, relayers } = world.devnet.keys
  for (const key of [routeSigner, ...relayers]) expect(JSON.stringify(world.environments)).not.toContain(key)
})

test('an intent rewritten in the database moves no money, and operators get an alarm', async () => {
  const { userId, account, send } = await user()
  const intents = world.connection.db!.collection<{ _id: string }>('intents')
  await intents.updateOne({ _id: account }, { $set: { targetAddress: thief } })
  await send()
  await until('an alarm', async (note) => note(await recordOf(userId))?.cause?.code === 'INTENT_NOT_SEALED')
  expect(readFileSync(world.logOf('worker'), 'utf8')).toContain('"event":"INTENT_NOT_SEALED"')
  expect(await world.devnet.balanceOf('base', 'USDC', account)).toBe(amountRaw)
  expect(await stolen()).toBe(0n)
})

test('a token without a cap is refunded to the refund address, signed in a separate process, and reported', async () => {
  const { devnet } = world
  const refundAddress = newAddress()
  const { userId, account, execution } = await uncapped(refundAddress)
  const first = `executions/${encodeURIComponent(execution.id)}`
  expect((await api(first)).json).toMatchObject({
    status: 'FAILED_INVALID_INPUT',
    funds: { holder: 'DEPOSIT_ACCOUNT', amount: `${amountRaw}` },
    next: { actor: 'OPERATOR', message: expect.stringContaining('can refund it to the refund address') },
  })
  expect(await refund(execution.id)).toMatchObject({ status: 202, json: { redriveOf: execution.id } })
  const again = await world.ended(userId, 2)
  const { id } = again.find(({ redriveOf }) => redriveOf === execution.id)!
  const { json } = await api(`executions/${encodeURIComponent(id)}`)
  expect(json).toMatchObject({
    status: 'SUCCESS',
    amountOut: `${amountRaw}`,
    funds: { holder: 'RECIPIENT', address: refundAddress, chainKey: 'base', tokenSymbol: 'SY-NOCAP', refund: true },
    next: { actor: 'NOBODY', message: 'Refunded to the refund address.' },
    fees: {
      protocolFeeEffective: '0',
      gasFeeRaw: '0',
      gasFeeSkipReason: 'SPONSORED',
      amountForSwapRaw: `${amountRaw}`,
    },
  })
  const statuses = json.history.map(({ status }: { status: string }) => status)
  expect([...new Set(statuses)]).toEqual([null, 'PENDING', 'RUNNING', 'SUCCESS'])
  expect((await api(first)).json).toMatchObject({
    funds: { holder: 'NONE' },
    next: { action: 'FOLLOW', executionId: id },
  })
  expect(await entriesOf(id)).toMatchObject([{ event: 'SIGNED', kind: 'REFUND', intent: { recipient: refundAddress } }])
  expect(await devnet.balanceOf('base', 'SY-NOCAP', refundAddress)).toBe(amountRaw)
  expect(await devnet.balanceOf('base', 'SY-NOCAP', account)).toBe(0n)
  expect((await refund(id)).status).toBe(409)
})

test('a refund address rewritten in the database gets no money, and operators get an alarm', async () => {
  const { account, execution } = await uncapped(newAddress())
  const intents = world.connection.db!.collection<{ _id: string }>('intents')
  await intents.updateOne({ _id: account }, { $set: { refundAddress: thief } })
  const { json } = await refund(execution.id)
  await until(
    'an alarm',
    async (note) => note(await world.store.executions.load(json.id))?.cause?.code === 'INTENT_NOT_SEALED',
  )
  expect(await entriesOf(json.id)).toEqual([])
  expect(await world.devnet.balanceOf('base', 'SY-NOCAP', account)).toBe(amountRaw)
  expect(await world.devnet.balanceOf('base', 'SY-NOCAP', thief)).toBe(0n)
})

test('a deposit waits and shows so while the signer is down, and continues automatically afterwards', async () => {
  const { userId, send } = await user()
  await world.kill('signer')
  await send()
  const waiting = await until('a deposit that waits for the signer', async (note) => {
    const one = note(await recordOf(userId))
    return one?.facts.waiting?.for === 'SIGNER' ? one : null
  })
  expect(waiting.retryCount).toBe(0)
  const next = nextOf(waiting, Date.now())
  expect(next).toMatchObject({ actor: 'SERVICE', message: expect.stringContaining('The signer is unreachable') })
  await world.start('signer')
  expect((await world.ended(userId, 1))[0]!.status).toBe('SUCCESS')
})

nightly(
  'a deposit waits without a retry while a key management service fails, for the order and for the transaction',
  async () => {
    const { aws, gcp } = world.kms
    const { userId, send } = await user()
    aws.fail('Sign', 'ThrottlingException')
    gcp.fail('asymmetricSign', 'UNAVAILABLE')
    await send()
    const waitingWith = (hasOrder: boolean) =>
      until(`a deposit that waits ${hasOrder ? 'with' : 'for'} its order`, async (note) => {
        const one = note(await recordOf(userId))
        return one?.facts.waiting?.for === 'SIGNER' && Boolean(one.facts.order) === hasOrder ? one : null
      })
    expect((await waitingWith(false)).retryCount).toBe(0)
    aws.mend()
    expect((await waitingWith(true)).retryCount).toBe(0)
    gcp.mend()
    const [execution] = await world.ended(userId, 1)
    expect(execution!.status).toBe('SUCCESS')
    expect((await recordOf(userId))!.retryCount).toBe(0)
  },
)

nightly(
  'a truncated signing log is detected even after restarts, and nothing is sent until an operator accepts it',
  async () => {
    const { signer, store } = world
    await Promise.all([world.kill('signer'), world.kill('worker')])
    const [first] = readFileSync(signer.logPath, 'utf8').split('\n')
    writeFileSync(signer.logPath, `${first}\n`)
    await Promise.all([world.start('signer'), world.start('worker')])
    const { userId, send } = await user()
    await send()
    const { other } = await until('a refused log', async (note) => {
      const known = note(await store.signerLogs.load('signer'))
      return known?.other ? known : null
    })
    expect((await recordOf(userId))!.facts.order).toBeUndefined()
    expect(readFileSync(world.logOf('worker'), 'utf8')).toContain('"event":"SIGNER_LOG_OTHER"')
    await acceptLog(store, other!.last, 'it was cut off by this test')
    const [execution] = await world.ended(userId, 1)
    expect([execution!.status, (await recordOf(userId))!.retryCount]).toEqual(['SUCCESS', 0])
  },
)

nightly('deposits are routed once, and a thief of NATS gains nothing by adding and removing messages', async () => {
  const nats = await connectNats(world.environments['worker']!['NATS_URL']!)
  const manager = await nats.jetstreamManager()
  const [honest, another] = [await user(), await user()]
  const hash = await honest.send()
  const nowhere = `0x${'e'.repeat(64)}` as const
  const executions = world.connection.db!.collection('executions')
  const known = await executions.countDocuments()
  try {
    const { config: wakes } = (await manager.streams.info('WAKE')) as { config: { subjects: string[] } }
    expect(wakes.subjects).toContain('wake.*')
    for (let n = 0; n < 200; n++) {
      const pointers = [hash, nowhere].map((txHash) => ({ chainId: base, txHash, seenAt: Date.now() }))
      for (const data of [pointersText(pointers), '{"chainId":1}', 'garbage'])
        nats.publish(`deposit.${base}`, new TextEncoder().encode(data))
      const ids = [(await recordOf(honest.userId))?.id ?? '1:0x1:1', `${base}:${nowhere}:${n}`, '{"$ne":null}']
      for (const id of ids) nats.publish(`wake.${n % 8}`, new TextEncoder().encode(wakeText({ id, isImmediate: true })))
    }
    await nats.flush()
    await another.send()
    for (const stream of ['WAKE', 'DEPOSITS']) await manager.streams.delete(stream)
    for (const { userId } of [honest, another]) {
      const done = await world.ended(userId, 1)
      expect(done.map(({ status }) => status)).toEqual(['SUCCESS'])
      expect((await entriesOf(done[0]!.id)).map(({ event }) => event)).toEqual(['SIGNED'])
    }
    expect(await executions.countDocuments()).toBe(known + 2)
    expect(await executions.countDocuments({ 'deposit.txHash': nowhere })).toBe(0)
    expect(await stolen()).toBe(0n)
  } finally {
    await nats.close()
  }
})

test('a thief of one key moves nothing through either contract, which needs both the signer’s and a relayer’s key', async () => {
  const { devnet, clients } = world
  const { executor, recoveryExecutor } = devnet.contracts
  const [routed, uncap] = [await user(), await user({ token: 'SY-NOCAP' })]
  const { routeSigner, relayers } = devnet.keys
  const [signerKey, relayerKey] = [routeSigner, relayers[0]!]
  const own: Hex = `0x${'7'.repeat(64)}`
  /** Whether the chain would carry out an order of the account's whole balance to the thief. */
  const works = async (to: Address, { account, token }: Held, signedBy: Hex, sentBy: Hex): Promise<boolean> => {
    const order = await orderToThief(account, token, to, signedBy)
    const call = { to, data: orderCall(order), gas: 1_500_000n }
    return clients.base.call({ account: privateKeyToAccount(sentBy), ...call }).then(
      () => true,
      () => false,
    )
  }
  await world.kill('worker') // the deposits stay in place
  const held = [
    { to: executor, account: routed.account, token: 'USDC' },
    { to: recoveryExecutor, account: uncap.account, token: 'SY-NOCAP' },
  ]
  await Promise.all([routed.send(), uncap.send()])
  for (const { to, ...one } of held) {
    await until(
      'the deposit',
      async (note) => note(await devnet.balanceOf('base', one.token, one.account)) === amountRaw,
    )
    expect(await works(to, one, relayerKey, relayerKey)).toBe(false)
    expect(await works(to, one, signerKey, own)).toBe(false)
    expect(await works(to, one, own, own)).toBe(false)
    // Both keys together succeed, which shows that the other attempts failed for lack of a key.
    expect(await works(to, one, signerKey, relayerKey)).toBe(true)
  }
  // Neither contract moves the other's tokens, so a cap or its absence cannot be bypassed.
  expect(await works(recoveryExecutor, held[0]!, signerKey, relayerKey)).toBe(false)
  expect(await works(executor, held[1]!, signerKey, relayerKey)).toBe(false)
})

type Held = { account: Address; token: string }

const headOf = async () => {
  const { timestamp } = await world.clients.base.getBlock()
  return { time: Number(timestamp) }
}

/** An order that pays a whole deposit to the thief, on its own chain and in its own token. */
async function orderToThief(account: Address, symbol: string, executor: Address, key: Hex) {
  const { devnet, store } = world
  const token = tokenOf(base, symbol)!.address
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
  const id = orderDigest(terms, { chainId: base, executor })
  return { ...terms, id, signature: await privateKeyToAccount(key).sign({ hash: id }), gasLimit: '1500000' }
}
