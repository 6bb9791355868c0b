import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createWalletClient, http } from 'viem'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { accounts } from '../../src/devnet/chains/accounts'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { type ChainKey, chainKeys, chains } from '../../src/domain/chain/chain'
import type { Hash, Hex } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { nextOf } from '../../src/http/views/next'
import { domainOf, messageTransmitter } from '../../src/protocols/cctp/burn'
import { receiveMessage } from '../../src/protocols/cctp/mint'
import { nightly, sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  // LI.FI is down and Relay is not configured, so every arrival was burned and minted.
  environment = await startEnvironment({ cctp: true })
  await fault('lifi', { fault: 'DOWN' })
})
afterAll(() => environment?.stop())

const fault = (target: string, body: object | null) =>
  fetch(`${environment.devnet.controlUrl}/faults/${target}`, {
    method: body ? 'PUT' : 'DELETE',
    ...(body && { body: JSON.stringify(body) }),
  })

/** A user whose deposit of 25 USDC on one chain should become USDC on another. */
async function deposited(name: string, from: ChainKey, to: ChainKey): Promise<string> {
  const { devnet, intend, newUserId } = environment
  const userId = newUserId(name)
  const { depositAddress } = await intend(userId, { to, receive: 'USDC' })
  await devnet.sendDeposit({ chainKey: from, token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  return userId
}

const readOf = async (userId: string): Promise<Execution | null> => (await environment.executionsOf(userId))[0] ?? null
const left = (userId: string) =>
  until('it was burned', async (note) => {
    const execution = note(await readOf(userId))
    return execution?.facts.spent ? execution : null
  })

/** The mint call from Circle's public API. */
async function attestedCall({ deposit, facts }: Execution): Promise<Hex | null> {
  const query = `v2/messages/${domainOf(deposit.chainId)}?transactionHash=${facts.spent!.hash}`
  const answer = await fetch(`${environment.devnet.cctpUrl}/${query}`)
  const { messages = [] } = (await answer.json()) as { messages?: { message: Hex; attestation: string }[] }
  const [said] = messages
  return said && said.attestation !== 'PENDING' ? receiveMessage(said.message, said.attestation as Hex) : null
}

test('USDC arrives from each chain on each other through Circle alone, while LI.FI and Relay are down', async () => {
  const pairs = chainKeys.flatMap((from) => chainKeys.filter((to) => to !== from).map((to) => [from, to] as const))
  const users = await Promise.all(pairs.map(([from, to]) => deposited('pair', from, to)))
  for (const [n, userId] of users.entries()) {
    const [done] = await environment.ended(userId, 1)
    const { facts } = done!
    expect([pairs[n]!.join(' to '), done!.status, facts.route?.provider]).toEqual([
      pairs[n]!.join(' to '),
      'SUCCESS',
      'cctp',
    ])
    expect(facts.mint!.transactions.map(({ hash }) => hash)).toContain(facts.delivery!.hash)
    expect(BigInt(facts.delivery!.amountRaw)).toBeGreaterThanOrEqual(BigInt(facts.route!.amountOutMin))
    expect(await environment.devnet.balanceOf(pairs[n]![1], 'USDC', recipientOf(userId))).toBe(
      BigInt(facts.delivery!.amountRaw),
    )
    expect(BigInt(facts.fees!.gasFeeRaw)).toBeGreaterThan(0n)
  }
})

test('a mint whose relayer cannot pay is reported, and a third party’s mint delivers it', async () => {
  const rpc = new Rpc(environment.devnet.chains[chains.polygon.id].rpcUrl)
  const had = await Promise.all(
    accounts.relayers.map(({ address }) => rpc.ask<string>('eth_getBalance', address, 'latest')),
  )
  for (const { address } of accounts.relayers) await rpc.ask('anvil_setBalance', address, '0x0')
  const userId = await deposited('unpaid', 'base', 'polygon')
  const waiting = await until('it waits for gas', async (note) => {
    const execution = note(await readOf(userId))
    return execution?.facts.mint && execution.facts.waiting?.for === 'GAS' ? execution : null
  })
  expect(nextOf(waiting, Date.now()).message).toContain('Any account can mint it on Polygon')

  const data = (await attestedCall(waiting))!
  const url = environment.devnet.chains[chains.polygon.id].rpcUrl
  const hash: Hash = await createWalletClient({ account: accounts.faucet, transport: http(url) }).sendTransaction({
    chain: null,
    to: messageTransmitter,
    data,
  })
  const [done] = await environment.ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', facts: { delivery: { hash } } })
  expect(done!.facts.mint!.transactions).toEqual([])
  for (const [n, { address }] of accounts.relayers.entries()) await rpc.ask('anvil_setBalance', address, had[n])
})

nightly(
  'nothing is burned while Circle has no fast allowance and the policy excludes a standard transfer, until that ends',
  async () => {
    await fault('cctp', { fault: 'NO_ALLOWANCE' })
    const userId = await deposited('unallowed', 'base', 'arbitrum')
    // A deposit without a route is not in a list yet.
    const stored = () => environment.connection.db!.collection('executions').findOne({ userId })
    const looked = await until('no route was found', async (note) => {
      const found = note(await stored())
      return found?.['cause'] || found?.['facts'].waiting?.for === 'PROVIDER' ? found : null
    })
    expect(looked['facts'].order).toBeUndefined()
    await fault('cctp', null)
    const [done] = await environment.ended(userId, 1)
    expect([done!.status, done!.facts.route!.provider]).toEqual(['SUCCESS', 'cctp'])
  },
)

testAll(sample('faults of an attestation', ['LATE', 'EXPIRED', 'FEE_ABOVE'], 1))(
  'a burn with an attestation that is late, expired or above the fee arrives later',
  async (kind) => {
    await fault('cctp', { fault: kind })
    const userId = await deposited('delayed', 'base', 'arbitrum')
    await left(userId)
    await fault('cctp', null)
    const [done] = await environment.ended(userId, 1)
    expect([done!.status, done!.facts.route!.provider]).toEqual(['SUCCESS', 'cctp'])
  },
)

test('an attestation that the chain refuses is never sent, even after a kill of the service, and a valid one is', async () => {
  await fault('cctp', { fault: 'WRONG' })
  const userId = await deposited('wrong', 'ethereum', 'base')
  const execution = await left(userId)
  await until('Circle has attested it', async (note) => note(await attestedCall(execution)))
  const { pid, exited } = environment.installation.server('service')
  process.kill(pid!, 'SIGKILL')
  await exited
  await until('the service is up again', (note) => note(environment.installation.server('service').pid) !== pid)
  const up = Date.now()
  const refused = await until('the chain has refused it', async (note) => {
    const { mint } = note(await readOf(userId))!.facts
    return mint && (mint.refusedAt ?? 0) > up ? mint : null
  })
  expect(refused.transactions).toEqual([])
  await fault('cctp', null)
  const [done] = await environment.ended(userId, 1)
  expect([done!.status, done!.facts.mint!.transactions.length]).toEqual(['SUCCESS', 1])
})
