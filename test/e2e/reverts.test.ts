import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { ExecutionDetailView } from '../../src/http/views/execution-full'
import { type Environment, startEnvironment } from '../support/environment'
import { until } from '../support/until'

type Detail = typeof ExecutionDetailView.infer

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { CONFIRMATIONS_BASE: '20', CHAIN_POLL_MS: '100' } })
})
afterAll(() => environment?.stop())

const shown = async (id: string): Promise<Detail> => {
  const { installation } = environment
  const headers = { 'x-api-key': installation.keys.client }
  return (await fetch(`${installation.apiUrl}/api/executions/${id}`, { headers })).json() as Promise<Detail>
}
const sourceOf = ({ transactions }: Detail) => transactions.filter(({ role }) => role === 'SOURCE')
const control = async (wanted: { reorgDepth: number } | { mining: boolean }) => {
  const body = JSON.stringify(wanted)
  const { status } = await fetch(`${environment.devnet.controlUrl}/chains/base`, { method: 'PUT', body })
  expect(status).toBe(200)
}

/** A deposit whose transaction was refused, as shown before that block is confirmed. */
async function refused(label: string) {
  const { devnet, newUserId, intend, executionsOf } = environment
  const userId = newUserId(label)
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  const deposit = { chainKey: 'base', token: 'SY-REVERT', amountRaw: 25_000_000n, to: depositAddress } as const
  await devnet.sendDeposit(deposit)
  let view: Detail | null = null
  await until('the revert is told', async (note) => {
    const [found] = await executionsOf(userId)
    view = found ? await shown(found.id) : null
    note(view)
    return view !== null && sourceOf(view)[0]?.status === 'REVERTED'
  })
  return { userId, view: view! as Detail }
}

test('a reverted transaction is shown as REVERTED immediately, and ends its execution on confirmation', async () => {
  const { ended } = environment
  const { userId, view } = await refused('refused')
  expect(view).toMatchObject({ status: 'RUNNING', completedAt: null })
  expect(view).toMatchObject({ funds: { holder: 'DEPOSIT_ACCOUNT', amount: '25000000' }, next: { action: 'CONFIRM' } })
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'DEAD_LETTER', cause: { code: 'TRANSACTION_REVERTED' }, retryCount: 0 })
  const { deadline } = done!.facts.order!
  expect(done!.completedAt).toBeLessThan(deadline * 1_000)
  const told = await shown(done!.id)
  expect(sourceOf(told)).toMatchObject([{ status: 'REVERTED', blockNumber: expect.any(Number), txHash: told.txHash }])
  expect(told.history.filter(({ event }) => event === 'transaction reverted')).toHaveLength(1)
})

test('a revert in a block that is reorganized away ends nothing, and the new block counts', async () => {
  const { ended, clients } = environment
  const { userId, view } = await refused('taken back')
  await control({ mining: false })
  const head = Number(await clients.base.getBlockNumber({ cacheTime: 0 }))
  await control({ reorgDepth: head - sourceOf(view)[0]!.blockNumber! + 1 })
  await control({ mining: true })
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'DEAD_LETTER', cause: { code: 'TRANSACTION_REVERTED' }, retryCount: 0 })
  const { receipt } = done!.facts
  const { status, blockNumber } = await clients.base.getTransactionReceipt({ hash: receipt!.hash })
  expect({ status, block: Number(blockNumber) }).toEqual({ status: 'reverted', block: receipt!.block })
})
