import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPublicClient, http, parseAbi } from 'viem'
import { accounts } from '../../src/devnet/chains/accounts'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import type { ChainKey } from '../../src/domain/chain/chain'
import { jsonRpcNode } from '../support/json-rpc-node'
import { temporaryFolder } from '../support/temporary-folder'

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
}, 600_000)
afterAll(() => devnet?.stop(), 600_000)

/** Runs the file alone, with nothing of our own environment. */
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

test('it loads nothing of the service', () => {
  const imports = [...readFileSync(file, 'utf8').matchAll(/(?:from|import\()\s*'([^']+)'/g)].map(([, name]) => name)
  expect(imports.toSorted()).toEqual(['node:fs', 'viem/accounts', 'viem/utils'])
})

test('without a key it says what a multisig has to send', async () => {
  const { said, code } = await stopEverything({})
  expect(code).toBe(2)
  expect(said).toContain(`to ${devnet.contracts.executor}  value 0  data 0x4e28378e`)
})

test('a key that may not stop is told so on each chain, and stops nothing', async () => {
  const { said, code } = await stopEverything({ GUARDIAN_PRIVATE_KEY: accounts.recovery.privateKey })
  expect([code, said.match(/the key is not the guardian/g)?.length]).toEqual([1, 5])
  expect(await pausedChains()).toEqual([])
}, 600_000)

test('a rehearsal finds out that it would work, and stops nothing', async () => {
  const { said, code } = await stopEverything(guardian, '--rehearse')
  expect(said).toContain('5 of 5 could be stopped.')
  expect(code).toBe(0)
  expect(await pausedChains()).toEqual([])
}, 600_000)

test('chains whose nodes are away or refuse do not keep the others from stopping, and their URLs are not shown', async () => {
  const refusing = jsonRpcNode(
    ({ method }) =>
      method === 'eth_sendRawTransaction' ? { error: { code: -32000, message: 'not here' } } : undefined,
    { behind: env['RPC_URL_POLYGON']! },
  )
  try {
    const changed = { RPC_URL_BASE: `${awayUrl},${env['RPC_URL_BASE']}`, RPC_URL_AVALANCHE: awayUrl }
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
}, 600_000)

test('what is paused stays paused: called again it stops the rest', async () => {
  const { said, code } = await stopEverything(guardian)
  expect(said.match(/was paused already/g)).toHaveLength(4)
  expect(said).toContain('5 of 5 stopped.')
  expect(code).toBe(0)
  expect(await pausedChains()).toHaveLength(5)
}, 600_000)
