import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type Environment, startEnvironment, until } from '../support/environment'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { CONFIRMATIONS_BASE: '5', CHAIN_POLL_MS: '100' } })
}, 120_000)
afterAll(() => environment?.stop(), 60_000)

const reorg = async (reorgDepth: number) => {
  const body = JSON.stringify({ reorgDepth })
  const { status } = await fetch(`${environment.devnet.controlUrl}/chains/base`, { method: 'PUT', body })
  expect(status).toBe(200)
}
const deposited = async (label: string) => {
  const { devnet, newUserId, intend, routesExecuted } = environment
  const userId = newUserId(label)
  const { depositAddress } = await intend(userId, { to: 'base', receive: 'USDC' })
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 13_000_000n, to: depositAddress })
  const routes = async () => (await routesExecuted()).filter(({ account }) => account === depositAddress)
  return { userId, routes }
}

test.each([1, 2, 3])(
  'a reorganization of %d blocks takes our mined transaction: the same bytes are mined again, once',
  async (depth) => {
    const { ended, executionsOf } = environment
    const { userId, routes } = await deposited('reorganized')
    await until('our transaction is mined', 40_000, async () => (await routes()).length === 1)
    await reorg(depth)
    const [done] = await ended(userId, 1, 60_000)
    expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
    expect(await routes()).toHaveLength(1)
    expect(await executionsOf(userId)).toHaveLength(1)
  },
  120_000,
)

test('a reorganization takes the deposit before it is confirmed: shown as ORPHANED, nothing recorded or signed', async () => {
  const { installation, executionsOf } = environment
  const { userId, routes } = await deposited('orphaned')
  const headers = { 'x-api-key': installation.keys.client }
  async function stage(): Promise<string | undefined> {
    const answer = await fetch(`${installation.apiUrl}/api/deposits?userId=${userId}`, { headers })
    return ((await answer.json()) as { stage: string }[])[0]?.stage
  }
  await until('it is seen', 10_000, async () => (await stage()) === 'CONFIRMING')
  await reorg(2)
  await until('it is orphaned', 30_000, async () => (await stage()) === 'ORPHANED')
  expect(await executionsOf(userId)).toEqual([])
  expect(await routes()).toEqual([])
}, 120_000)
