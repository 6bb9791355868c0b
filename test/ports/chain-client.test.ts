import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Abi, encodeFunctionData } from 'viem'
import {
  blocklistTokenAbi,
  devMessageTransmitterAbi,
  devTokenAbi,
  devTokenMessengerAbi,
  devTokenMinterAbi,
  routeExecutorAbi,
} from '../../contracts/artifacts/abi'
import { evmChain } from '../../src/adapters/evm/chain-client'
import type { Reverted } from '../../src/adapters/evm/rpc/error'
import { noTelemetry } from '../../src/adapters/no-telemetry'
import { artifact } from '../../src/deploying/artifact'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { type ChainKey, chains } from '../../src/domain/chain/chain'
import { type Address, type Hash, zeroAddress } from '../../src/domain/chain/hex'
import type { Order } from '../../src/domain/execution/route'
import type { ChainClient } from '../../src/ports/chain-client'
import type { Telemetry } from '../../src/ports/observing'
import { messageTransmitter, tokenMessenger, tokenMinter } from '../../src/protocols/cctp/burn'
import { jsonRpcNode } from '../support/json-rpc-node'
import { newAddress, type OrderWorld, orderWorld } from '../support/order-world'
import { testAll } from '../support/test-all'
import { eventually, until } from '../support/until'

let world: OrderWorld
let base: ChainClient
const usdc = tokenOf(chains.base.id, 'USDC')!.address

beforeAll(async () => {
  world = await orderWorld()
  base = world.chains[chains.base.id]
})
afterAll(() => world.end())

async function deposit(token: string, amountRaw: bigint, to: Address, chainKey: ChainKey = 'base') {
  const hash = await world.devnet.sendDeposit({ chainKey, token, amountRaw, to })
  const receipt = await world.devnet.waitForReceipt(chainKey, hash)
  return { hash, block: Number(receipt.blockNumber) }
}
const deep = (block: number) =>
  eventually(
    'a confirmed block as deep as this one',
    () => base.confirmed(),
    ({ number }) => number >= block,
  )
const control = (path: string, body: object) =>
  fetch(`${world.devnet.controlUrl}${path}`, { method: 'PUT', body: JSON.stringify(body) })

type Journey = [from: ChainKey, token: string, to: ChainKey, toToken: string, amountRaw: bigint]
const journeys: Journey[] = [
  ['base', 'USDC', 'arbitrum', 'USDC', 25_000_000n],
  ['ethereum', 'USDT', 'base', 'USDC', 25_000_000n],
  ['polygon', 'native', 'avalanche', 'native', 10n ** 19n],
  ['arbitrum', 'USDC', 'polygon', 'native', 25_000_000n],
  ['polygon', 'USDC', 'avalanche', 'USDC', 25_000_000n],
  ['avalanche', 'native', 'avalanche', 'native', 10n ** 18n],
  ['base', 'USDC', 'base', 'USDC', 25_000_000n],
  ['base', 'USDC', 'base', 'WETH', 25_000_000n],
]

test('chain client: the RecoveryExecutor can refund only tokens without a remembered cap', async () => {
  const addressOf = (symbol: string) => tokenOf(chains.base.id, symbol)!.address
  expect(await base.canRecover(addressOf('SY-NOCAP'))).toBe(true)
  expect(await base.canRecover(newAddress())).toBe(true)
  expect(await base.canRecover(usdc)).toBe(false)
  expect(await base.canRecover(zeroAddress)).toBe(false)
  const [stopped, { executor, registry, lens }] = [addressOf('SY-TINY'), world.devnet.contracts]
  const stop = encodeFunctionData({ abi: routeExecutorAbi, functionName: 'lowerCap', args: [stopped, 0n] })
  const rpc = new Rpc(world.devnet.chains[chains.base.id].rpcUrl)
  const sent = { from: accounts.guardian.address, to: executor, data: stop, gas: '0x30d40' }
  await rpc.ask('anvil_impersonateAccount', accounts.guardian.address)
  await rpc.ask('anvil_setBalance', accounts.guardian.address, '0xde0b6b3a7640000')
  const { status } = await world.devnet.waitForReceipt('base', await rpc.ask<Hash>('eth_sendTransaction', sent))
  expect(status).toBe('0x1')
  expect(await base.canRecover(stopped)).toBe(false)
  const { rpcUrl } = world.devnet.chains[chains.base.id]
  const without = {
    now: Date.now,
    chainId: chains.base.id,
    rpcUrls: [rpcUrl],
    confirmations: 2,
    registry,
    executor,
    lens,
  }
  expect(await evmChain(without).canRecover(addressOf('SY-NOCAP'))).toBe(false)
})

test('chain client: Circle’s contracts report blocked accounts, the limit of a burn, and a pause', async () => {
  const { rpcUrl } = world.devnet.chains[chains.base.id]
  const rpc = new Rpc(rpcUrl)
  const { registry, executor, lens } = world.devnet.contracts
  // A client per account, because a client caches a response for some seconds.
  const standingOf = (account: Address) =>
    evmChain({
      now: Date.now,
      chainId: chains.base.id,
      rpcUrls: [rpcUrl],
      confirmations: 2,
      registry,
      executor,
      lens,
    }).circleStatus(account)
  async function act(target: Address, abi: Abi, functionName: string, args: unknown[]) {
    const from = accounts.deployer.address
    await rpc.ask('anvil_impersonateAccount', from)
    const sent = { from, to: target, data: encodeFunctionData({ abi, functionName, args }), gas: '0x30d40' }
    const { status } = await world.devnet.waitForReceipt('base', await rpc.ask<Hash>('eth_sendTransaction', sent))
    expect(status).toBe('0x1')
  }
  const [listed, denied] = [newAddress(), newAddress()]
  const open = { isPaused: false, isBlacklisted: false, isDenylisted: false, burnLimitRaw: 10_000_000_000_000n }
  expect(await standingOf(listed)).toEqual(open)
  await act(usdc, blocklistTokenAbi as Abi, 'setBlocked', [listed, true])
  await act(tokenMessenger, devTokenMessengerAbi as Abi, 'setDenylisted', [denied, true])
  expect(await standingOf(listed)).toEqual({ ...open, isBlacklisted: true })
  expect(await standingOf(denied)).toEqual({ ...open, isDenylisted: true })
  for (const [target, abi] of [
    [usdc, blocklistTokenAbi],
    [tokenMinter, devTokenMinterAbi],
    [messageTransmitter, devMessageTransmitterAbi],
  ] as const) {
    await act(target, abi as Abi, 'setPaused', [true])
    expect(await standingOf(newAddress())).toEqual({ ...open, isPaused: true })
    await act(target, abi as Abi, 'setPaused', [false])
  }
  // If one of the contracts is missing, the others allow no conclusion.
  const code = await rpc.ask('eth_getCode', tokenMinter, 'latest')
  await rpc.ask('anvil_setCode', tokenMinter, '0x')
  expect(await standingOf(newAddress())).toBeNull()
  await rpc.ask('anvil_setCode', tokenMinter, code)
})

test('acceptance: the chain shows a refusing recipient, a blocked address, and a pause by the issuer', async () => {
  const rpc = new Rpc(world.devnet.chains[chains.base.id].rpcUrl)
  const from = accounts.deployer.address
  await rpc.ask('anvil_impersonateAccount', from)
  async function act(to: Address, functionName: string, args: unknown[]) {
    const data = encodeFunctionData({ abi: blocklistTokenAbi as Abi, functionName, args })
    const hash = await rpc.ask<Hash>('eth_sendTransaction', { from, to, data, gas: '0x30d40' })
    expect((await world.devnet.waitForReceipt('base', hash)).status).toBe('0x1')
  }
  const tokenNamed = (symbol: string) => tokenOf(chains.base.id, symbol)!.address
  const [wallet, blocked, pausable] = [newAddress(), newAddress(), tokenNamed('SY-PAUSE')]
  const { lens } = world.devnet.contracts
  await act(usdc, 'setBlocked', [blocked, true])
  await act(pausable, 'setPaused', [true])
  const seen: Record<string, unknown> = {}
  const tried = async (what: string, token: Address, recipient: Address, amount: bigint) => {
    seen[what] = [await base.acceptance(token, recipient, amount), await base.acceptance(token, recipient, null)]
  }
  await tried('coin for a wallet', zeroAddress, wallet, 10n ** 24n)
  await tried('coin for a contract that accepts none', zeroAddress, lens, 1n)
  await tried('a token for a wallet', usdc, wallet, 25_000_000n)
  await tried('a token for a contract', usdc, lens, 25_000_000n)
  await tried('a token for a recipient that it blocks', usdc, blocked, 25_000_000n)
  await tried('another token for the same recipient', tokenNamed('USDT'), blocked, 25_000_000n)
  await tried('a token that is stopped', pausable, wallet, 1n)
  for (const symbol of ['WETH', 'SY-FEE', 'SY-FALSE', 'SY-REBASE', 'SY-REENTER', 'SY-GHOST', 'SY-WEIRD'])
    await tried(symbol, tokenNamed(symbol), wallet, 1_000n)
  await act(pausable, 'setPaused', [false])
  await tried('a token that goes on', pausable, wallet, 1n)
  const accepted = ['ACCEPTED', 'ACCEPTED']
  expect(seen).toEqual({
    ...Object.fromEntries(Object.keys(seen).map((what) => [what, accepted])),
    'coin for a contract that accepts none': ['REFUSED', 'REFUSED'],
    'a token for a recipient that it blocks': ['BLOCKED', 'BLOCKED'],
    'a token that is stopped': ['PAUSED', 'PAUSED'],
  })
})

test('chain client: the RecoveryExecutor carries out a refund once, and beyond its twenty a day an operator must act', async () => {
  const { recoveryExecutor } = world.devnet.contracts
  const rpc = new Rpc(world.devnet.chains[chains.base.id].rpcUrl)
  const refunded = async (token: string) => {
    const wanted = { from: 'base', to: 'base', token, toToken: token, amountRaw: 25_000_000n } as const
    const recipient = newAddress()
    const record = await world.execution({ ...wanted, recipient, protocolFeeBps: 0 })
    const { intent, route } = record.facts
    const facts = { ...record.facts, intent: { ...intent!, refundAddress: recipient } }
    const refund = { ...record, redriveOf: 'x', facts: { ...facts, route: { ...route!, kind: 'REFUND' as const } } }
    return world.signer.sign(refund, await world.deadline('base'))
  }
  const failureOf = (order: Order) => base.estimate(order, key.address).catch(({ code, cause }) => [code, cause.reason])

  const order = await refunded('SY-NOCAP')
  const key = world.relayers.forRoute(base.chainId, order.routeId)
  const { bytes, hash } = await world.relayers.transaction(
    key.id,
    await base.minedNonces(key.address),
    order,
    await base.fee(),
  )
  await base.send(bytes)
  const used = await eventually('the used route in a confirmed block', async () =>
    base.routeUsed(order.accountSalt, order.routeId, (await base.confirmed()).number),
  )
  expect(used).toMatchObject({ hash, spentRaw: 25_000_000n })
  expect(await base.arrived(hash, order.token, order.intent.recipient)).toMatchObject({ amountRaw: 25_000_000n })
  expect(await failureOf(order)).toEqual(['SIMULATION_REVERTED', 'RouteUsed'])
  expect(await failureOf(await refunded('USDC'))).toEqual(['SIMULATION_REVERTED', 'Routable'])

  const counters = await countersSlot(rpc, recoveryExecutor)
  const full: Hash = `0x${(20).toString(16).padStart(56, '0')}${counters.word.slice(-8)}`
  await rpc.ask('anvil_setStorageAt', recoveryExecutor, counters.slot, full)
  expect(await failureOf(await refunded('SY-NOCAP'))).toEqual(['UNEXPECTED', 'TooManyRefunds'])
  await rpc.ask('anvil_setStorageAt', recoveryExecutor, counters.slot, counters.word)
})

/** The storage slot that holds the day of the last refund and that day's count. */
async function countersSlot(rpc: Rpc, address: Address): Promise<{ slot: Hash; word: Hash }> {
  for (let n = 0; n < 8; n++) {
    const slot: Hash = `0x${n.toString(16).padStart(64, '0')}`
    const word = await rpc.ask<Hash>('eth_getStorageAt', address, slot, 'latest')
    if (BigInt(word) > 2n ** 32n) return { slot, word }
  }
  throw new Error('The contract counts no refunds')
}

testAll(journeys)(
  'chain client: carries every pair of tokens and chains',
  async (from, token, to, toToken, amountRaw) => {
    const recipient = newAddress()
    const record = await world.execution({ from, token, to, toToken, amountRaw, recipient })
    const [source, destination] = [world.chains[chains[from].id], world.chains[chains[to].id]]
    const deadline = await world.deadline(from)
    const draft = await world.signer.draft(record, deadline)
    const key = world.relayers.forRoute(source.chainId, draft.routeId)
    const drafted = await source.estimate(draft, key.address)
    const gasLimit = String((drafted.gasLimit * 13n) / 10n)
    const order = await world.signer.sign({ ...record, facts: { ...record.facts, gasLimit } }, deadline)
    const signed = await source.estimate(order, key.address)
    // The signed minimum of gas exceeds the draft's measured use, and the order's gas limit suffices.
    expect(signed.gasLimit + 1_000n).toBeGreaterThan(drafted.gasLimit)
    expect(signed.gasLimit).toBeLessThan(BigInt(gasLimit))
    expect(signed.costWei > signed.gasLimit).toBe(true)
    expect(await source.isDeployed(order.account)).toBe(false)
    expect(await source.routeUsed(order.accountSalt, order.routeId, (await source.head()).number)).toBeNull()

    const nonce = await source.minedNonces(key.address)
    const { bytes, hash } = await world.relayers.transaction(key.id, nonce, order, await source.fee())
    await source.send(bytes)
    await source.send(bytes)
    const used = await eventually('the used route in a confirmed block', async () =>
      source.routeUsed(order.accountSalt, order.routeId, (await source.confirmed()).number),
    )
    expect({ hash: used.hash, spentRaw: used.spentRaw }).toEqual({ hash, spentRaw: amountRaw })
    expect(await source.receipt(hash)).toMatchObject({ succeeded: true, block: used.block })
    expect(await source.routeUsed(order.accountSalt, order.routeId, used.block - 1)).toBeNull()
    expect(await source.isDeployed(order.account)).toBe(true)
    expect(await source.minedNonces(key.address, used.block)).toBe(nonce + 1)
    expect(await source.minedNonces(key.address, used.block - 1)).toBe(nonce)
    await source.send(bytes)

    const sent = { hash, fromChainId: source.chainId, toChainId: destination.chainId, reference: null }
    const outcome = () => world.provider.outcome(sent, AbortSignal.timeout(60_000))
    const bridged =
      from === to ? null : await eventually('a delivery by the bridge', outcome, ({ kind }) => kind === 'DELIVERED')
    const delivered = bridged?.kind === 'DELIVERED' ? bridged.hash : hash
    const token2 = tokenOf(destination.chainId, toToken)!.address
    const arrived = await eventually('the transfer that arrived', () =>
      destination.arrived(delivered, token2, recipient),
    )
    const { time } = (await destination.blockAt(arrived.block))!
    expect(arrived.time).toBe(time)
    expect(new Set(arrived.parts.map(({ place }) => place)).size).toBe(arrived.parts.length)
    expect(arrived.parts.map((part) => part.amountRaw)).toEqual([arrived.amountRaw])
    expect(arrived.amountRaw).toBe(await world.devnet.balanceOf(to, toToken, recipient))
    expect(arrived.amountRaw).toBeGreaterThanOrEqual(BigInt(order.intent.minOut))
    expect(await source.balanceOf(order.token, order.account, used.block)).toBe(0n)
    expect(await source.balanceOf(order.token, order.account, used.block - 1)).toBe(amountRaw)
  },
)

testAll(journeys)(
  'estimate: money that does not exist yet is estimated for every pair of tokens and chains',
  async (from, token, to, toToken, raw) => {
    const wanted = { from, token, to, toToken, amountRaw: raw, recipient: newAddress(), funded: false }
    const record = await world.execution(wanted, false)
    const draft = await world.signer.draft(record, await world.deadline(from))
    const chain = world.chains[chains[from].id]
    const relayer = world.relayers.forRoute(chain.chainId, draft.routeId).address
    const { gasLimit, costWei } = await chain.estimate(draft, relayer)
    // Another node has already shown the money, and the queried node lags behind it.
    expect(await chain.estimate(draft, relayer, true)).toMatchObject({ gasLimit })

    expect(gasLimit).toBeGreaterThan(150_000n)
    expect(gasLimit).toBeLessThan(350_000n)
    expect(costWei).toBeGreaterThan(gasLimit)
  },
)

test('estimate: a call that the chain would refuse is SIMULATION_REVERTED, with the reason as its cause', async () => {
  const there = { from: 'base', token: 'USDC', to: 'arbitrum', toToken: 'USDC', recipient: newAddress() } as const
  const record = await world.execution({ ...there, amountRaw: 25_000_000n })
  const order = await world.signer.sign(record, await world.deadline('base'))
  const { address } = world.relayers.onChain(base.chainId)[0]!
  const refusalOf = async (altered: object, sender = address) => {
    const failure = await base.estimate({ ...order, ...altered }, sender).catch((error) => error)
    return [failure.code, (failure.cause as Reverted).reason]
  }

  // A condition that operators must repair decides nothing about a deposit.
  expect(await refusalOf({ deadline: 1 })).toEqual(['UNEXPECTED', 'Expired'])
  expect(await refusalOf({ minGas: '90000000' })).toEqual(['UNEXPECTED', 'GasTooLow'])
  expect(await refusalOf({ amountIn: '26000000' })).toEqual(['UNEXPECTED', 'BadSignature'])
  expect(await refusalOf({}, newAddress())).toEqual(['UNEXPECTED', 'NotRelayer'])
})

test('draft: the chain rejects its signature', async () => {
  const there = { from: 'base', token: 'USDC', to: 'arbitrum', toToken: 'USDC', recipient: newAddress() } as const
  const record = await world.execution({ ...there, amountRaw: 25_000_000n })
  const draft = await world.signer.draft(record, await world.deadline('base'))
  const key = world.relayers.forRoute(base.chainId, draft.routeId)
  const nonce = await base.minedNonces(key.address)
  const { bytes, hash } = await world.relayers.transaction(key.id, nonce, draft, await base.fee())
  await base.send(bytes)

  expect(await eventually('the receipt of the transaction', () => base.receipt(hash))).toMatchObject({
    succeeded: false,
  })
  expect(await base.routeUsed(draft.accountSalt, draft.routeId, (await base.head()).number)).toBeNull()
  expect(await world.devnet.balanceOf('base', 'USDC', draft.account)).toBe(25_000_000n)
})

test('balanceOf: a contract without balances is not a token', async () => {
  const { number } = await base.head()
  const ask = (token: Address) => base.balanceOf(token, newAddress(), number).catch(({ code }) => code)

  expect(await ask(newAddress())).toBe('TOKEN_NOT_SUPPORTED')
  expect(await ask(world.devnet.contracts.registry)).toBe('TOKEN_NOT_SUPPORTED')
  expect(await ask(usdc)).toBe(0n)
})

test('transfers: include both end blocks, and only the named tokens and blocks', async () => {
  const to = newAddress()
  const first = await deposit('USDC', 7n, to)
  const last = await deposit('USDT', 8n, to)
  const found = async (tokens: Address[], from = first.block, until = last.block) =>
    (await base.transfers(tokens, from, until)).filter((transfer) => transfer.to === to)

  expect(await found([usdc])).toMatchObject([{ token: usdc, amountRaw: 7n, txHash: first.hash, block: first.block }])
  expect(await found([usdc, tokenOf(base.chainId, 'USDT')!.address])).toHaveLength(2)
  expect(await found([usdc], first.block + 1, last.block)).toEqual([])
  const [transfer] = await found([usdc])
  expect((await base.blockAt(first.block))?.hash).toBe(transfer!.blockHash)
  expect(await base.transaction(first.hash)).toMatchObject({ block: first.block, succeeded: true, transfers: [{ to }] })
})

test('blocks: a missing block is null', async () => {
  const nowhere: Hash = `0x${'1'.repeat(64)}`

  expect(await base.blockAt((await base.head()).number + 1_000)).toBeNull()
  expect(await base.transaction(nowhere)).toBeNull()
  expect(await base.receipt(nowhere)).toBeNull()
  expect(await base.arrived(nowhere, usdc, newAddress())).toBeNull()
})

test('native coin: a directly paid recipient is found, and the value is the evidence', async () => {
  const to = newAddress()
  const { hash, block } = await deposit('native', 5n, to)
  await deep(block)

  expect(await base.nativeRecipients(block, block)).toContain(to)
  expect(await base.transaction(hash)).toMatchObject({ to, transfers: [] })
  expect(await base.nativeValueOf(hash)).toBe(5n)
  expect(await base.arrived(hash, zeroAddress, to)).toMatchObject({ amountRaw: 5n, block, parts: [{ amountRaw: 5n }] })
  expect(await base.arrived(hash, zeroAddress, newAddress())).toMatchObject({ amountRaw: 0n, block, parts: [] })
  expect(await base.arrived(hash, usdc, to)).toMatchObject({ amountRaw: 0n, block, parts: [] })
})

test('native coin: the recipient’s balance is the evidence without traces', async () => {
  const recipient = newAddress()
  const wanted = { from: 'base', token: 'native', to: 'base', toToken: 'native', amountRaw: 10n ** 16n } as const
  const order = await world.signer.sign(await world.execution({ ...wanted, recipient }), await world.deadline('base'))
  const key = world.relayers.forRoute(base.chainId, order.routeId)
  const nonce = await base.minedNonces(key.address)
  const { bytes, hash } = await world.relayers.transaction(key.id, nonce, order, await base.fee())
  await base.send(bytes)
  const traced = await eventually('the transfer that arrived', () => base.arrived(hash, zeroAddress, recipient))
  const behind = world.devnet.chains[base.chainId].rpcUrl
  const noTraces = ({ method }: { method: string }) =>
    method.startsWith('debug_') ? { error: { code: -32601, message: 'method not found' } } : undefined
  const node = jsonRpcNode(noTraces, { behind })
  const untraced = await world.client(base.chainId, [node.url]).arrived(hash, zeroAddress, recipient)
  node.stop()

  expect(traced.amountRaw).toBe((10n ** 16n * 99n) / 100n)
  expect(untraced).toEqual(traced)
})

testAll([zeroAddress, usdc])(
  'holders: accounts with a balance are found, for coin and token, with and without the lens',
  async (token) => {
    const accounts = Array.from({ length: 60 }, newAddress)
    const funded = [accounts[3]!, accounts[59]!]
    for (const account of funded) await deposit(token === zeroAddress ? 'native' : 'USDC', 1n, account)
    const { number } = await base.head()
    const { registry, executor } = world.devnet.contracts
    const parts = { chainId: base.chainId, rpcUrls: [world.devnet.chains[base.chainId].rpcUrl], confirmations: 2 }
    const lensless = evmChain({ now: Date.now, ...parts, registry, executor, lens: newAddress() })

    for (const client of [base, lensless]) {
      const { holding, unread } = await client.holders(token, accounts, number)
      const balances = Object.fromEntries(holding.map(({ account, balanceRaw }) => [account, balanceRaw]))
      expect(balances).toEqual(Object.fromEntries(funded.map((account) => [account, 1n])))
      expect(unread).toEqual([])
    }
    expect(await base.holders(token, funded, 1)).toEqual({ holding: [], unread: [] })
  },
)

test('holders: several tokens take one request, and balances that the lens cannot read are read one by one', async () => {
  const accounts = [newAddress(), newAddress(), newAddress()]
  const usdt = tokenOf(base.chainId, 'USDT')!.address
  const noToken = world.devnet.contracts.registry
  await deposit('USDC', 3n, accounts[1]!)
  await deposit('USDT', 4n, accounts[2]!)
  const { number } = await base.head()
  const expected = [
    { holding: [{ account: accounts[1]!, balanceRaw: 3n }], unread: [] },
    { holding: [], unread: accounts },
    { holding: [{ account: accounts[2]!, balanceRaw: 4n }], unread: [] },
  ]
  const methods: string[] = []
  const outside: Telemetry['outside'] = (asked, run) => {
    if (asked.system === 'rpc') methods.push(asked.method)
    return run({})
  }
  const { registry, executor, lens } = world.devnet.contracts
  const rpcUrls = [world.devnet.chains[base.chainId].rpcUrl]
  const telemetry = { ...noTelemetry, outside }
  const clientOf = (at: Address) =>
    evmChain({
      now: Date.now,
      chainId: base.chainId,
      rpcUrls,
      confirmations: 2,
      registry,
      executor,
      lens: at,
      telemetry,
    })

  const tokens = [usdc, noToken, usdt]
  expect(await clientOf(lens).holdersOfEach(tokens, accounts, number)).toEqual(expected)
  expect(methods).toEqual(['eth_chainId', 'eth_call'])
  expect(await clientOf(newAddress()).holdersOfEach(tokens, accounts, number)).toEqual(expected)
  expect(await clientOf(lens).holdersOfEach([], accounts, number)).toEqual([])
})

test('holders: an unreadable balance is reported instead of counted as empty', async () => {
  const accounts = [newAddress(), newAddress()]
  const noToken = world.devnet.contracts.registry

  expect(await base.holders(noToken, accounts, (await base.head()).number)).toEqual({ holding: [], unread: accounts })
})

test('tokenMetadata: returns a token’s own description, and null for a contract that is not a token', async () => {
  expect(await base.tokenMetadata(usdc)).toEqual({ symbol: 'USDC', name: 'USD Coin', decimals: 6 })
  expect((await base.tokenMetadata(tokenOf(base.chainId, 'SY-WEIRD')!.address))?.decimals).toBe(77)
  expect(await base.tokenMetadata(newAddress())).toBeNull()
  expect(await base.tokenMetadata(world.devnet.contracts.registry)).toBeNull()
})

test('tokenMetadata: 32-byte names are read, and hostile names lose characters that hide text or reverse the line', async () => {
  const named = async (contract: 'Bytes32Token' | 'DevToken', name: string, symbol: string) => {
    const rpc = new Rpc(world.devnet.chains[base.chainId].rpcUrl)
    const [token, from] = [newAddress(), accounts.deployer.address]
    await rpc.ask('anvil_setCode', token, artifact(contract).deployedBytecode)
    await rpc.ask('anvil_impersonateAccount', from)
    const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'initialize', args: [name, symbol, 8, from] })
    await rpc.ask('eth_sendTransaction', { from, to: token, data, gas: '0x100000' })
    await rpc.ask('evm_mine')
    return base.tokenMetadata(token)
  }
  expect(await named('Bytes32Token', 'Maker', 'MKR')).toEqual({ symbol: 'MKR', name: 'Maker', decimals: 8 })
  expect(await named('DevToken', 'a\u202eb\u0000c\nd\u200b', '\u2066$\u2069\u2028')).toEqual({
    symbol: '$',
    name: 'abcd',
    decimals: 8,
  })
  const long = await named('DevToken', 'x'.repeat(400), '<img src=x onerror=alert(1)>')
  expect(long).toEqual({ symbol: '<img src=x onerror=alert(1)>', name: 'x'.repeat(64), decimals: 8 })
})

test('reorganization: a removed transaction has no receipt, and a confirmed one stays', async () => {
  const { hash, block } = await deposit('USDC', 9n, newAddress(), 'avalanche')
  const avalanche = world.chains[chains.avalanche.id]
  const seen = await avalanche.receipt(hash)
  expect(seen).toMatchObject({ block, succeeded: true })
  const before = await avalanche.confirmed()
  await control('/chains/avalanche', { reorgDepth: 1 })

  expect((await avalanche.confirmed()).number).toBeGreaterThanOrEqual(before.number)
  const after = await avalanche.receipt(hash)
  if (after) expect((await avalanche.blockAt(after.block))?.number).toBe(after.block)
})

testAll([
  ['DOWN', 'RPC_UNREACHABLE'],
  ['GARBAGE', 'RPC_FAILED'],
  ['RATE_LIMIT', 'RPC_RATE_LIMITED'],
  ['SLOW', 'RPC_TIMEOUT'],
])('faults: each fault has its error code, and ends with the fault', async (fault, code) => {
  const polygon = world.client(chains.polygon.id, undefined, fault === 'SLOW' ? 10_000 : undefined)
  await polygon.nativeBalance(newAddress())
  await control('/faults/rpc:polygon', { fault, ...(fault === 'SLOW' && { ms: 600_000 }) })
  const failure = await polygon.nativeBalance(newAddress()).catch((error) => error)
  await fetch(`${world.devnet.controlUrl}/faults/rpc:polygon`, { method: 'DELETE' })

  expect(failure.code).toBe(code)
  const balance = () => polygon.nativeBalance(newAddress()).catch((error) => error.code)
  // A node that requested a pause of one second gets it. Any other node is queried again immediately.
  if (fault === 'RATE_LIMIT')
    await until('the node answers after its pause', async (note) => {
      const found = await balance()
      note(found)
      return found === 0n
    })
  expect(await balance()).toBe(0n)
})
