import { afterAll, beforeAll, expect, test } from 'bun:test'
import { recipientOf } from '../../src/cli/demo/demo-deposits'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { chains } from '../../src/domain/chain/chain'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { seenPaused } from '../support/service-seen'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment({ env: { HEAD_STALE_SECONDS: '2', RETRY_MAX_MS: '5000' } })
  // A chain is reported as down until its contracts are verified.
  await until('readiness', async (note) => Object.values(note(await checks()).checks).every((said) => said === 'ok'))
})
afterAll(() => environment?.stop())

const toArbitrum = { to: 'arbitrum', receive: 'USDC' } as const

const put = (fault: string) =>
  fetch(`${environment.devnet.controlUrl}/faults/rpc:base`, { method: 'PUT', body: JSON.stringify({ fault }) })
const remove = () => fetch(`${environment.devnet.controlUrl}/faults/rpc:base`, { method: 'DELETE' })

async function checks(): Promise<{ status: number; checks: Record<string, string> }> {
  const answer = await fetch(`${environment.installation.apiUrl}/ready`)
  return { ...((await answer.json()) as { checks: Record<string, string> }), status: answer.status }
}

/** Stores an intent for a token on Base. */
async function aim(userId: string, targetTokenAddress: string, targetChainId: number = chains.base.id) {
  const { installation } = environment
  const answer = await fetch(`${installation.apiUrl}/api/deposit-intents`, {
    method: 'POST',
    headers: { 'x-api-key': installation.keys.client, 'content-type': 'application/json' },
    body: JSON.stringify({ userId, targetChainId, targetTokenAddress, targetAddress: recipientOf(userId) }),
  })
  const { code, message } = (await answer.json()) as { code?: string; message?: string }
  return { status: answer.status, header: answer.headers.get('x-error-code'), code, message }
}
const nowhere = `0x${'1f'.repeat(20)}`

test('a target without a contract at the token’s address is refused, and nothing is stored', async () => {
  const { newUserId, devnet, countDocuments } = environment
  const userId = newUserId('mistaken')
  const stored = async () => {
    const { accounts, intents, auditLog } = await countDocuments()
    return { accounts, intents, auditLog }
  }
  const before = await stored()
  expect(await aim(userId, nowhere)).toEqual({
    status: 400,
    header: 'TARGET_TOKEN_NOT_FOUND',
    code: 'TARGET_TOKEN_NOT_FOUND',
    message: 'There is no contract at the target token address on Base',
  })
  const usdcOfBase = tokenOf(chains.base.id, 'USDC')!.address
  expect(await aim(userId, usdcOfBase, chains.arbitrum.id)).toEqual({
    status: 400,
    header: 'TARGET_TOKEN_OF_OTHER_CHAIN',
    code: 'TARGET_TOKEN_OF_OTHER_CHAIN',
    message: 'The target token address belongs to USDC on Base; on Arbitrum there is no contract at it',
  })
  expect(await stored()).toEqual(before)
  // An unlisted token.
  expect(await aim(userId, devnet.contracts.executor)).toMatchObject({ status: 201, header: null })
  expect(await stored()).toEqual({
    accounts: before.accounts! + 1,
    intents: before.intents! + 1,
    auditLog: before.auditLog! + 1,
  })
})

testAll(sample('faults of a node', ['WRONG_CHAIN', 'STALE', 'DOWN', 'GARBAGE', 'RATE_LIMIT'], 2))(
  'a node with a fault signs nothing, is named by readiness, and continues automatically',
  async (fault) => {
    const { devnet, newUserId, intend, ended, executionsOf } = environment
    await remove()
    const userId = newUserId('ailing')
    const { depositAddress } = await intend(userId, toArbitrum)
    expect((await put(fault)).status).toBe(200)
    const down = await until(`readiness that says base is down by ${fault}`, async (note) => {
      const found = note(await checks())
      return found.checks['base'] === 'down' && found
    })
    // The intent may be valid, so an unreachable node refuses nothing.
    const aimed = newUserId('aimed')
    expect(await aim(aimed, nowhere)).toMatchObject({ status: 201 })
    expect(down).toMatchObject({ status: 200, checks: { mongodb: 'ok', nats: 'ok', ethereum: 'ok', polygon: 'ok' } })
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 11_000_000n, to: depositAddress })
    await devnet.sendDeposit({ chainKey: 'polygon', token: 'USDC', amountRaw: 12_000_000n, to: depositAddress })
    expect(await ended(userId, 1)).toMatchObject([{ status: 'SUCCESS', deposit: { amountRaw: '12000000' } }])
    expect(await executionsOf(userId)).toHaveLength(1)

    await remove()
    await until('readiness again', async (note) => note(await checks()).checks['base'] === 'ok')
    await until('refusals again', async (note) => note(await aim(aimed, nowhere)).code === 'TARGET_TOKEN_NOT_FOUND')
    const both = await ended(userId, 2)
    expect(both.map(({ status, deposit }) => [status, deposit.amountRaw])).toEqual([
      ['SUCCESS', '12000000'],
      ['SUCCESS', '11000000'],
    ])
  },
)

testAll(sample('faults of a node after a deposit', ['STALE', 'WRONG_CHAIN', 'DOWN'], 1))(
  'a recorded deposit waits unsigned while its node has a fault, and continues afterwards',
  async (fault) => {
    const { devnet, newUserId, intend, ended, installation, connection } = environment
    await remove()
    const userId = newUserId('overtaken')
    const { depositAddress } = await intend(userId, toArbitrum)
    const headers = { 'x-api-key': installation.keys.platformOperator, 'content-type': 'application/json' }
    const pause = (forMs: number) => {
      const body = JSON.stringify({ reason: 'a while', until: new Date(Date.now() + forMs).toISOString() })
      return fetch(`${installation.apiUrl}/api/operator/pauses/chain:8453`, { method: 'PUT', headers, body })
    }
    expect((await pause(60_000)).status).toBe(200)
    await seenPaused(environment, 'base')
    await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 11_000_000n, to: depositAddress })
    const facts = async () => (await connection.db!.collection('executions').findOne({ userId }))?.['facts']
    await until('it is recorded, and paused', async (note) => note(await facts())?.waiting?.for === 'PAUSE')
    await put(fault)
    await until('readiness says it', async (note) => note(await checks()).checks['base'] === 'down')
    await pause(1_000)
    await until('it waits for the node', async (note) => note(await facts())?.waiting?.for === 'NODE')
    expect(await facts()).not.toHaveProperty('order')
    await remove()
    const [done] = await ended(userId, 1)
    expect(done!.status).toBe('SUCCESS')
    expect(done!.retryCount).toBeLessThan(3)
  },
)

test('a node that reports ten times the balance cannot make the service route more than arrived', async () => {
  const { devnet, newUserId, intend, ended } = environment
  const userId = newUserId('told')
  const { depositAddress } = await intend(userId, toArbitrum)
  await put('LYING')
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 13_000_000n, to: depositAddress })
  const [execution] = await ended(userId, 1)
  await remove()
  expect(execution).toMatchObject({ status: 'SUCCESS', facts: { balance: { totalReceivedRaw: '13000000' } } })
  expect(await devnet.balanceOf('base', 'USDC', depositAddress)).toBe(0n)
})

test('a node that briefly reports a tenth of the balance ends nothing and doubles nothing', async () => {
  const { devnet, newUserId, intend, ended, executionsOf, connection } = environment
  const userId = newUserId('untold')
  const { depositAddress } = await intend(userId, toArbitrum)
  await put('LYING_LOW')
  await devnet.sendDeposit({ chainKey: 'base', token: 'USDC', amountRaw: 13_000_000n, to: depositAddress })
  await until('it waits, for its money is not there', async (note) => {
    const execution = note(await connection.db!.collection('executions').findOne({ userId }))
    return typeof execution?.['facts'].lowSince === 'number'
  })
  await remove()
  expect(await ended(userId, 1)).toMatchObject([{ status: 'SUCCESS', deposit: { amountRaw: '13000000' } }])
  expect(await executionsOf(userId)).toHaveLength(1)
})
