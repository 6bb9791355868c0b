import { expect, test } from 'bun:test'
import { decodeFunctionData, parseTransaction, recoverTransactionAddress } from 'viem'
import { generatePrivateKey } from 'viem/accounts'
import { routeExecutorAbi } from '../../contracts/artifacts/abi'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hex } from '../../src/domain/chain/hex'
import { gasNeedOf } from '../../src/domain/chain/relayer'
import { mintOf, type Sendable } from '../../src/domain/execution/mint'
import { domainOf, messageTransmitter, tokenMessenger, wordOf } from '../../src/protocols/cctp/burn'
import { messageOf } from '../../src/protocols/cctp/message'
import { receiveMessage } from '../../src/protocols/cctp/mint'
import { relayers } from '../../src/signer/relayers'
import { addressOf, executors, refundRecord, signable, signerOf } from '../support/signable'

const deadline = 1_800_000_000
const keys = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()].map(memoryKey)
const three = relayers(keys, executors)
const fee = { feeCap: 30n, tip: 2n }

test('a route has the same key at every retry, and every key gets routes', () => {
  const ids = Array.from({ length: 60 }, (_, n) => three.forRoute(chains.base.id, `0x${n.toString(16)}`))
  expect(new Set(ids.map(({ id }) => id)).size).toBe(3)
  expect(relayers(keys, executors).forRoute(chains.base.id, '0x5')).toEqual(ids[5]!)
  expect(three.onChain(chains.polygon.id).every(({ id, address }) => id === `polygon:${address}`)).toBe(true)
})

test('a transaction carries the order, its native fee and its gas limit, and is identified by its bytes', async () => {
  const order = { ...(await signerOf().sign(signable(), deadline)), nativeFee: '9' }
  const { id, address } = three.forRoute(order.chainId, order.routeId)
  const { hash, bytes } = await three.transaction(id, 7, order, fee)
  const read = parseTransaction(bytes)
  expect(read).toMatchObject({ chainId: order.chainId, nonce: 7, value: 9n, gas: 400_000n, maxFeePerGas: 30n })
  expect(read.to?.toLowerCase()).toBe(executors.executor.toLowerCase())
  expect(await recoverTransactionAddress({ serializedTransaction: bytes as never })).toBe(address)
  expect(await three.transaction(id, 7, order, fee)).toEqual({ hash, bytes })
})

const mint = (target: Address, hookData: Hex = '0x'): Sendable => {
  const [zero, one] = [`0x${'00'.repeat(32)}`, `0x${'11'.repeat(32)}`] as const
  const message = messageOf({
    ...{
      version: 1,
      sourceDomain: 0,
      destinationDomain: domainOf(chains.base.id),
      nonce: one,
      destinationCaller: zero,
    },
    ...{ sender: wordOf(tokenMessenger), recipient: wordOf(tokenMessenger), bodyVersion: 1, burnToken: one, hookData },
    ...{ minFinalityThreshold: 2_000, finalityThresholdExecuted: 2_000, mintRecipient: one, messageSender: one },
    ...{ amount: 5n, maxFee: 0n, feeExecuted: 0n, expirationBlock: 0n },
  })
  const call = { target, data: receiveMessage(message, `0x${'22'.repeat(65)}`), nonce: one }
  return mintOf(call, { chainId: chains.base.id, routeId: one, time: 0, gas: 150_000n })
}

test('a mint is sent to Circle’s contract unchanged and alone, and only a mint is treated as one', async () => {
  const [{ id }] = three.onChain(chains.base.id) as [{ id: string; address: Address }]
  const order = await signerOf().sign(signable(), deadline)
  const good = mint(messageTransmitter)
  const read = parseTransaction((await three.transaction(id, 3, good, fee)).bytes)
  expect(read).toMatchObject({ nonce: 3, data: good.data, to: messageTransmitter.toLowerCase() as Address })
  expect(read.value ?? 0n).toBe(0n)
  const refused = [
    three.transaction(id, 3, mint(executors.executor), fee),
    three.transaction(id, 3, mint(messageTransmitter, '0x12'), fee),
    three.transaction(id, 3, { ...good, data: '0x12345678' }, fee),
    three.transaction(id, 3, good, fee, [order]),
    three.transaction(id, 3, order, fee, [good]),
  ]
  for (const one of refused) await expect(one).rejects.toThrow(TypeError)
})

test('a filler pays no address', async () => {
  const [{ id, address }] = three.onChain(chains.base.id) as [{ id: string; address: Address }]
  const read = parseTransaction((await three.filler(id, 3, fee)).bytes)
  expect(read).toMatchObject({ nonce: 3, maxPriorityFeePerGas: 2n })
  expect([read.value ?? 0n, read.data ?? '0x', read.to?.toLowerCase()]).toEqual([0n, '0x', address.toLowerCase()])
})

test('a key never pays more than ten times the chain’s bound on tips, whatever it must replace', async () => {
  const { id } = three.onChain(chains.base.id)[0]!
  const ether = { feeCap: 10n ** 18n, tip: 10n ** 18n }
  const order = await signerOf().sign(signable(), deadline)
  const both = [await three.filler(id, 3, ether), await three.transaction(id, 3, order, ether)]
  for (const { bytes } of both)
    expect(parseTransaction(bytes)).toMatchObject({ maxPriorityFeePerGas: 10n * chains.base.tipMaxWei })
})

test('an order of another chain is a bug, and so is a sender without a key', async () => {
  const order = await signerOf().sign(signable(), deadline)
  const wrong = three.forRoute(chains.polygon.id, order.routeId).id
  expect(three.transaction(wrong, 1, order, fee)).rejects.toThrow(TypeError)
  expect(three.filler('base:0x0', 1, fee)).rejects.toThrow(TypeError)
})

test('no order of another chain shares a transaction, in any place', async () => {
  const order = await signerOf().sign(signable(), deadline)
  const foreign = { ...order, chainId: chains.polygon.id }
  const { id } = three.forRoute(order.chainId, order.routeId)
  for (const also of [[foreign], [order, foreign]])
    await expect(three.transaction(id, 1, order, fee, also)).rejects.toThrow('not for the chain of its relayer')
})

test('a refund is sent to its RecoveryExecutor, even after a replacement', async () => {
  const order = await signerOf().sign(refundRecord(), deadline)
  const { id } = three.forRoute(order.chainId, order.routeId)
  const receiverOf = async (by: typeof three) =>
    parseTransaction((await by.transaction(id, 7, order, fee)).bytes).to?.toLowerCase()
  const former = executors.recoveryExecutor
  expect(await receiverOf(three)).toBe(former.toLowerCase())
  const replaced = {
    executor: addressOf('new'),
    recoveryExecutor: addressOf('new way back'),
    formerExecutors: [former],
  }
  expect(await receiverOf(relayers(keys, replaced))).toBe(former.toLowerCase())
  const without = { executor: addressOf('new'), recoveryExecutor: null }
  expect(receiverOf(relayers(keys, without))).rejects.toThrow('for an executor that is not configured')
})

test('a transaction of several orders carries each order’s gas, and the sum of their native fees', async () => {
  const orders = await Promise.all(
    [1, 2, 3].map(async (n) => ({ ...(await signerOf().sign(signable(), deadline + n)), nativeFee: String(n) })),
  )
  const [first, ...also] = orders
  const { id } = three.forRoute(first!.chainId, first!.routeId)
  const read = parseTransaction((await three.transaction(id, 7, first!, fee, also)).bytes)
  expect(read).toMatchObject({ nonce: 7, value: 6n, gas: BigInt(gasNeedOf(orders).gasLimit) })
  expect(read.to?.toLowerCase()).toBe(executors.executor.toLowerCase())
  const { functionName, args } = decodeFunctionData({ abi: routeExecutorAbi, data: read.data! })
  expect(functionName).toBe('executeBatch')
  expect((args as unknown as [{ gas: bigint; signature: string; order: { deadline: bigint } }[]])[0]).toMatchObject(
    orders.map(({ signature, gasLimit, deadline: until }) => ({
      gas: BigInt(gasLimit),
      signature,
      order: { deadline: BigInt(until) },
    })),
  )
})

test('a refund and an order of a replaced executor never share a transaction', async () => {
  const [order, refunded] = [
    await signerOf().sign(signable(), deadline),
    await signerOf().sign(refundRecord(), deadline),
  ]
  expect([three.mayShare(order), three.mayShare(refunded)]).toEqual([true, false])
  const replaced = { executor: addressOf('new'), recoveryExecutor: null }
  const formerExecutors = [executors.executor]
  expect(relayers(keys, { ...replaced, formerExecutors }).mayShare(order)).toBe(false)
  expect(relayers(keys, { ...replaced, formerExecutors: [addressOf('older')] }).mayShare(order)).toBe(false)
  const { id } = three.forRoute(order.chainId, order.routeId)
  expect(three.transaction(id, 7, order, fee, [refunded])).rejects.toThrow(TypeError)
  expect(three.transaction(id, 7, refunded, fee, [refunded])).rejects.toThrow(TypeError)
  // A transaction sent before the replacement still gets a higher fee.
  const before = await three.transaction(id, 7, order, fee, [order])
  expect(await relayers(keys, { ...replaced, formerExecutors }).transaction(id, 7, order, fee, [order])).toEqual(before)
})
