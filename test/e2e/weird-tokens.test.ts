import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeFunctionData, parseAbi, toHex, zeroAddress } from 'viem'
import { accounts } from '../../src/devnet/chains/accounts'
import { nativeAliasAddress } from '../../src/devnet/chains/contracts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { blocksToConfirm } from '../../src/devnet/control-server'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chains } from '../../src/domain/chain/chain'
import type { Address, Hex } from '../../src/domain/chain/hex'
import { everyUnitIsExplained } from '../support/accounting'
import { sample } from '../support/depth'
import { type Environment, startEnvironment } from '../support/environment'
import { expectAllToKeep } from '../support/test-all'
import { until } from '../support/until'

const owned = parseAbi([
  'function setBlocked(address account, bool isBlocked)',
  'function rebase(address account, uint256 balance)',
  'function setPaused(bool isPaused)',
  'function setHook(address hook, bytes data)',
])

let environment: Environment
beforeAll(async () => {
  environment = await startEnvironment()
})
afterAll(() => environment?.stop())

const token = (symbol: string, key: 'base' | 'ethereum' = 'base'): Address => tokenOf(chains[key].id, symbol)!.address

/** Calls a token on Base as its owner. */
async function own(symbol: string, data: Hex): Promise<number> {
  const rpc = new Rpc(environment.devnet.chains[chains.base.id].rpcUrl)
  await rpc.ask('anvil_impersonateAccount', accounts.deployer.address)
  const sent = { from: accounts.deployer.address, to: token(symbol), data, gas: '0x30d40' }
  const hash = await rpc.ask<Hex>('eth_sendTransaction', sent)
  const { status, blockNumber } = await environment.devnet.waitForReceipt('base', hash)
  expect(status).toBe('0x1')
  return Number(blockNumber)
}

/** Waits until later decisions use that block or a later one. */
async function isRead(block: number): Promise<void> {
  const { apiUrl, keys } = environment.installation
  await until(`block ${block} of Base is read`, async (note) => {
    const answer = await fetch(`${apiUrl}/api/coverage`, { headers: { 'x-api-key': keys.client } })
    const rows = (await answer.json()) as { chainKey: string; scannedBlock: number }[]
    return note(rows).some(({ chainKey, scannedBlock }) => chainKey === 'base' && scannedBlock >= block)
  })
}

async function user(name: string): Promise<{ userId: string; account: Address }> {
  const userId = environment.newUserId(name)
  const { depositAddress } = await environment.intend(userId, { to: 'arbitrum', receive: 'USDC' })
  return { userId, account: depositAddress }
}

type Case = {
  symbol: string
  from?: 'base' | 'ethereum'
  amountRaw?: bigint
  status: string
  code?: string
  /** Prepares the token before the deposit. */
  before?: (account: Address) => Promise<void>
  /** Amount left in the account at the end. If the execution did not succeed, that is everything that arrived. */
  left?: bigint
}
const whole = 25n * 10n ** 18n

const cases: Record<string, Case> = {
  'answers nothing, as Tether does': { symbol: 'USDT', from: 'ethereum', amountRaw: 25_000_000n, status: 'SUCCESS' },
  'names itself in 32 bytes': { symbol: 'SY-OLD', status: 'SUCCESS' },
  'has two decimals': { symbol: 'SY-TINY', amountRaw: 2_500n, status: 'SUCCESS' },
  'has 77 decimals': { symbol: 'SY-WEIRD', amountRaw: 5n, status: 'FAILED_INVALID_INPUT', code: 'TOKEN_NOT_SUPPORTED' },
  'keeps 1 % of a transfer': {
    symbol: 'SY-FEE',
    status: 'DEAD_LETTER',
    code: 'SIMULATION_REVERTED',
    left: whole - whole / 100n,
  },
  'answers false where it should revert': { symbol: 'SY-FALSE', status: 'DEAD_LETTER', code: 'SIMULATION_REVERTED' },
  'reports a transfer that did not happen': {
    symbol: 'SY-GHOST',
    amountRaw: 5_000_000n,
    status: 'FAILED_NO_FUNDS',
    code: 'BALANCE_TOO_LOW',
    left: 0n,
  },
  'has the account on its blocklist': {
    symbol: 'USDC',
    amountRaw: 25_000_000n,
    status: 'DEAD_LETTER',
    code: 'SIMULATION_REVERTED',
  },
  'calls the executor in the midst of a transfer': { symbol: 'SY-REENTER', status: 'SUCCESS' },
}

test('a deposit of each unusual token ends as it should', () => {
  const check = async (_what: string, { symbol, from = 'base', amountRaw = whole, ...end }: Case) => {
    const { devnet, ended } = environment
    const { userId, account } = await user('weird')
    const { executor } = devnet.contracts
    // This call would pay a second time if it were allowed.
    const call = encodeFunctionData({ abi: parseAbi(['function sweep(address token)']), args: [token(symbol, from)] })
    if (symbol === 'SY-REENTER')
      await own(symbol, encodeFunctionData({ abi: owned, functionName: 'setHook', args: [executor, call] }))
    await devnet.waitForReceipt(
      from,
      await devnet.sendDeposit({ chainKey: from, token: symbol, amountRaw, to: account }),
    )
    if (symbol === 'USDC')
      await own(symbol, encodeFunctionData({ abi: owned, functionName: 'setBlocked', args: [account, true] }))
    const [done] = await ended(userId, 1)
    expect({ status: done!.status, code: done!.cause?.code }).toEqual({
      status: end.status as never,
      code: end.code as never,
    })

    const left = await devnet.balanceOf(from, symbol, account)
    if (end.status !== 'SUCCESS') return expect(left).toBe(end.left ?? amountRaw)
    const { fees, spent, route, delivery } = done!.facts
    expect(left).toBe(0n)
    expect(BigInt(spent!.amountRaw)).toBe(amountRaw)
    const charged = BigInt(fees!.protocolFeeEffective) + BigInt(fees!.gasFeeRaw)
    expect(charged + BigInt(fees!.amountForSwapRaw)).toBe(amountRaw)
    expect(BigInt(delivery!.amountRaw)).toBeGreaterThanOrEqual(BigInt(route!.amountOutMin))
  }
  // Each case has its own user and, except where the owner acts, its own token.
  return expectAllToKeep(sample('cases of a strange token', Object.entries(cases), 6), check, { isAtOnce: true })
})

test('a deposit of a token that its owner has stopped waits without a retry, and is delivered afterwards', async () => {
  const { devnet, installation, ended } = environment
  // The user has no intent yet, so nothing is signed before the token is stopped.
  const userId = environment.newUserId('stopped')
  const account = await environment.api.createAccount(userId)
  const stop = (isPaused: boolean) =>
    own('SY-PAUSE', encodeFunctionData({ abi: owned, functionName: 'setPaused', args: [isPaused] }))
  const deposit = { chainKey: 'base', token: 'SY-PAUSE', amountRaw: whole, to: account } as const
  await devnet.waitForReceipt('base', await devnet.sendDeposit(deposit))
  await stop(true)
  await environment.intend(userId, { to: 'arbitrum', receive: 'USDC' })
  await until('it waits for the issuer', async (note) => {
    const headers = { 'x-api-key': installation.keys.client }
    const answer = await fetch(`${installation.apiUrl}/api/deposits?userId=${userId}`, { headers })
    const rows = (await answer.json()) as { next: { message: string } }[]
    return note(rows[0]?.next.message)?.includes('issuer') === true
  })
  await stop(false)
  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', retryCount: 0 })
  expect(await devnet.balanceOf('base', 'SY-PAUSE', account)).toBe(0n)
})

test('a deposit whose balance shrinks ends without funds, and a balance that grows is found and routed', async () => {
  const { devnet, ended } = environment
  // The user has no intent yet, so nothing is signed before the shrunken balance is confirmed.
  const shrunk = environment.newUserId('shrunk')
  const address = await environment.api.createAccount(shrunk)
  const grown = await user('grown')
  const send = (to: Address) => devnet.sendDeposit({ chainKey: 'base', token: 'SY-REBASE', amountRaw: whole, to })
  await devnet.waitForReceipt('base', await send(address))
  const rebase = (account: Address, balance: bigint) =>
    own('SY-REBASE', encodeFunctionData({ abi: owned, functionName: 'rebase', args: [account, balance] }))
  await isRead((await rebase(address, whole / 2n)) + blocksToConfirm)
  await environment.intend(shrunk, { to: 'arbitrum', receive: 'USDC' })
  const [first] = await ended(shrunk, 1)
  expect(first).toMatchObject({ status: 'FAILED_NO_FUNDS', cause: { code: 'BALANCE_TOO_LOW' } })

  await rebase(grown.account, 2n * whole)
  const [second] = await ended(grown.userId, 1)
  expect(second).toMatchObject({ status: 'SUCCESS', deposit: { detectedBy: ['SWEEP'], amountRaw: `${2n * whole}` } })
  expect(await devnet.balanceOf('base', 'SY-REBASE', grown.account)).toBe(0n)
})

test('a transfer through Polygon’s 0x…1010 is one deposit of native coin, and is routed', async () => {
  const { devnet, ended, executionsOf } = environment
  const { userId, account } = await user('polygon')
  const amountRaw = 400n * 10n ** 18n
  const rpc = new Rpc(devnet.chains[chains.polygon.id].rpcUrl)
  const from = accounts.faucet.address
  await rpc.ask('anvil_impersonateAccount', from)
  const transfer = parseAbi(['function transfer(address to, uint256 value) payable returns (bool)'])
  const data = encodeFunctionData({ abi: transfer, args: [account, amountRaw] })
  const call = { from, to: nativeAliasAddress, data, value: toHex(amountRaw), gas: toHex(100_000) }
  const hash = await rpc.ask<Hex>('eth_sendTransaction', call)
  const { status, logs } = (await devnet.waitForReceipt('polygon', hash)) as unknown as { status: Hex; logs: unknown[] }
  expect({ status, logs: logs.length }).toEqual({ status: '0x1', logs: 1 })

  const [done] = await ended(userId, 1)
  expect(done).toMatchObject({ status: 'SUCCESS', deposit: { token: zeroAddress, amountRaw: `${amountRaw}` } })
  expect(await executionsOf(userId)).toHaveLength(1)
  expect(await devnet.balanceOf('polygon', 'native', account)).toBe(0n)
})

test('the audit explains every unit of every token', async () => {
  await everyUnitIsExplained(environment)
})
