import { afterAll, beforeAll, expect, test } from 'bun:test'
import { accounts } from '../../src/devnet/chains/accounts'
import { Rpc } from '../../src/devnet/rpc/rpc'
import type { ErrorCode } from '../../src/domain/error'
import { type Environment, startEnvironment } from '../support/environment'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { ORDER_SECONDS: '12' } })
})
afterAll(() => environment?.stop())

const toArbitrum = { to: 'arbitrum', receive: 'USDC' } as const

// The chain shows how the first two orders ended, so nothing is retried.
testAll<[string, ErrorCode, number]>([
  ['SY-REVERT', 'TRANSACTION_REVERTED', 0],
  ['SY-PARTIAL', 'PARTIAL_DELIVERY', 0],
  ['SY-DOWN', 'PROVIDER_FAILED', 10],
])('a deposit ends in DEAD_LETTER by its token’s cause, after its retries', async (token, code, retryCount) => {
  const { devnet, newUserId, intend, ended } = environment
  const userId = newUserId('caused')
  const { depositAddress } = await intend(userId, toArbitrum)
  await devnet.sendDeposit({ chainKey: 'base', token, amountRaw: 25_000_000n, to: depositAddress })
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'DEAD_LETTER', cause: { code }, retryCount })
})

test('executions wait for relayers without native coin, without a retry, and continue once these are funded', async () => {
  const { devnet, newUserId, intend, ended, connection } = environment
  const rpc = new Rpc(devnet.chains[8453].rpcUrl)
  const { relayers } = accounts
  const had = await Promise.all(relayers.map(({ address }) => rpc.ask<string>('eth_getBalance', address, 'latest')))
  for (const { address } of relayers) await rpc.ask('anvil_setBalance', address, '0x0')
  const userId = newUserId('gas')
  const { depositAddress } = await intend(userId, toArbitrum)
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 11_000_000n, to: depositAddress })
  const waiting = async () => (await connection.db!.collection('executions').findOne({ userId }))?.['facts']?.waiting
  await until('it waits for gas', async (note) => note(await waiting())?.for === 'GAS')
  for (const [n, { address }] of relayers.entries()) await rpc.ask('anvil_setBalance', address, had[n])
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
})
