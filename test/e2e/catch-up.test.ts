import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { encodeFunctionData, toHex } from 'viem'
import { devTokenAbi } from '../../contracts/artifacts/abi'
import { evmChain } from '../../src/adapters/evm/chain-client'
import { accounts } from '../../src/devnet/chains/accounts'
import { tokenOf } from '../../src/devnet/chains/tokens'
import { type Devnet, startDevnet } from '../../src/devnet/devnet'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chains, perChain } from '../../src/domain/chain/chain'
import type { Address } from '../../src/domain/chain/hex'
import { nightly } from '../support/depth'
import { detectionWorld } from '../support/detection'

const base = chains.base.id
const usdc = tokenOf(base, 'USDC')!.address
const missedBlocks = 10_000
const dir = mkdtempSync(join(tmpdir(), 'switchyard-catch-up-'))
let devnet: Devnet
let rpc: Rpc
beforeAll(async () => {
  devnet = await startDevnet({ dir })
  rpc = new Rpc(devnet.chains[base].rpcUrl)
})
afterAll(async () => {
  await devnet?.stop()
  rmSync(dir, { recursive: true, force: true })
})

function worldOn(rpcUrl: string) {
  const { registry, executor, lens } = devnet.contracts
  const evm = evmChain({ now: Date.now, chainId: base, rpcUrls: [rpcUrl], confirmations: 2, registry, executor, lens })
  return detectionWorld({ chains: perChain(() => evm) })
}

async function pay(to: Address, amountRaw: bigint): Promise<void> {
  const from = accounts.faucet.address
  const data = encodeFunctionData({ abi: devTokenAbi, functionName: 'transfer', args: [to, amountRaw] })
  await rpc.ask('eth_sendTransaction', { from, to: usdc, data, gas: toHex(200_000) })
}

test('a scanner that stopped for 10,000 blocks catches up automatically with few requests', async () => {
  const { accounts: made, scan, amounts, detection, cursors, troubles } = worldOn(devnet.chains[base].rpcUrl)
  const account = made.create()
  await scan()
  const before = cursors.get('base').scannedBlock

  await rpc.ask('anvil_impersonateAccount', accounts.faucet.address)
  for (let n = 1; n <= 10; n++) {
    await pay(account, BigInt(n))
    await rpc.ask('anvil_mine', toHex(missedBlocks / 10))
  }
  let scans = 0
  for (; cursors.get('base').scannedBlock < before + missedBlocks; scans++) await scan()

  expect(amounts().toSorted((a, b) => Number(a - b))).toEqual([1n, 2n, 3n, 4n, 5n, 6n, 7n, 8n, 9n, 10n])
  expect(troubles).toEqual([])
  expect(await detection.coverageOf(base)).toMatchObject({ lagBlocks: expect.any(Number) })
  expect((await detection.coverageOf(base))!.lagBlocks).toBeLessThan(100)
  expect(scans).toBeLessThan(30)
})

nightly('a node that refuses ranges above 500 blocks gets smaller ones, and nothing is missed', async () => {
  const strict = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const body = (await request.json()) as RpcRequest | RpcRequest[]
      const isLong = [body].flat().some((asked) => asked.method === 'eth_getLogs' && lengthOf(asked) > 500)
      const refusal = {
        jsonrpc: '2.0',
        id: [body].flat()[0]!.id,
        error: { code: -32_000, message: 'range too long' },
      }
      if (isLong) return Response.json(Array.isArray(body) ? body.map(({ id }) => ({ ...refusal, id })) : refusal)
      return fetch(devnet.chains[base].rpcUrl, { method: 'POST', body: JSON.stringify(body), headers: json })
    },
  })
  try {
    const { accounts: made, scan, amounts, cursors } = worldOn(`http://127.0.0.1:${strict.port}`)
    const account = made.create()
    await scan()
    const before = cursors.get('base').scannedBlock
    await pay(account, 7n)
    await rpc.ask('anvil_mine', toHex(4_000))
    while (cursors.get('base').scannedBlock < before + 4_000) await scan()
    expect(amounts()).toEqual([7n])
  } finally {
    await strict.stop(true)
  }
})

type RpcRequest = { id: number; method: string; params: { fromBlock: string; toBlock: string }[] }
const json = { 'content-type': 'application/json' }
const lengthOf = ({ params: [range] }: RpcRequest): number => Number(range!.toBlock) - Number(range!.fromBlock) + 1
