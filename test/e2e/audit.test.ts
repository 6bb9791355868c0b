import { afterAll, beforeAll, expect, test } from 'bun:test'
import { encodeFunctionData, erc20Abi } from 'viem'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { mongoStore } from '../../src/adapters/mongo/mongo-store'
import { readTokenList } from '../../src/adapters/prices/token-list'
import { auditing } from '../../src/app/audit/auditing'
import { auditedOf, auditInstallation } from '../../src/app/audit/installation'
import { loadConfig } from '../../src/app/config/config'
import { devnetFileOf } from '../../src/cli/installation/devnet-file'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { type ChainKey, chainIds, chains, perChain } from '../../src/domain/chain/chain'
import { type Address, type Hex, zeroAddress } from '../../src/domain/chain/hex'
import type { OverdueKind } from '../../src/domain/execution/overdue'
import { everyUnitIsExplained } from '../support/accounting'
import { type Environment, startEnvironment } from '../support/environment'
import { newAddress } from '../support/order-world'
import { until } from '../support/until'

let environment: Environment
const accounts: Record<string, Address> = {}

beforeAll(async () => {
  environment = await startEnvironment({ cctp: true })
  await environment.everyChainScanned()
})
afterAll(() => environment?.stop())

async function deposited(chainKey: ChainKey, token: string, amountRaw: bigint): Promise<string> {
  const userId = environment.newUserId(token)
  const { depositAddress } = await environment.intend(userId, { to: 'arbitrum', receive: 'USDC' })
  accounts[token] ??= depositAddress
  await environment.devnet.sendDeposit({ chainKey, token, amountRaw, to: depositAddress })
  return userId
}

const lifi = (request: RequestInit) => fetch(`${environment.devnet.controlUrl}/faults/lifi`, request)

/** Runs the command in its own process. It gets the settings that the demo stores, which contain no key. */
async function command(...options: string[]): Promise<{ code: number; text: string }> {
  const { settings } = devnetFileOf(environment.installation)
  expect(JSON.stringify(settings)).not.toMatch(/0x[0-9a-f]{64}/i)
  const env = { ...process.env, ...settings, MONGODB_URL: environment.installation.mongodbUrlWithDatabase }
  const running = Bun.spawn([process.execPath, 'src/cli/main.ts', 'audit', ...options], { env, stdout: 'pipe' })
  const text = await new Response(running.stdout).text()
  return { code: await running.exited, text }
}

const unexplained = () =>
  auditInstallation(environment.installation.installationEnv()).then((report) =>
    report.unexplained.map(({ address, faults }) => `${address}: ${faults.join(' ')}`),
  )

test('the audit explains deposits of every end, and shows where each unit is', async () => {
  // While LI.FI is down, USDC is burned and minted.
  await lifi({ method: 'PUT', body: JSON.stringify({ fault: 'DOWN' }) })
  await environment.ended(await deposited('base', 'USDC', 25_000_000n), 1)
  await lifi({ method: 'DELETE' })
  const ended = [
    await deposited('avalanche', 'native', 10n ** 18n),
    await deposited('base', 'SY-NOROUTE', 1_000_000n),
    await deposited('base', 'SY-GHOST', 1_000_000n),
  ]
  await deposited('base', 'SY-UNLISTED', 7_000_000n)
  for (const userId of ended) await environment.ended(userId, 1)
  const report = await until('every end is in the report', async (note) => {
    const report = await everyUnitIsExplained(environment)
    note(report.rows)
    return report.rows.length >= 4 && report.rows.every((row) => row.inFlightRaw + row.laterRaw === 0n) ? report : null
  })
  const rowOf = (chain: ChainKey, symbol: string) => {
    const { address } = tokenOf(chains[chain].id, symbol)!
    return report.rows.find((row) => row.chain === chain && row.token.toLowerCase() === address.toLowerCase())
  }
  const usdc = rowOf('base', 'USDC')!
  expect(usdc.receivedRaw).toBe(25_000_000n)
  expect(usdc.mintedRaw + usdc.feesRaw).toBe(25_000_000n)
  expect(usdc.feesRaw).toBeGreaterThan(0n)
  expect(report.collectors).toContainEqual(
    expect.objectContaining({ chain: 'base', token: usdc.token, feesRaw: usdc.feesRaw, otherRaw: 0n, outRaw: 0n }),
  )
  const coin = report.rows.find(({ chain }) => chain === 'avalanche')!
  expect([coin.receivedRaw, coin.deliveredRaw + coin.feesRaw]).toEqual([10n ** 18n, 10n ** 18n])
  expect([...rowOf('base', 'SY-NOROUTE')!.behind]).toEqual([['FAILED_UNROUTABLE_MAIN', 1_000_000n]])
  expect(rowOf('base', 'SY-UNLISTED')).toMatchObject({ unsupportedRaw: 7_000_000n })
  const { code, text } = await command()
  expect(text).toContain('Every unit is explained.')
  expect(code).toBe(0)
})

/** The audit of a running service, with its own connection and nodes. It has no process of its own to wait for. */
async function watching() {
  const env = { ...environment.installation.installationEnv(), ROLES: 'scanner' }
  const { config, secrets } = loadConfig(env)
  const { registry, executor, recoveryExecutor, formerExecutors, lens } = config
  const contracts = { registry, executor, recoveryExecutor, formerExecutors, lens }
  const clients = perChain((chainId, key) => {
    const nodes = { chainId, rpcUrls: secrets.rpcUrls[key], timeoutMs: 30_000 }
    return evmChain({ ...nodes, ...contracts, confirmations: config.confirmations[key], now: Date.now })
  })
  const { connection } = environment
  const audited = auditedOf({ config, secrets }, { connection, clients, tokens: await readTokenList(config.tokenList) })
  const store = mongoStore(connection, 'audit', Date.now)
  const troubles: unknown[] = []
  const { round } = auditing({
    audited,
    ...{ observations: store.observations, books: store.semaphoreRecords, name: 'audit' },
    ...{ isSpent: () => false, log: { write: () => {} }, now: Date.now },
    onTrouble: (error) => void troubles.push(error),
  })
  const observed = async (kind: OverdueKind) =>
    (await store.observations.all()).filter((one) => one.kind === kind && (kind === 'AUDIT' || one.okAt < one.at))
  return { audited, round, observed, troubles }
}

test('the running audit explains a deposit and the coin of the relayer that routed it, and then names a theft', async () => {
  const { audited, round, observed, troubles } = await watching()
  await round()
  expect((await observed('AUDIT')).map(({ chainId }) => chainId).toSorted()).toEqual([...chainIds].toSorted())
  await environment.ended(await deposited('base', 'USDC', 30_000_000n), 1)
  const { client, history } = audited.chains[chains.base.id]
  const route = await until('the route is confirmed and scanned', async (note) => {
    const to = Math.min(await client.confirmedNumber(), (await audited.queries.recordedTo(chains.base.id)).listed ?? 0)
    const { routes } = await history.executed(0, to)
    note(routes.map(({ spentRaw }) => spentRaw))
    return routes.find(({ spentRaw }) => spentRaw === 30_000_000n) ?? null
  })
  const coinAt = (block: number) => client.balanceOf(zeroAddress, route.relayer, block)
  const lostRaw = (await coinAt(route.block - 1)) - (await coinAt(route.block))
  expect((await history.gasOf(route.txHash)) + route.nativeFeeRaw).toBe(lostRaw)
  await round()
  expect((await observed('UNEXPLAINED')).map(({ subject }) => subject)).toEqual([])

  const thief = newAddress()
  const rpc = new Rpc(environment.devnet.chains[chains.base.id].rpcUrl)
  await rpc.ask('anvil_impersonateAccount', route.relayer)
  const value = `0x${((await client.balanceOf(zeroAddress, route.relayer, await client.confirmedNumber())) / 2n).toString(16)}`
  const hash = await rpc.ask<Hex>('eth_sendTransaction', { from: route.relayer, to: thief, value, gas: '0x5208' })
  await environment.devnet.waitForReceipt('base', hash)
  const found = await until('the theft is named', async (note) => {
    await round()
    const subjects = (await observed('UNEXPLAINED')).map(({ subject }) => subject)
    note(subjects)
    return subjects.length > 0 ? subjects : null
  })
  expect(found).toEqual([`relayer ${route.relayer.toLowerCase()}`])
  expect(troubles).toEqual([])
})

test('the audit names an account from which a unit was stolen', async () => {
  const account = accounts['SY-NOROUTE']!
  const { rpcUrl } = environment.devnet.chains[chains.base.id]
  const rpc = new Rpc(rpcUrl)
  const thief = newAddress()
  await rpc.ask('anvil_impersonateAccount', account)
  await rpc.ask('anvil_setBalance', account, `0x${(10n ** 18n).toString(16)}`)
  const token = tokenOf(chains.base.id, 'SY-NOROUTE')!.address
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [thief, 1n] })
  const hash = await rpc.ask<Hex>('eth_sendTransaction', { from: account, to: token, data, gas: '0x30000' })
  await environment.devnet.waitForReceipt('base', hash)
  const found = await until('the theft is named', async (note) => {
    const faults = await unexplained()
    note(faults)
    return faults.find((fault) => fault.startsWith(`${account}: `) && fault.includes(hash)) ?? null
  })
  expect(found).toContain(`1 left in ${hash}, and routes account for 0.`)
})

test('the audit names a deposit whose record was deleted, and a route without a record', async () => {
  const executions = environment.connection.db!.collection('executions')
  const account = accounts['USDC']!
  await executions.deleteMany({ 'deposit.account': account })
  const faults = (await unexplained()).find((fault) => fault.startsWith(`${account}: `))
  expect(faults).toContain('25000000 arrived, and no record shows it')
  expect(faults).toContain('no record has that route')
  const { code, text } = await command('--json')
  expect(code).toBe(1)
  expect(JSON.parse(text).unexplained).toContainEqual(expect.objectContaining({ kind: 'ACCOUNT', address: account }))
})

test('the command exits with 2 if it cannot read its configuration', async () => {
  const env = { ...process.env, MONGODB_URL: environment.installation.mongodbUrlWithDatabase }
  const running = Bun.spawn([process.execPath, 'src/cli/main.ts', 'audit'], { env, stderr: 'pipe' })
  expect(await new Response(running.stderr).text()).toContain('ROUTE_EXECUTOR_ADDRESS')
  expect(await running.exited).toBe(2)
})

test('a chain that does not answer is not audited, and the others are', async () => {
  const env = { ...environment.installation.installationEnv(), RPC_URL_POLYGON: 'http://127.0.0.1:9' }
  const report = await auditInstallation(env)
  expect(report.chains.filter(({ reason }) => reason !== null)).toEqual([
    { chain: 'polygon', block: null, blockHash: null, fromBlock: null, reason: 'RPC_UNREACHABLE' },
  ])
})
