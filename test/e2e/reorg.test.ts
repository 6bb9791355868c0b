import { afterAll, beforeAll, expect, test } from 'bun:test'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { CONFIRMATIONS_BASE: '8', CHAIN_POLL_MS: '100' } })
})
afterAll(() => environment?.stop())

const control = async (wanted: { reorgDepth: number } | { mining: boolean }) => {
  const body = JSON.stringify(wanted)
  const { status } = await fetch(`${environment.devnet.controlUrl}/chains/base`, { method: 'PUT', body })
  expect(status).toBe(200)
}
const reorg = (reorgDepth: number) => control({ reorgDepth })
const deposited = async (label: string) => {
  const { devnet, newUserId, intend, routesExecuted } = environment
  const userId = newUserId(label)
  const { depositAddress } = await intend(userId, { to: 'base', receive: 'USDC' })
  const deposit = { chainKey: 'base', token: 'USDC', amountRaw: 13_000_000n, to: depositAddress } as const
  const hash = await devnet.sendDeposit(deposit)
  const routes = async () => (await routesExecuted()).filter(({ account }) => account === depositAddress)
  return { userId, routes, hash }
}

testAll(sample('depths of a reorganization', [3, 1, 2], 1))(
  'a reorganization removes our mined transaction, and the same bytes are mined again once',
  async (depth) => {
    const { ended, executionsOf } = environment
    const { userId, routes } = await deposited('reorganized')
    await until('our transaction is mined', async (note) => note(await routes()).length === 1)
    await reorg(depth)
    const [done] = await ended(userId, 1)
    expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
    expect(await routes()).toHaveLength(1)
    expect(await executionsOf(userId)).toHaveLength(1)
  },
)

test('a deposit reorganized away before its confirmation is shown as ORPHANED, and nothing is signed', async () => {
  const { installation, executionsOf, devnet, clients } = environment
  const { userId, routes, hash } = await deposited('orphaned')
  const { blockNumber } = await devnet.waitForReceipt('base', hash)
  await control({ mining: false }) // nothing is confirmed in this time
  const headers = { 'x-api-key': installation.keys.client }
  async function stage(): Promise<string | undefined> {
    const answer = await fetch(`${installation.apiUrl}/api/deposits?userId=${userId}`, { headers })
    return ((await answer.json()) as { stage: string }[])[0]?.stage
  }
  await until('it is seen', async (note) => note(await stage()) === 'CONFIRMING')
  const head = await clients.base.getBlockNumber({ cacheTime: 0 })
  await reorg(Number(head - BigInt(blockNumber)) + 1)
  await control({ mining: true })
  await until('it is orphaned', async (note) => note(await stage()) === 'ORPHANED')
  expect(await executionsOf(userId)).toEqual([])
  expect(await routes()).toEqual([])
})
