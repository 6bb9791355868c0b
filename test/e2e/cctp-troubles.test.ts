import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Abi, encodeFunctionData, toHex } from 'viem'
import { blocklistTokenAbi, devMessageTransmitterAbi } from '../../contracts/artifacts/abi'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { accounts } from '../../src/devnet/chains/accounts'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { type ChainKey, chains } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import type { Execution } from '../../src/domain/execution/execution'
import { messageTransmitter } from '../../src/protocols/cctp/burn'
import { usdcOf } from '../../src/protocols/lifi/diamond'
import { nightly } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ cctp: true })
  await fault('lifi', { fault: 'NO_ROUTE' })
})
afterAll(() => environment?.stop())

const fault = (target: string, body: object | null) =>
  fetch(`${environment.devnet.controlUrl}/faults/${target}`, {
    method: body ? 'PUT' : 'DELETE',
    ...(body && { body: JSON.stringify(body) }),
  })
const rpcOf = (key: ChainKey) => new Rpc(environment.devnet.chains[chains[key].id].rpcUrl)

/** Calls Circle's contracts as their owner. */
async function circle(key: ChainKey, to: Address, abi: unknown, functionName: string, args: unknown[]) {
  const [rpc, from] = [rpcOf(key), accounts.deployer.address]
  await rpc.ask('anvil_impersonateAccount', from)
  const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
  const hash = await rpc.ask<Hash>('eth_sendTransaction', { from, to, data, gas: toHex(200_000) })
  expect((await environment.devnet.waitForReceipt(key, hash)).status).toBe('0x1')
}

/** A user whose deposit of 25 USDC on one chain should become USDC on another. */
async function user(name: string, to: ChainKey) {
  const userId = environment.newUserId(name)
  const { depositAddress } = await environment.intend(userId, { to, receive: 'USDC' })
  const deposit = (chainKey: ChainKey) =>
    environment.devnet.sendDeposit({ chainKey, token: 'USDC', amountRaw: 25_000_000n, to: depositAddress })
  return { userId, depositAddress, deposit }
}
const storedOf = (userId: string) =>
  environment.connection.db!.collection('executions').findOne({ userId }) as Promise<Pick<
    Execution,
    'facts' | 'cause'
  > | null>
const waitsForProvider = (userId: string) =>
  until('it waits for a provider', async (note) => {
    const found = note(await storedOf(userId))
    return found?.facts.waiting?.for === 'PROVIDER' || found?.cause ? found : null
  })
const readOf = async (userId: string): Promise<Execution | null> => (await environment.executionsOf(userId))[0] ?? null
const burned = (userId: string) =>
  until('it was burned', async (note) => {
    const execution = note(await readOf(userId))
    return execution?.facts.spent ? execution : null
  })

/** The deposit is still in the account, and no order of it was ever signed. */
async function isUntouched({ facts }: Pick<Execution, 'facts'>, key: ChainKey, account: Address) {
  expect([facts.order, facts.spent]).toEqual([undefined, undefined])
  expect(await environment.devnet.balanceOf(key, 'USDC', account)).toBe(25_000_000n)
}

test('USDC that could not be minted for its recipient is not burned: the deposit ends with that reason, and a re-drive works later', async () => {
  const { userId, depositAddress, deposit } = await user('refused', 'arbitrum')
  const usdc = usdcOf(chains.arbitrum.id)
  await circle('arbitrum', usdc, blocklistTokenAbi, 'setBlocked', [recipientOf(userId), true])
  await deposit('base')
  const [done] = await environment.ended(userId, 1)
  expect([done!.status, done!.cause!.code]).toEqual(['FAILED_UNROUTABLE_MAIN', 'NO_ROUTE'])
  expect(done!.facts.candidates!.find(({ provider }) => provider === 'cctp')!.reason).toContain('refuses the recipient')
  await isUntouched(done!, 'base', depositAddress)

  await circle('arbitrum', usdc, blocklistTokenAbi, 'setBlocked', [recipientOf(userId), false])
  const { apiUrl, keys } = environment.installation
  const { status } = await fetch(`${apiUrl}/api/operator/executions/${encodeURIComponent(done!.id)}/redrive`, {
    method: 'POST',
    headers: { 'x-api-key': keys.operator, 'content-type': 'application/json' },
    body: JSON.stringify({ intent: 'CURRENT', reason: 'Circle lets the recipient in again' }),
  })
  expect(status).toBe(202)
  const ended = await environment.ended(userId, 2)
  expect(ended.find(({ redriveOf }) => redriveOf === done!.id)).toMatchObject({
    status: 'SUCCESS',
    facts: { route: { provider: 'cctp' } },
  })
})

nightly(
  'nothing is burned for a chain that Circle has paused, no retry is spent, and the deposit continues afterwards',
  async () => {
    const { userId, depositAddress, deposit } = await user('still', 'polygon')
    await circle('polygon', messageTransmitter, devMessageTransmitterAbi, 'setPaused', [true])
    await deposit('ethereum')
    await isUntouched(await waitsForProvider(userId), 'ethereum', depositAddress)
    await circle('polygon', messageTransmitter, devMessageTransmitterAbi, 'setPaused', [false])
    const [done] = await environment.ended(userId, 1)
    expect([done!.status, done!.facts.route!.provider, done!.retryCount]).toEqual(['SUCCESS', 'cctp', 0])
  },
)

nightly(
  'an allowance used up after the quote, and an outage of Circle’s API after the burn, only delay the deposit',
  async () => {
    const { userId, deposit } = await user('unallowed', 'avalanche')
    const rpc = rpcOf('base')
    const had = await Promise.all(
      accounts.relayers.map(({ address }) => rpc.ask<string>('eth_getBalance', address, 'latest')),
    )
    for (const { address } of accounts.relayers) await rpc.ask('anvil_setBalance', address, '0x0')
    await deposit('base')
    // The route is chosen, and its relayer cannot pay yet.
    await until('it waits for gas', async (note) => {
      const found = note(await storedOf(userId))
      return found?.facts.route && found.facts.waiting?.for === 'GAS' ? found : null
    })
    await fault('cctp', { fault: 'NO_ALLOWANCE' })
    for (const [n, { address }] of accounts.relayers.entries()) await rpc.ask('anvil_setBalance', address, had[n])
    const { facts } = await burned(userId)
    await fault('cctp', { fault: 'DOWN' })
    const { dueAt } = (await readOf(userId))!
    const looked = await until('it was looked for while Circle is away', async (note) => {
      const execution = note(await readOf(userId))
      return execution && execution.dueAt !== dueAt ? execution : null
    })
    expect([looked.status, looked.facts.mint]).toEqual(['RUNNING', undefined])
    await fault('cctp', null)
    const [done] = await environment.ended(userId, 1)
    expect([done!.status, done!.retryCount]).toEqual(['SUCCESS', 0])
    // Circle keeps nothing of a transfer that became a standard one.
    expect(done!.facts.delivery!.amountRaw).toBe(facts.route!.amountIn)
  },
)
