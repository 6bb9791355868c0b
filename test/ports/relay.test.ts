import { afterAll, beforeAll, expect, test } from 'bun:test'
import fc from 'fast-check'
import { decodeFunctionResult, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { relayDepositGuardAbi } from '../../contracts/artifacts/abi'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chains } from '../../src/domain/chain/chain'
import type { Execution } from '../../src/domain/execution/execution'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import {
  type RelayRefund,
  type RelayTerms,
  readRelayWitness,
  relayDeposit,
} from '../../src/protocols/relay/relay-order'
import type { Demand } from '../../src/signer/function-rule'
import { relayRules } from '../../src/signer/relay-deposit'
import { newAddress, type OrderWorld, orderWorld } from '../support/order-world'
import { testAll } from '../support/test-all'
import { eventually } from '../support/until'

let world: OrderWorld
beforeAll(async () => {
  world = await orderWorld('relay')
})
afterAll(() => world?.end())

const wanted = (token = 'USDC', amountRaw = 25_000_000n) => ({
  ...({ from: 'base', token, to: 'arbitrum', toToken: token, amountRaw, recipient: newAddress() } as const),
})

/** Signs, sends and follows an execution to its end. */
async function carriedOut(execution: Execution) {
  const { chains: evm, signer, relayers, provider } = world
  const base = evm[chains.base.id]
  const order = await signer.sign(execution, await world.deadline('base'))
  const { id, address } = relayers.forRoute(chains.base.id, order.routeId)
  const { gasLimit } = await base.estimate(order, address)
  const nonce = await base.minedNonces(address)
  const { hash, bytes } = await relayers.transaction(
    id,
    nonce,
    { ...order, gasLimit: String((gasLimit * 13n) / 10n) },
    await base.fee(),
  )
  await base.send(bytes)
  const sent = { hash, fromChainId: chains.base.id, toChainId: chains.arbitrum.id }
  const outcome = () =>
    provider.outcome({ ...sent, reference: execution.facts.route!.reference }, AbortSignal.timeout(60_000))
  return eventually('an end of the bridge’s work', outcome, ({ kind }) => kind !== 'PENDING')
}

testAll([
  ['USDC', 25_000_000n],
  ['native', 5n * 10n ** 16n],
])('a token or the coin is deposited, filled by the solver and arrives in full', async (token, amountRaw) => {
  const execution = await world.execution(wanted(token, amountRaw))
  const { route, intent } = execution.facts
  expect(route).toMatchObject({ provider: 'relay', kind: 'BRIDGE', slippageBps: 50 })
  const outcome = await carriedOut(execution)
  if (outcome.kind !== 'DELIVERED') throw new Error(outcome.kind)
  const { targetTokenAddress, targetAddress } = intent!
  const arrived = await eventually('the transfer that arrived', () =>
    world.chains[chains.arbitrum.id].arrived(outcome.hash, targetTokenAddress, targetAddress),
  )
  expect(arrived.amountRaw).toBe(BigInt(route!.amountOutExpected))
})

test('a deposit that the solver cannot fill is refunded to the account in a named transaction', async () => {
  const execution = await world.execution(wanted())
  await fetch(`${world.devnet.controlUrl}/faults/relay`, {
    method: 'PUT',
    body: JSON.stringify({ fault: 'REFUND', times: 1 }),
  })
  const outcome = await carriedOut(execution)
  if (outcome.kind !== 'RETURNED' || !outcome.hash) throw new Error(outcome.kind)
  const { account, token } = execution.deposit
  const arrived = await eventually('the transfer that arrived', () =>
    world.chains[chains.base.id].arrived(outcome.hash!, token, account),
  )
  expect(arrived.amountRaw).toBe(BigInt(execution.facts.route!.amountIn))
})

const demandOf = ({ deposit, facts }: Execution): Demand => ({
  account: deposit.account,
  fromChainId: deposit.chainId,
  token: deposit.token,
  amount: BigInt(facts.route!.amountIn),
  toChainId: facts.intent!.targetChainId,
  tokenOut: facts.intent!.targetTokenAddress,
  recipient: facts.intent!.targetAddress,
  minOut: BigInt(facts.route!.amountOutMin),
  nativeFee: 0n,
  time: Math.floor(Date.now() / 1000),
})

function objectionTo(data: Hex, demand: Demand): string | null {
  const rule = relayRules(accounts.relaySolver.address).find(({ selector }) => selector === data.slice(0, 10))
  try {
    return rule ? rule.objection(data, demand) : 'no rule'
  } catch {
    return 'cannot be read'
  }
}

/** Asks the contract the same question. */
async function guardAgrees(data: Hex, demand: Demand): Promise<boolean> {
  const rpc = new Rpc(world.devnet.chains[chains.base.id].rpcUrl)
  const { tokenOut, recipient, minOut, toChainId, nativeFee } = demand
  const intent = { toChainId: BigInt(toChainId), tokenOut, recipient, minOut }
  const args = [data, demand.account, demand.token, demand.amount, nativeFee, intent] as const
  const call = encodeFunctionData({ abi: relayDepositGuardAbi, functionName: 'check', args })
  const to = world.devnet.contracts.guards['RelayDepositGuard']!
  const answer = await rpc.ask<Hex>('eth_call', { to, data: call }, 'latest').catch(() => null)
  return answer !== null && decodeFunctionResult({ abi: relayDepositGuardAbi, functionName: 'check', data: answer })
}

test('signer and guard refuse a payment to another recipient, chain or token, or of less than demanded', async () => {
  const execution = await world.execution({ ...wanted(), funded: false })
  const { data } = execution.facts.route!.call!
  const demand = demandOf(execution)
  expect(objectionTo(data, demand)).toBeNull()
  expect(await guardAgrees(data, demand)).toBe(true)
  const other = newAddress()
  const changes: Partial<Demand>[] = [
    { recipient: other },
    { account: other },
    { token: other },
    { tokenOut: other },
    { tokenOut: zeroAddress },
    { amount: demand.amount - 1n },
    { toChainId: chains.polygon.id },
    { minOut: demand.minOut + 1n },
    { token: zeroAddress },
    { nativeFee: 1n },
  ]
  for (const change of changes) {
    expect(objectionTo(data, { ...demand, ...change })).not.toBeNull()
    expect(await guardAgrees(data, { ...demand, ...change })).toBe(false)
  }
})

test('signer and guard refuse any flipped bit in the calldata', async () => {
  for (const token of ['USDC', 'native']) {
    const execution = await world.execution({ ...wanted(token, 5n * 10n ** 16n), funded: false })
    const { data } = execution.facts.route!.call!
    const demand = demandOf(execution)
    const bits = (data.length - 2) * 4
    const turned = (bit: number): Hex => {
      const at = 2 + Math.floor(bit / 4)
      const digit = (Number.parseInt(data[at]!, 16) ^ (1 << (bit % 4))).toString(16)
      return `${data.slice(0, at)}${digit}${data.slice(at + 1)}` as Hex
    }
    for (const bit of fc.sample(fc.nat({ max: bits - 1 }), 600)) expect(objectionTo(turned(bit), demand)).not.toBeNull()
    const some = fc.sample(fc.nat({ max: bits - 1 }), 60)
    for (const answer of await Promise.all(some.map((bit) => guardAgrees(turned(bit), demand))))
      expect(answer).toBe(false)
    for (const crooked of [data.slice(0, -2), `${data}00`, `${data}${'0'.repeat(64)}`, data.slice(0, 266)] as Hex[]) {
      expect(objectionTo(crooked, demand)).not.toBeNull()
      expect(await guardAgrees(crooked, demand)).toBe(false)
    }
  }
})

test('signer and guard refuse worthless refunds, and orders that are expired or never expire', async () => {
  for (const token of ['USDC', 'native']) {
    const execution = await world.execution({ ...wanted(token, 5n * 10n ** 16n), funded: false })
    const demand = demandOf(execution)
    const solver = accounts.relaySolver.address
    const { data } = execution.facts.route!.call!
    const terms = readRelayWitness(`0x${data.slice(10 + (token === 'native' ? 128 : 256))}`)!
    const day = 86_400
    const verdict = async (change: Partial<RelayTerms>) => {
      const changed = relayDeposit({ ...demand, solver }, { ...terms, ...change })
      return [objectionTo(changed, demand), await guardAgrees(changed, demand)]
    }
    const refunding = (at: number, change: Partial<RelayRefund>) => ({
      refunds: terms.refunds.map((refund, n) => (n === at ? { ...refund, ...change } : refund)),
    })
    const late = demand.time + 11 * day
    for (const [reason, change] of [
      [null, {}],
      [null, { deadline: demand.time + 9 * day }],
      [null, refunding(1, { currency: usdcOf(demand.toChainId) })],
      [null, refunding(1, { currency: zeroAddress })],
      ['refunds another token', refunding(0, { currency: newAddress() })],
      ['refunds another token', refunding(0, { currency: usdcOf(demand.toChainId) })],
      ['refunds another token', refunding(1, { currency: newAddress() })],
      ['is open for too long or too short', { deadline: late }],
      ['is open for too long or too short', { deadline: 0xffffffff }],
      ['is open for too long or too short', { deadline: demand.time - day }],
      ['is open for too long or too short', refunding(0, { deadline: late })],
      ['is open for too long or too short', refunding(1, { deadline: demand.time - day })],
      ['sends too many refunds', { refunds: Array(5).fill(terms.refunds[0]) }],
      ['sends refunds to another account', { refunds: terms.refunds.slice(1) }],
    ] as const)
      expect(await verdict(change)).toEqual([reason, reason === null])
  }
})

test('the witness describes the order, but the depository does not read it', async () => {
  const execution = await world.execution({ ...wanted(), funded: false })
  const { call, amountOutMin, amountOutExpected } = execution.facts.route!
  const terms = readRelayWitness(`0x${call!.data.slice(10 + 256)}`)!
  expect(terms).toMatchObject({ minimumAmount: BigInt(amountOutMin), expectedAmount: BigInt(amountOutExpected) })
  expect(terms.refunds.map(({ isDestination }) => isDestination)).toEqual([false, true])
})

test('the signer refuses an otherwise good order with an unknown solver', async () => {
  const execution = await world.execution({ ...wanted(), funded: false })
  const [rule] = relayRules(newAddress())
  expect(rule!.objection(execution.facts.route!.call!.data, demandOf(execution))).not.toBeNull()
})

test('Relay is not asked for a swap on one chain', async () => {
  const [fromToken, toToken] = ['USDC', 'WETH'].map((name) => tokenOf(chains.base.id, name)!.address)
  const request = {
    fromChainId: chains.base.id,
    toChainId: chains.base.id,
    fromToken: fromToken!,
    toToken: toToken!,
    amountIn: 5n,
    account: newAddress(),
    recipient: newAddress(),
    policy: { slippageBps: 50, minOutputBps: 9_700, maxDurationSeconds: 60, maxHops: 3, requiresSponsoredGas: false },
  }
  expect(await world.provider.quote(request, AbortSignal.timeout(60_000))).toBeNull()
  expect(
    await world.provider.quote({ ...request, toChainId: 42161, fromToken: newAddress() }, AbortSignal.timeout(60_000)),
  ).toBeNull()
})
