import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getAddress, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hex } from '../../src/domain/chain/hex'
import { coinForwarder, forwardedTo } from '../support/coin-forwarder'
import { jsonRpcNode } from '../support/json-rpc-node'
import { newAddress, type OrderWorld, orderWorld } from '../support/order-world'
import { testAll } from '../support/test-all'
import { eventually } from '../support/until'

const { id } = chains.base
const sender = privateKeyToAccount('0x00000000000000000000000000000000000000000000000000000000000a11ce')
let world: OrderWorld
let behind: string
let forwarder: Address
let outer: Address

async function send(transaction: { to?: Address; value?: bigint; data?: Hex; gas?: bigint }) {
  const nonce = await world.chains[id].minedNonces(sender.address)
  const fees = { gas: 300_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
  const signed = await sender.signTransaction({ chainId: id, type: 'eip1559', nonce, ...fees, ...transaction })
  await world.chains[id].send(signed)
  const receipt = await world.devnet.waitForReceipt('base', keccak256(signed))
  return {
    hash: keccak256(signed),
    block: Number(receipt.blockNumber),
    contract: receipt.contractAddress && getAddress(receipt.contractAddress),
  }
}

beforeAll(async () => {
  world = await orderWorld()
  behind = world.devnet.chains[id].rpcUrl
  const funded = { chainKey: 'base', token: 'native', amountRaw: 10n ** 18n, to: sender.address } as const
  await world.devnet.waitForReceipt('base', await world.devnet.sendDeposit(funded))
  await eventually(
    'a balance of the sender',
    () => world.chains[id].nativeBalance(sender.address),
    (balance) => balance > 0n,
  )
  forwarder = (await send({ data: coinForwarder })).contract!
  outer = (await send({ data: coinForwarder })).contract!
})
afterAll(() => world?.end())

/** Nodes with one tracing method, with the other, and with none. */
const lacking = (...methods: string[]) =>
  jsonRpcNode(
    ({ method }) => (methods.includes(method) ? { error: { code: -32601, message: 'Method not found' } } : undefined),
    { behind },
  )
const tracing = [['debug_traceBlockByNumber'], ['trace_block']]

test('only the direct sender of coin is found without a trace', async () => {
  const to = newAddress()
  const { block, hash } = await send({ to, value: 5n, gas: 60_000n })
  const node = lacking()
  const paid = await world.client(id, [node.url]).paidIn(to, block, 5n, false)
  node.stop()
  expect(paid).toEqual({ payers: [sender.address], behind: [], isCertain: true, hashes: [hash] })
  expect(node.seen.filter((method) => method.includes('trace'))).toEqual([])
})

testAll(tracing)(
  'coin sent by a contract names the contract and its caller, also without one tracing method',
  async (missing) => {
    const to = newAddress()
    const { block, hash } = await send({ to: outer, value: 7n, data: forwardedTo(forwarder, to) })
    const node = lacking(missing, missing === 'trace_block' ? 'trace_transaction' : 'debug_traceTransaction')
    const client = world.client(id, [node.url])
    const paid = await client.paidIn(to, block, 7n, false)
    expect(await client.nativePaidBy(hash)).toEqual(expect.arrayContaining([outer, forwarder, to]))
    node.stop()
    expect(paid).toMatchObject({ payers: [forwarder], isCertain: true, hashes: [hash] })
    expect(paid.behind).toEqual(expect.arrayContaining([sender.address, outer]))
  },
)

test('any caller of a contract in the block counts as a possible payer if no node traces, and the trace is requested once', async () => {
  const to = newAddress()
  const { block, hash } = await send({ to: forwarder, value: 7n, data: forwardedTo(to) })
  const node = lacking('debug_traceBlockByNumber', 'trace_block', 'debug_traceTransaction', 'trace_transaction')
  const client = world.client(id, [node.url])
  expect(await client.nativePaidBy(hash)).toBeNull()
  for (let n = 0; n < 3; n++) {
    const paid = await client.paidIn(to, block, 7n, false)
    expect(paid).toMatchObject({ payers: [], isCertain: false })
    expect(paid.behind).toEqual(expect.arrayContaining([sender.address, forwarder]))
  }
  node.stop()
  expect(node.seen.filter((method) => method.includes('trace'))).toHaveLength(4)
})

test('a trace that fails for another reason is requested again, and skipped on the last try', async () => {
  const to = newAddress()
  const { block } = await send({ to: forwarder, value: 7n, data: forwardedTo(to) })
  const node = jsonRpcNode(({ method }) => (method.includes('trace') ? null : undefined), { behind })
  const client = world.client(id, [node.url])
  const failure = await client.paidIn(to, block, 7n, false).catch(({ code }) => code)
  expect(failure).toBe('RPC_FAILED')
  expect(await client.paidIn(to, block, 7n, true)).toMatchObject({ isCertain: false })
  node.stop()
})
