import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http, parseAbi } from 'viem'
import { accounts } from '../../src/devnet/chains/accounts'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { type ChainKey, chains } from '../../src/domain/chain/chain'
import { jsonRpcNode } from '../support/json-rpc-node'
import { temporaryFolder } from '../support/temporary-folder'
import { testAll } from '../support/test-all'

const file = 'src/cli/stop-everything.mjs'
const abi = parseAbi(['function paused() view returns (bool)'])
const awayUrl = 'http://127.0.0.1:1'

let devnet: Devnet
let env: Record<string, string>
beforeAll(async () => {
  const dir = join(temporaryFolder('stop'), 'state')
  devnet = await startDevnet({ dir, report: () => {}, webhookUrl: awayUrl, watchesAll: false })
  const nodes = Object.values(devnet.chains).map(({ key, rpcUrl }) => [`RPC_URL_${key.toUpperCase()}`, rpcUrl])
  env = { ...Object.fromEntries(nodes), ROUTE_EXECUTOR_ADDRESS: devnet.contracts.executor }
})
afterAll(() => devnet?.stop())

/** Runs only this file, without our environment. */
async function stopEverything(changed: Record<string, string>, ...options: string[]) {
  const { PATH = '' } = process.env
  const child = Bun.spawn(['node', file, ...options], {
    env: { PATH, ...env, ...changed },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ])
  return { said: out + err, code }
}

async function pausedChains(): Promise<ChainKey[]> {
  const all = await Promise.all(
    Object.values(devnet.chains).map(async ({ key, rpcUrl }) => {
      const client = createPublicClient({ transport: http(rpcUrl) })
      const address = devnet.contracts.executor
      return (await client.readContract({ address, abi, functionName: 'paused' })) ? [key] : []
    }),
  )
  return all.flat()
}

const guardian = { GUARDIAN_PRIVATE_KEY: accounts.guardian.privateKey }

test('the program loads nothing of the service', () => {
  const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name)
  expect(imports.toSorted()).toEqual(['node:fs', 'viem/accounts', 'viem/utils'])
})

testAll(['--rehearsal', '--chain base', '--seconds soon', '--without solana'])(
  'an unknown option stops nothing',
  async (options) => {
    const { said, code } = await stopEverything(guardian, ...options.split(' '))
    expect([code, said.includes('is not understood, so nothing was stopped')]).toEqual([2, true])
    expect(await pausedChains()).toEqual([])
  },
)

test('both names of the command print help on request and stop nothing', async () => {
  expect(await stopEverything(guardian, '--help')).toMatchObject({ code: 0 })
  const { PATH = '' } = process.env
  for (const command of [
    ['node', 'src/cli/switchyard.mjs'],
    [process.execPath, 'src/cli/main.ts'],
  ]) {
    const child = Bun.spawn([...command, 'stop-everything', '--help'], {
      env: { PATH, ...env, ...guardian },
      stdout: 'pipe',
    })
    expect(await new Response(child.stdout).text()).toContain('Usage: stop-everything')
    expect(await child.exited).toBe(0)
  }
  expect(await pausedChains()).toEqual([])
})

test('an empty NETWORK means the network with real money, as for the service', async () => {
  const { said, code } = await stopEverything({ ...guardian, NETWORK: '' }, '--rehearse')
  expect(said).not.toContain('NETWORK must be')
  expect(code).toBe((await stopEverything(guardian, '--rehearse')).code)
})

test('a chain with a missing variable or a node of another chain is not reported as stopped', async () => {
  const missing = await stopEverything({ ...guardian, RPC_URL_POLYGON: '' }, '--rehearse')
  expect(missing.said).toContain('✗ polygon: the executor')
  expect(missing.said).toContain('RPC_URL_POLYGON is not set')
  const other = await stopEverything({ ...guardian, RPC_URL_POLYGON: env['RPC_URL_BASE']! }, '--rehearse')
  expect(other.said).toContain('node 1 belongs to chain 8453 and is left out')
  expect([missing.code, other.code]).toEqual([1, 1])
  const left = await stopEverything({ ...guardian, RPC_URL_POLYGON: '' }, '--rehearse', '--without', 'polygon')
  expect([left.code, left.said.includes('4 of 4')]).toEqual([0, true])
})

test('a rehearsal without enough coin fails and shows the balance', async () => {
  const { rpcUrl } = devnet.chains[chains.base.id]
  const client = createPublicClient({ transport: http(rpcUrl) })
  const before = await client.getBalance({ address: accounts.guardian.address })
  const setBalance = (wei: bigint) =>
    client.request({
      method: 'anvil_setBalance',
      params: [accounts.guardian.address, `0x${wei.toString(16)}`],
    } as never)
  await setBalance(5n * 10n ** 11n)
  const { said, code } = await stopEverything(guardian, '--rehearse')
  await setBalance(before)
  expect([code, /✗ base: .* has 0\.0000005 coin there and needs/.test(said)]).toEqual([1, true])
})

test('a run without a key shows the transaction that a multisig must send', async () => {
  const { said, code } = await stopEverything({})
  expect(code).toBe(2)
  expect(said).toContain(`to ${devnet.contracts.executor}  value 0  data 0x4e28378e`)
})

test('a key without the right to stop is reported on each chain and stops nothing', async () => {
  const { said, code } = await stopEverything({ GUARDIAN_PRIVATE_KEY: accounts.recovery.privateKey })
  expect([code, said.match(/the executor refuses this key/g)?.length]).toEqual([1, 5])
  expect(await pausedChains()).toEqual([])
})

test('a rehearsal proves that the stop would work, and stops nothing', async () => {
  const { said, code } = await stopEverything(guardian, '--rehearse')
  expect(said).toContain('5 of 5 are paused or could be.')
  expect(code).toBe(0)
  expect(await pausedChains()).toEqual([])
})

test('a former executor that a later chain never had does not fail the alarm there, and one of no chain does', async () => {
  const former = '0x00000000000000000000000000000000f0f0f0f0'
  for (const { key, rpcUrl } of Object.values(devnet.chains)) {
    const client = createPublicClient({ transport: http(rpcUrl) })
    const code = await client.getCode({ address: devnet.contracts.executor })
    if (key !== 'avalanche') await client.request({ method: 'anvil_setCode', params: [former, code] } as never)
  }
  const rehearse = (address: string) =>
    stopEverything({ ...guardian, FORMER_EXECUTOR_ADDRESSES: address }, '--rehearse')
  const { said, code } = await rehearse(former)
  expect(said).toContain(`✓ avalanche: the executor ${former} has no code there`)
  expect([code, said.includes('10 of 10 are paused or could be.')]).toEqual([0, true])
  const misspelt = await rehearse(former.replace('f0', 'f1'))
  expect([misspelt.code, misspelt.said.includes('has no code on any chain')]).toEqual([1, true])
})

test('unreachable or refusing nodes do not keep other chains from stopping, and their URLs are not shown', async () => {
  const refusing = jsonRpcNode(
    ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'not here' } } : undefined,
    { behind: env['RPC_URL_POLYGON']! },
  )
  try {
    const changed = {
      RPC_URL_BASE: `${awayUrl.replace('http', 'ws')},${awayUrl},${env['RPC_URL_ARBITRUM']},${env['RPC_URL_BASE']}`,
      RPC_URL_AVALANCHE: awayUrl,
    }
    const { said, code } = await stopEverything(
      {
        ...guardian,
        ...changed,
        RPC_URL_POLYGON: `${refusing.url},${env['RPC_URL_POLYGON']}`,
      },
      '--seconds',
      '8',
    )
    expect(said).toContain('✗ avalanche: the executor')
    expect(said).toContain('4 of 5 stopped.')
    expect(said).not.toMatch(/127\.0\.0\.1|secret-key/)
    expect(code).toBe(1)
    expect((await pausedChains()).toSorted()).toEqual(['arbitrum', 'base', 'ethereum', 'polygon'])
  } finally {
    await refusing.stop()
  }
})

test('paused chains stay paused, and a second run stops the rest', async () => {
  const { said, code } = await stopEverything(guardian)
  expect(said.match(/was already paused/g)).toHaveLength(4)
  expect(said).toContain('5 of 5 stopped.')
  expect(code).toBe(0)
  expect(await pausedChains()).toHaveLength(5)
})
