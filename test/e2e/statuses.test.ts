import { afterAll, beforeAll, expect, test } from 'bun:test'
import { getAddress } from 'viem'
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { sendFromFaucet } from '../../src/cli/client/api'
import { sendForOutcome } from '../../src/cli/demo/send-for-outcome'
import type { ChainKey } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import type { ErrorCategory, ErrorCode } from '../../src/domain/error'
import type { Execution } from '../../src/domain/execution/execution'
import { isTerminal, type Status, statusNames } from '../../src/domain/execution/status'
import { everyUnitIsExplained } from '../support/accounting'
import { coinForwarder, forwardedTo } from '../support/coin-forwarder'
import { type Environment, startEnvironment } from '../support/environment'
import { seenPaused } from '../support/service-seen'
import { testAll } from '../support/test-all'
import { until } from '../support/until'

type Caused = { code: ErrorCode; category: ErrorCategory | null; holder: string } | null

/** Each forced status: the source chain, the cause, its category, and the holder of the money. */
const rows: Record<Status, [ChainKey, Caused]> = {
  PENDING: ['polygon', null],
  RUNNING: ['avalanche', null],
  SUCCESS: ['arbitrum', null],
  FAILED: ['base', { code: 'PROVIDER_FAILED', category: 'PROVIDER_5XX', holder: 'RECIPIENT' }],
  DEAD_LETTER: ['base', { code: 'TRANSACTION_REVERTED', category: 'BLOCKCHAIN_REVERT', holder: 'DEPOSIT_ACCOUNT' }],
  TOKEN_BLACKLISTED: ['base', { code: 'TOKEN_BLACKLISTED', category: 'TOKEN_BLACKLISTED', holder: 'DEPOSIT_ACCOUNT' }],
  FAILED_UNROUTABLE_MAIN: ['ethereum', { code: 'NO_ROUTE', category: 'VALIDATION', holder: 'DEPOSIT_ACCOUNT' }],
  FAILED_INVALID_INPUT: [
    'ethereum',
    { code: 'TOKEN_NOT_SUPPORTED', category: 'VALIDATION', holder: 'DEPOSIT_ACCOUNT' },
  ],
  FAILED_NO_FUNDS: ['ethereum', { code: 'BALANCE_TOO_LOW', category: 'VALIDATION', holder: 'NONE' }],
  FAILED_INSUFFICIENT_AFTER_FEES: [
    'ethereum',
    { code: 'FEES_EXCEED_DEPOSIT', category: 'VALIDATION', holder: 'DEPOSIT_ACCOUNT' },
  ],
  QUOTA_EXCEEDED: ['base', { code: 'MONTHLY_QUOTA_REACHED', category: 'VALIDATION', holder: 'DEPOSIT_ACCOUNT' }],
}
const userOf = (status: Status) => `forced-${status.toLowerCase()}`

let environment: Environment
const forcing = new Map<Status, Promise<{ id: string; record: Execution }>>()

beforeAll(async () => {
  // A stopped chain would be taken for a broken node after a minute, before a slow machine has signed the order.
  environment = await startEnvironment({ env: { HEAD_STALE_SECONDS: '3600' } })
  for (const status of statusNames) {
    const forced = force(status)
    forced.catch(() => {})
    forcing.set(status, forced)
  }
})
afterAll(() => environment?.stop())

async function force(status: Status) {
  const { installation, devnet, store } = environment
  const { ended } = await sendForOutcome({
    seals: environment.installation.seals,
    apiUrl: installation.apiUrl,
    controlUrl: devnet.controlUrl,
    keys: installation.keys,
    store,
    userId: userOf(status),
    from: rows[status][0],
    outcome: status,
    timeoutMs: 600_000,
    onSent: () => {},
    onStatus: () => {},
  })
  return { id: ended.id, record: (await store.executions.load(ended.id))! }
}

async function read(id: string) {
  const { installation } = environment
  const headers = { 'x-api-key': installation.keys.platformOperator }
  return (await fetch(`${installation.apiUrl}/api/executions/${encodeURIComponent(id)}`, { headers })).json()
}

const causeOf = ({ code, category }: { code: string; category: string | null }) => ({ code, category })

testAll(statusNames)('each status is reached by its own cause and shows it', async (status) => {
  const { id, record } = await forcing.get(status)!
  const [, caused] = rows[status]
  const isOver = isTerminal(status)
  if (status !== 'FAILED') expect(record.status).toBe(status)
  expect(record.history.map((entry) => entry.status)).toContain(status)
  // The stopped chain may have refused the transaction by the time the record is read.
  if (status === 'PENDING') expect([undefined, 'RPC_FAILED']).toContain(record.cause?.code)
  else expect(record.cause).toEqual(caused ? expect.objectContaining(causeOf(caused)) : null)
  if (status === 'FAILED') {
    expect(record.status).toBe('SUCCESS')
    expect([1, 2]).toContain(record.retryCount) // a price request may have met one of the two 503
  }
  if (caused) expect((await read(id)).funds.holder).toBe(caused.holder)
  if (isOver)
    expect(await read(id)).toMatchObject({
      status,
      retryable: false,
      lastErrorCode: status === 'SUCCESS' ? null : status,
      completedAt: new Date(record.completedAt!).toISOString(),
    })
})

test('a quota of 0 also refuses a new user at the API', async () => {
  const { installation } = environment
  const answer = await fetch(`${installation.apiUrl}/api/deposit-intents`, {
    method: 'POST',
    headers: { 'x-api-key': installation.keys.quota, 'content-type': 'application/json' },
    body: JSON.stringify({
      userId: 'somebody-new',
      targetChainId: 42161,
      targetTokenAddress: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
      targetAddress: '0x1dE3D712f5D3103AD50e22dc1f4d3Ff1559D5115',
    }),
  })
  expect([answer.status, answer.headers.get('x-error-code')]).toEqual([429, 'QUOTA_EXCEEDED'])
})

test('the next plain deposit succeeds after every forced status, and held deposits continue', async () => {
  const { api, devnet, executionsOf } = environment
  await Promise.allSettled(forcing.values())
  const plain = statusNames.filter((status) => status !== 'QUOTA_EXCEEDED')
  await Promise.all(
    plain.map(async (status) => {
      const intent = await api.findIntent(userOf(status))
      const [from] = rows[status]
      const sent = { fromTokenSymbol: 'USDC', amountIn: '25000000', fromChainKey: from }
      const hash = await sendFromFaucet(devnet.controlUrl, { depositAddress: intent!.depositAddress, ...sent })
      await until(`the plain deposit after ${status}`, async (note) =>
        note(await executionsOf(userOf(status))).some((one) => one.deposit.txHash === hash && one.status === 'SUCCESS'),
      )
    }),
  )
  await fetch(`${devnet.controlUrl}/faults/bridge`, { method: 'DELETE' })
  for (const status of ['PENDING', 'RUNNING'] as const)
    await until(`what was ${status} has arrived`, async (note) =>
      note(await executionsOf(userOf(status))).every((one) => one.status === 'SUCCESS'),
    )
})

const operate = (method: string, path: string, body?: object) => {
  const { installation } = environment
  const headers = { 'x-api-key': installation.keys.platformOperator, 'content-type': 'application/json' }
  const url = `${installation.apiUrl}/api/operator/${path}`
  return fetch(url, { method, headers, ...(body && { body: JSON.stringify(body) }) })
}
const reason = 'An operator tries it'

test('deposits on a paused chain wait as PAUSED, and continue afterwards without a retry', async () => {
  const { api, devnet, installation, newUserId, intend, ended, executionsOf } = environment
  const userId = newUserId('paused')
  const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  expect((await operate('PUT', 'pauses/chain:43114', { reason })).status).toBe(200)
  await seenPaused(environment, 'avalanche')
  const sent = { chainKey: 'avalanche', token: 'USDC', amountRaw: 5_000_000n, to: depositAddress } as const
  await devnet.sendDeposit(sent)
  const headers = { 'x-api-key': installation.keys.client }
  await until('a deposit in stage PAUSED', async (note) => {
    const answer = await fetch(`${installation.apiUrl}/api/deposits?userId=${userId}&stage=PAUSED`, { headers })
    return note((await answer.json()) as unknown[]).length === 1
  })
  expect(await api.executions(userId)).toEqual([])
  expect((await operate('DELETE', `pauses/chain:43114?reason=${encodeURIComponent(reason)}`)).status).toBe(204)
  const [execution] = await ended(userId, 1)
  expect(execution).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
  expect(execution!.history.map(({ event }) => event)).toContain('resumed')
  expect(await executionsOf(userId)).toHaveLength(1)
})

/** Waits until the service has loaded the list, and refuses an intent with the address. */
async function putOnList(userId: string, address: Address): Promise<void> {
  const entry = { kind: 'ADDRESS', chainId: null, address, listedAs: 'SANCTIONED', reason }
  expect((await operate('POST', 'blacklist', entry)).status).toBe(201)
  const intent = { targetChainId: 42161, targetTokenAddress: zeroAddress, targetAddress: address }
  await until('an intent that is refused for it', (note) =>
    environment.api.createIntent({ userId, ...intent }).then(
      (intent) => {
        note(intent)
        return false
      },
      ({ message }) => note(message).includes('400') && message.endsWith('The target address is on the security list'),
    ),
  )
}

test('an address on the security list is refused a moment later, in intents and for deposits being routed', async () => {
  const { devnet, newUserId, intend, ended } = environment
  const userId = newUserId('listed')
  const { depositAddress, targetAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
  await putOnList(userId, targetAddress)
  await devnet.sendDeposit({ chainKey: 'arbitrum', token: 'USDC', amountRaw: 5_000_000n, to: depositAddress })
  expect(await ended(userId, 1)).toMatchObject([
    { status: 'TOKEN_BLACKLISTED', cause: { code: 'ADDRESS_BLACKLISTED' }, facts: {} },
  ])
  expect(await devnet.balanceOf('arbitrum', 'USDC', depositAddress)).toBe(5_000_000n)
})

test('a listed sender of native coin is found, even through a contract, and deposits of others are routed', async () => {
  const { devnet, newUserId, intend, ended, clients } = environment
  const sanctioned = privateKeyToAccount(generatePrivateKey())
  const honest = privateKeyToAccount(generatePrivateKey())
  for (const { address } of [sanctioned, honest]) {
    const funded = { chainKey: 'base', token: 'native', amountRaw: 10n ** 18n, to: address } as const
    await devnet.waitForReceipt('base', await devnet.sendDeposit(funded))
  }
  await putOnList(newUserId('listed'), sanctioned.address)
  const drop = JSON.stringify({ fault: 'DROP' })
  await fetch(`${devnet.controlUrl}/faults/webhooks`, { method: 'PUT', body: drop })

  type Sent = { to?: Address; value?: bigint; data?: Hex }
  async function send(sender: PrivateKeyAccount, sent: Sent): Promise<Address> {
    const nonce = await clients.base.getTransactionCount({ address: sender.address })
    const fees = { gas: 300_000n, maxFeePerGas: 10n ** 11n, maxPriorityFeePerGas: 10n ** 9n }
    const serializedTransaction = await sender.signTransaction({ chainId: 8453, nonce, ...fees, ...sent })
    const hash = await clients.base.sendRawTransaction({ serializedTransaction })
    const { contractAddress } = await clients.base.waitForTransactionReceipt({ hash })
    return contractAddress!
  }
  const forwarder = await send(honest, { data: coinForwarder })
  const value = 10n ** 16n
  async function pays(name: string, sender: PrivateKeyAccount, isForwarded: boolean) {
    const userId = newUserId(name)
    const { depositAddress } = await intend(userId, { to: 'arbitrum', receive: 'USDC' })
    const to = depositAddress as Address
    await send(sender, isForwarded ? { to: forwarder, value, data: forwardedTo(to) } : { to, value })
    const [execution] = await ended(userId, 1)
    return execution!
  }
  const listed = { status: 'TOKEN_BLACKLISTED', cause: { code: 'ADDRESS_BLACKLISTED' } }
  const { address } = sanctioned
  expect(await pays('direct', sanctioned, false)).toMatchObject({ ...listed, deposit: { fromAddress: address } })
  const through = await pays('through', sanctioned, true)
  expect(through).toMatchObject({ ...listed, deposit: { fromAddress: getAddress(forwarder) } })
  expect(through.deposit.senders).toContain(address)
  expect(await pays('honest', honest, false)).toMatchObject({ status: 'SUCCESS' })
  expect(await pays('honest-through', honest, true)).toMatchObject({ status: 'SUCCESS' })
  await fetch(`${devnet.controlUrl}/faults/webhooks`, { method: 'DELETE' })
})

test('the audit explains every unit of every end', async () => {
  for (const forced of forcing.values()) await forced
  await everyUnitIsExplained(environment)
})
