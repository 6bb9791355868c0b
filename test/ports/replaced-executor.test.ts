import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeAbiParameters, encodeFunctionData, getCreateAddress, keccak256, parseTransaction } from 'viem'
import { accountRegistryAbi } from '../../contracts/artifacts/abi'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { memoryKey } from '../../src/adapters/keys/open-key'
import { accounts } from '../../src/devnet/chains/accounts'
import { devnetContracts } from '../../src/devnet/chains/contracts'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hash, Hex } from '../../src/domain/chain/hex'
import { relayers } from '../../src/signer/relayers'
import { newAddress, type OrderWorld, orderWorld } from '../support/order-world'
import { eventually } from '../support/until'

let world: OrderWorld
let former: Address
let current: Address
beforeAll(async () => {
  world = await orderWorld()
  former = world.devnet.contracts.executor
  current = await installAnother()
})
afterAll(() => world.end())

/** Storage slot of the registry's `moduleCodeHash`. Writing it replaces the delay of three days. */
const moduleSlot = 5n
const yes: Hash = `0x${'1'.padStart(64, '0')}`

/** Installs a second, equal executor as a module of the same registry. */
async function installAnother(): Promise<Address> {
  const rpc = new Rpc(world.devnet.chains[chains.base.id].rpcUrl)
  const { executor, registry } = devnetContracts()
  const from = accounts.deployer.address
  await rpc.ask('anvil_impersonateAccount', from)
  const nonce = BigInt((await rpc.ask('eth_getTransactionCount', from, 'latest')) as Hex)
  // The deployment proxy expects the salt first.
  const data = `0x${executor.bytes.slice(66)}` as Hex
  const hash = (await rpc.ask('eth_sendTransaction', { from, data, gas: '0xe4e1c0' })) as Hash
  await world.devnet.waitForReceipt('base', hash)
  const address = getCreateAddress({ from, nonce })
  const code = (await rpc.ask('eth_getCode', address, 'latest')) as Hex
  const slot = keccak256(encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [address, moduleSlot]))
  await rpc.ask('anvil_setStorageAt', registry.address, slot, keccak256(code))
  const call = encodeFunctionData({ abi: accountRegistryAbi, functionName: 'isExecutor', args: [address] })
  expect(await rpc.ask('eth_call', { to: registry.address, data: call }, 'latest')).toBe(yes)
  return address
}

const replaced = () => ({ executor: current, formerExecutors: [former] })

test('orders in flight during a replacement are sent to their own executor and found there', async () => {
  const { registry, lens } = world.devnet.contracts
  const { rpcUrl } = world.devnet.chains[chains.base.id]
  const chain = evmChain({
    now: Date.now,
    chainId: chains.base.id,
    rpcUrls: [rpcUrl],
    confirmations: 2,
    registry,
    lens,
    ...replaced(),
  })
  const keys = relayers(world.devnet.keys.relayers.map(memoryKey), { ...replaced(), recoveryExecutor: null })
  const wanted = { from: 'base', token: 'USDC', to: 'base', toToken: 'USDC', amountRaw: 25_000_000n } as const
  const deadline = await world.deadline('base')
  const order = async (of: Address) =>
    world.signerFor(of).sign(await world.execution({ ...wanted, recipient: newAddress() }), deadline)

  for (const [of, signed] of [
    [former, await order(former)],
    [current, await order(current)],
  ] as const) {
    const key = keys.forRoute(chain.chainId, signed.routeId)
    const nonce = await chain.minedNonces(key.address)
    const { bytes, hash } = await keys.transaction(key.id, nonce, signed, await chain.fee())
    expect(parseTransaction(bytes).to).toBe(of.toLowerCase() as Address)
    await chain.send(bytes)
    const used = await eventually('the used route in a confirmed block', async () =>
      chain.routeUsed(signed.accountSalt, signed.routeId, (await chain.confirmed()).number),
    )
    expect(used.hash).toBe(hash)
  }
})

test('an order of an unknown executor is not sent: it waits, and an operator is notified', async () => {
  const wanted = { from: 'base', token: 'USDC', to: 'base', toToken: 'USDC', amountRaw: 25_000_000n } as const
  const record = await world.execution({ ...wanted, recipient: newAddress() })
  const order = await world.signerFor(newAddress()).sign(record, await world.deadline('base'))
  const keys = relayers(world.devnet.keys.relayers.map(memoryKey), { ...replaced(), recoveryExecutor: null })
  const sent = keys.transaction(keys.forRoute(order.chainId, order.routeId).id, 1, order, { feeCap: 1n, tip: 1n })
  expect(sent).rejects.toThrow('An order was signed for an executor that is not configured')
})

test('the refusal of a mined transaction is read again and names a relayer that the contract does not list', async () => {
  const base = world.chains[chains.base.id]
  const stranger = relayers([memoryKey(`0x${'7'.repeat(64)}`)], { executor: former, recoveryExecutor: null })
  const [{ id, address }] = stranger.onChain(base.chainId) as [{ id: string; address: Address }]
  const rpc = new Rpc(world.devnet.chains[chains.base.id].rpcUrl)
  await rpc.ask('anvil_setBalance', address, '0xde0b6b3a7640000')
  const wanted = { from: 'base', token: 'USDC', to: 'base', toToken: 'USDC', amountRaw: 25_000_000n } as const
  const record = await world.execution({ ...wanted, recipient: newAddress() })
  const order = await world.signerFor(former).sign(record, await world.deadline('base'))
  const { bytes, hash } = await stranger.transaction(id, 0, order, await base.fee())
  await base.send(bytes)
  expect(await eventually('the receipt of the transaction', () => base.receipt(hash))).toMatchObject({
    succeeded: false,
  })
  expect(await base.revertReason(hash)).toBe('NotRelayer')
})
