import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { accountRegistryAbi } from '../../contracts/artifacts/abi'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chainKeys, chains } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { golden, registry } from '../support/golden-accounts'
import { testAll } from '../support/test-all'
import { startWorld, type World } from './world'

type Snippet = {
  saltOf: (organizationSalt: Hash, userId: string) => Hash
  addressOf: (registry: Address, salt: Hash) => Address
}

const path = join(import.meta.dir, '../../examples/verify/address.mjs')
let snippet: Snippet
let world: World
let lines: string[]
beforeAll(async () => {
  lines = (await Bun.file(path).text()).split('\n').filter((line) => line.trim() !== '' && !line.startsWith('//'))
  snippet = await import(path)
  world = await startWorld()
})
afterAll(() => world?.end())

test('the example in the integrators’ guide computes every known address, in ten lines', () => {
  for (const [organizationSalt, userId, salt, address] of golden) {
    expect(snippet.saltOf(organizationSalt, userId)).toBe(salt)
    expect(snippet.addressOf(registry, salt)).toBe(address)
  }
  expect(lines.length).toBeLessThanOrEqual(10)
})

testAll(chainKeys)('the registry on every chain computes the same address as the example', async (key) => {
  const rpc = new Rpc(world.chains[chains[key].id].rpcUrl)
  const to = world.contracts.registry
  for (const [organizationSalt, userId] of golden) {
    const salt = snippet.saltOf(organizationSalt, userId)
    const data = encodeFunctionData({ abi: accountRegistryAbi, functionName: 'accountAddress', args: [salt] })
    const said = await rpc.ask<string>('eth_call', { to, data }, 'latest')
    expect(said.slice(-40)).toBe(snippet.addressOf(to, salt).slice(2).toLowerCase())
  }
})
