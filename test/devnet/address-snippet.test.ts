import { afterAll, beforeAll, expect, test } from 'bun:test'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { encodeFunctionData } from 'viem'
import { accountRegistryAbi } from '../../contracts/artifacts/abi'
import { Rpc } from '../../src/devnet/rpc/rpc'
import { chainKeys, chains } from '../../src/domain/chain/chain'
import type { Address, Hash } from '../../src/domain/chain/hex'
import { golden, registry } from '../support/golden-accounts'
import { shownIn } from '../support/published'
import { testAll } from '../support/test-all'
import { startWorld, type World } from './world'

type Snippet = {
  saltOf: (organizationSalt: Hash, userId: string) => Hash
  addressOf: (registry: Address, salt: Hash) => Address
}

/** The snippet is stored among the tests, where it finds the packages that it imports. */
const path = join(import.meta.dir, `snippet-${process.pid}.mjs`)
let snippet: Snippet
let world: World
let lines: string[]
beforeAll(async () => {
  const code = (await shownIn('docs/integrators/deposit-page.md', 'address')).replace(/^```js\n|```$/g, '')
  lines = code.split('\n').filter((line) => line.trim() !== '')
  await Bun.write(path, code)
  snippet = await import(path)
  world = await startWorld()
})
afterAll(async () => {
  await rm(path, { force: true })
  await world?.end()
})

test('the snippet in the integrators’ guide computes every known address, in ten lines', () => {
  for (const [organizationSalt, userId, salt, address] of golden) {
    expect(snippet.saltOf(organizationSalt, userId)).toBe(salt)
    expect(snippet.addressOf(registry, salt)).toBe(address)
  }
  expect(lines.length).toBeLessThanOrEqual(10)
})

testAll(chainKeys)('the registry on every chain computes the same address as the snippet', async (key) => {
  const rpc = new Rpc(world.chains[chains[key].id].rpcUrl)
  const to = world.contracts.registry
  for (const [organizationSalt, userId] of golden) {
    const salt = snippet.saltOf(organizationSalt, userId)
    const data = encodeFunctionData({ abi: accountRegistryAbi, functionName: 'accountAddress', args: [salt] })
    const said = await rpc.ask<string>('eth_call', { to, data }, 'latest')
    expect(said.slice(-40)).toBe(snippet.addressOf(to, salt).slice(2).toLowerCase())
  }
})
