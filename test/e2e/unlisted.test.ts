import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeFunctionData, erc20Abi } from 'viem'
import { devTokenAbi } from '../../contracts/artifacts/abi'
import { artifact } from '../../src/deploying/artifact'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hex } from '../../src/domain/chain/hex'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { newAddress } from '../support/order-world'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment()
  // The search begins at the block of its first look, and a lost webhook of an earlier block is never made up for.
  await until('the search for unlisted tokens has begun', async (note) =>
    note(await environment.store.scanCursors.load('base:any')),
  )
})
afterAll(() => environment?.stop())

const { id: chainId } = chains.base
const unlisted = tokenOf(chainId, 'SY-UNLISTED')!.address
const amountRaw = 25_000_000n

async function ask(path: string, body?: object, key = environment.installation.keys.client) {
  const headers = { 'x-api-key': key, 'content-type': 'application/json' }
  const asking = body ? { method: 'POST', body: JSON.stringify(body), headers } : { headers }
  const answer = await fetch(`${environment.installation.apiUrl}/api/${path}`, asking)
  return { status: answer.status, json: await answer.json() }
}

const dropWebhooks = (isDropped: boolean) =>
  fetch(`${environment.devnet.controlUrl}/faults/webhooks`, {
    method: isDropped ? 'PUT' : 'DELETE',
    ...(isDropped && { body: JSON.stringify({ fault: 'DROP' }) }),
  })

const tracesOf = async (userId: string) => (await ask(`deposits?stage=UNSUPPORTED&userId=${userId}`)).json

const traceOf = (userId: string) => until('it leaves a trace', async (note) => note(await tracesOf(userId))[0] ?? null)

/** The routed deposits of a user, finished or not. */
const routedOf = async (userId: string) => (await ask(`deposits?userId=${userId}`)).json

async function user(name: string): Promise<{ userId: string; account: Address }> {
  const userId = environment.newUserId(name)
  const { depositAddress } = await environment.intend(userId, { to: 'arbitrum', receive: 'USDC' })
  return { userId, account: depositAddress }
}

/** Pays an amount of an unknown token, created here with these decimals, to an account. */
async function paidUnknown(account: Address, decimals: number): Promise<Address> {
  const { rpcUrl } = environment.devnet.chains[chainId]
  const rpc = new Rpc(rpcUrl)
  const [token, from] = [newAddress(), accounts.deployer.address]
  await rpc.ask('anvil_setCode', token, artifact('DevToken').deployedBytecode)
  await rpc.ask('anvil_impersonateAccount', from)
  const names = ['Claim your prize', 'PRIZE', decimals, from] as const
  const calls = [
    encodeFunctionData({ abi: devTokenAbi, functionName: 'initialize', args: names }),
    encodeFunctionData({ abi: devTokenAbi, functionName: 'mint', args: [account, amountRaw] }),
  ]
  for (const data of calls) {
    const hash = await rpc.ask<Hex>('eth_sendTransaction', { from, to: token, data, gas: '0x100000' })
    expect((await environment.devnet.waitForReceipt('base', hash)).status).toBe('0x1')
  }
  return token
}

testAll(
  sample(
    'ways to notice an unlisted token',
    [
      ['while every webhook is lost', true],
      ['while webhooks come', false],
    ] as const,
    1,
  ),
)(
  'an unlisted token leaves a trace automatically, with or without webhooks, and a rescan has it routed once',
  async (_when, isDropped) => {
    const { devnet, installation, ended, executionsOf } = environment
    const { userId, account } = await user('unlisted')
    await dropWebhooks(isDropped)
    const hash = await devnet.sendDeposit({ chainKey: 'base', token: 'SY-UNLISTED', amountRaw, to: account })
    const trace = await traceOf(userId)
    await dropWebhooks(false)

    expect(trace).toMatchObject({
      stage: 'UNSUPPORTED',
      depositTxHash: hash,
      amountIn: String(amountRaw),
      executionId: null,
      fromTokenAddress: unlisted,
      next: { actor: 'INTEGRATOR', action: 'RESCAN' },
    })
    if (isDropped) expect(trace.detectedBy).toEqual(['SCANNER'])
    expect(await routedOf(userId)).toEqual([])
    expect((await ask(`events?userId=${userId}&types=deposit.*,execution.*`)).json).toEqual([])

    const rescan = () => ask('deposits/rescan', { depositId: trace.id })
    const first = await rescan()
    // The periodic search for wanted deposits may be faster than the rescan that wanted it.
    expect(['DEPOSIT', 'KNOWN']).toContain(first.json.found)
    expect(first.status).toBe(200)
    const waiting = await until('it waits for an approval', async (note) => {
      const [one] = note(await routedOf(userId))
      return one?.next.action === 'APPROVE' ? one : null
    })
    expect(await rescan()).toMatchObject({ json: { found: 'KNOWN', deposits: [{ id: waiting.id }] } })
    expect(await tracesOf(userId)).toEqual([])
    const path = `operator/executions/${encodeURIComponent(waiting.id)}/approve`
    const approval = { reason: 'It is worth a dollar', amountOutMin: '24000000' }
    expect((await ask(path, approval, installation.keys.platformOperator)).status).toBe(202)
    const [done] = await ended(userId, 1)

    expect(done).toMatchObject({ id: waiting.id, status: 'SUCCESS' })
    expect(await devnet.balanceOf('base', 'SY-UNLISTED', account)).toBe(0n)
    expect(await rescan()).toMatchObject({ json: { found: 'KNOWN', deposits: [{ id: waiting.id }] } })
    const seen = (await ask(`deposits/${encodeURIComponent(trace.id)}`)).json
    expect(seen).toMatchObject({ funds: { holder: 'NONE' }, next: { action: 'FOLLOW', executionId: waiting.id } })
    expect(await executionsOf(userId)).toHaveLength(1)
  },
)

test('a rescan of a token that cannot be routed ends the deposit once, with the reason', async () => {
  const { clients, ended, executionsOf } = environment
  const { userId, account } = await user('prize')
  const token = await paidUnknown(account, 77)
  const trace = await traceOf(userId)
  expect(trace).toMatchObject({ stage: 'UNSUPPORTED', fromTokenAddress: token, amountIn: String(amountRaw) })

  const again = await Promise.all(
    Array.from({ length: 5 }, () => ask('deposits/rescan', { fromChainId: chainId, txHash: trace.depositTxHash })),
  )
  for (const { status, json } of again) {
    expect(status).toBe(200)
    expect(['DEPOSIT', 'KNOWN']).toContain(json.found)
  }
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'FAILED_INVALID_INPUT', cause: { code: 'TOKEN_NOT_SUPPORTED' } })
  expect(await ask('deposits/rescan', { depositId: trace.id })).toMatchObject({
    json: { found: 'KNOWN', deposits: [{ id: done!.id, stage: 'ROUTED' }] },
  })
  expect(await executionsOf(userId)).toHaveLength(1)
  const { json } = await ask(`executions/${encodeURIComponent(done!.id)}`)
  expect(json.funds).toMatchObject({ holder: 'DEPOSIT_ACCOUNT', amount: String(amountRaw) })
  const held = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [account] } as const
  expect(await clients.base.readContract(held)).toBe(amountRaw)
})
