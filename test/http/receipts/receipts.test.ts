import { expect, test } from 'bun:test'
import { verifyTypedData } from 'viem'
import type { Execution } from '../../../src/domain/execution/execution'
import { receiptDigest, receiptOf, type SignedReceipt } from '../../../src/domain/execution/receipt'
import { terminalStatuses } from '../../../src/domain/execution/status'
import { TemporarilyUnavailable } from '../../../src/domain/unavailable'
import { executionOf, hashOf } from '../../support/deposits'
import { receiptKey } from '../../support/receipts'
import { stores } from '../../support/stores'
import { testAll } from '../../support/test-all'
import { peopledWorld, target, usdc } from '../world'

const at = Date.UTC(2026, 10, 21, 10)
const delivery = {
  hash: hashOf(0xde),
  chainId: 42161,
  token: usdc.arbitrum,
  amountRaw: '24831711',
  block: 402_118_233,
} as const
const facts = {
  intent: { apiKeyId: 'key_1', version: 3, protocolFeeBps: 50, sponsoredGas: false, ...target },
  routeId: hashOf(0x12),
  route: { provider: 'lifi' },
  fees: {
    totalReceivedRaw: '25000000',
    protocolFeeRaw: '125000',
    protocolFeeEffective: '125000',
    protocolFeeForgiven: '0',
    gasFeeRaw: '18432',
    amountForSwapRaw: '24856568',
    gasFeeSkipReason: 'NONE',
  },
  spent: { hash: hashOf(0x5e), block: 38_294_120, amountRaw: '25000000', at },
  delivery,
} as unknown as Execution['facts']
const arrived = { amountRaw: '25000000', detectedAt: at, token: usdc.base, chainId: 8453, block: 38_294_101 } as const

/** A deposit of 25 USDC on Base that was delivered on Arbitrum. */
const delivered = (n: number, change: Partial<Execution> = {}): Execution =>
  executionOf(
    n,
    {
      organizationId: 'org_a',
      state: 'SUCCESS',
      status: 'SUCCESS',
      dueAt: null,
      createdAt: at + 1_000,
      completedAt: at + 2_000,
      facts,
      ...change,
    },
    arrived,
  )

testAll(stores)('a receipt states how an execution ended, and its key’s address signed it', async (_, open) => {
  const { store } = await open()
  const { ask, client } = await peopledWorld({ executionQueries: store.executionQueries })
  const execution = delivered(1)
  await store.executions.save(execution)
  const { status, json, headers } = await ask(`/api/executions/${execution.id}/receipt`, { key: client })
  expect(status).toBe(200)
  const { digest, ...receipt } = json as SignedReceipt
  expect(receipt.message).toEqual({
    executionId: execution.id,
    status: 'SUCCESS',
    causeCode: '',
    deposit: {
      chainId: 8453,
      account: expect.stringMatching(/^0x0{38}[aA][cC]$/),
      token: usdc.base,
      amount: '25000000',
      blockNumber: 38_294_101,
      txHash: [hashOf(1)],
      logIndex: [0],
    },
    intent: [{ version: 3, chainId: 42161, token: usdc.arbitrum, recipient: target.targetAddress }],
    fees: [
      {
        received: '25000000',
        protocolFee: '125000',
        protocolFeeForgiven: '0',
        gasFee: '18432',
        routed: '24856568',
        collected: true,
      },
    ],
    route: [{ routeId: hashOf(0x12), provider: 'lifi' }],
    spent: [{ chainId: 8453, txHash: hashOf(0x5e), blockNumber: 38_294_120, token: usdc.base, amount: '25000000' }],
    delivered: [
      {
        chainId: 42161,
        txHash: hashOf(0xde),
        blockNumber: 402_118_233,
        token: usdc.arbitrum,
        recipient: target.targetAddress,
        amount: '24831711',
      },
    ],
    detectedAt: '2026-11-21T10:00:00.000Z',
    createdAt: '2026-11-21T10:00:01.000Z',
    completedAt: '2026-11-21T10:00:02.000Z',
  })
  expect(digest).toBe(receiptDigest(receipt.message))
  expect(await verifyTypedData({ address: receiptKey.address, ...receipt } as never)).toBe(true)
  const again = { 'if-none-match': headers.get('etag')! }
  expect((await ask(`/api/executions/${execution.id}/receipt`, { key: client, headers: again })).status).toBe(304)
})

testAll(stores)('what happens after the end leaves the receipt as it is', async (_, open) => {
  const { store } = await open()
  const { ask, client } = await peopledWorld({ executionQueries: store.executionQueries })
  const failed = { state: 'DEAD_LETTER', status: 'DEAD_LETTER', facts: { ...facts, delivery: undefined! } } as const
  const execution = (await store.executions.save(delivered(2, failed)))!
  const path = `/api/executions/${execution.id}/receipt`
  const before = (await ask(path, { key: client })).text
  const entry = { ...execution.history[0]!, seq: 2, event: 're-driven', to: 'DEAD_LETTER' }
  const history = [...execution.history, entry]
  const changed = { ...execution, redrivenBy: `${execution.id}:r1`, seq: 2, history }
  await store.executions.save({ ...changed, facts: { ...execution.facts, order: undefined! } })
  expect((await ask(path, { key: client })).text).toBe(before)
})

test('an execution in every terminal status has a receipt, and one that has not ended has none', async () => {
  const world = await peopledWorld()
  for (const [n, status] of terminalStatuses.entries()) {
    const cause = { code: 'NO_ROUTE', category: 'VALIDATION', message: '', at } as const
    const execution = delivered(n, { state: status, status, cause, facts: {} })
    await world.store.executions.save(execution)
    const { json } = await world.ask(`/api/executions/${execution.id}/receipt`, { key: world.client })
    const causeCode = status === 'SUCCESS' ? '' : 'NO_ROUTE'
    expect(json.message).toMatchObject({ status, causeCode, intent: [], fees: [], route: [], spent: [], delivered: [] })
  }
  for (const [n, status] of (['PENDING', 'RUNNING', 'FAILED'] as const).entries()) {
    const running = { ...facts, routeId: hashOf(1_000 + n) }
    const execution = delivered(100 + n, { state: status, status, completedAt: null, dueAt: at, facts: running })
    await world.store.executions.save(execution)
    const answer = await world.ask(`/api/executions/${execution.id}/receipt`, { key: world.client })
    expect([answer.status, answer.headers.get('x-error-code')]).toEqual([409, 'EXECUTION_NOT_ENDED'])
    expect(answer.json.message).toContain(`this one is ${status}`)
    expect(receiptOf(execution)).toBeNull()
  }
})

test('a receipt is as visible as its execution', async () => {
  const world = await peopledWorld()
  const execution = delivered(1)
  await world.store.executions.save(execution)
  const statusFor = async (key: string | null) =>
    (await world.ask(`/api/executions/${execution.id}/receipt`, { key })).status
  expect(await Promise.all([world.client, world.operator, world.platform].map(statusFor))).toEqual([200, 200, 200])
  expect(await Promise.all([world.stranger, null].map(statusFor))).toEqual([404, 401])
})

test('a service without a key signs no receipts and publishes no signer', async () => {
  const world = await peopledWorld({ receipts: { key: null, former: [] } })
  const execution = delivered(1)
  await world.store.executions.save(execution)
  const answer = await world.ask(`/api/executions/${execution.id}/receipt`, { key: world.client })
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([404, 'NO_RECEIPTS'])
  expect((await world.ask('/.well-known/receipt-signers')).json.signers).toEqual([])
})

test('the addresses of the key and of former keys are published without authentication', async () => {
  const former = [usdc.base]
  const { ask } = await peopledWorld({ receipts: { key: receiptKey, former } })
  const { json, headers } = await ask('/.well-known/receipt-signers')
  expect(json).toEqual({
    domain: { name: 'Switchyard receipt', version: '1' },
    signers: [
      { address: receiptKey.address, current: true },
      { address: usdc.base, current: false },
    ],
  })
  expect(headers.get('access-control-allow-origin')).toBe('*')
})

test('a key management service signs a digest once, and its failure is 503', async () => {
  let isAway = true
  const asked: string[] = []
  const key = {
    address: receiptKey.address,
    async sign(digest: `0x${string}`) {
      asked.push(digest)
      if (isAway) throw new TemporarilyUnavailable('the key', 2_000, 'SIGNER')
      return receiptKey.sign(digest)
    },
  }
  const world = await peopledWorld({ receipts: { key, former: [] } })
  const execution = delivered(1)
  await world.store.executions.save(execution)
  const ask = () => world.ask(`/api/executions/${execution.id}/receipt`, { key: world.client })
  const refused = await ask()
  expect([refused.status, refused.headers.get('x-error-code')]).toEqual([503, 'RECEIPT_KEY_UNAVAILABLE'])
  isAway = false
  expect([(await ask()).status, (await ask()).status]).toEqual([200, 200])
  expect(asked).toHaveLength(2)
})
