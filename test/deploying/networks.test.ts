import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keccak256, stringToHex } from 'viem/utils'
import type { NetworkFacts } from '../support/network-facts'
import { testAll } from '../support/test-all'

const root = join(import.meta.dir, '..', '..')
const script = join(root, 'test/support/network-facts.ts')

/** The facts that a process of a network reports. */
async function factsOf(network: string): Promise<NetworkFacts> {
  const child = Bun.spawn([process.execPath, script], { env: { ...process.env, NETWORK: network }, stdout: 'pipe' })
  return (await new Response(child.stdout).json()) as NetworkFacts
}
const [mainnet, testnet] = await Promise.all(['mainnet', 'testnet'].map(factsOf))

test('a process without NETWORK is on the network with real money', async () => {
  expect(await factsOf('')).toEqual(mainnet!)
})

test('the test network has five other chains with the same keys', () => {
  expect(testnet!.ids).toEqual({ base: 84532, ethereum: 11155111, polygon: 80002, arbitrum: 421614, avalanche: 43113 })
  expect(Object.keys(testnet!.ids)).toEqual(Object.keys(mainnet!.ids))
})

test('the two networks share no value that is given out', () => {
  const of = ({ ids, names, alchemy, key, salt, feeds, tokens, circle }: NetworkFacts) =>
    [...Object.values(ids), ...names, ...alchemy, key, salt, ...feeds, ...tokens, ...circle].map(String)
  const guards = ({ contracts }: NetworkFacts) => contracts.map(([name, address]) => `${name} ${address}`)
  // Wrapped Ether has one address on every chain of the OP Stack, and the swaps' guard knows no chain.
  const shared = of(mainnet!).filter((each) => of(testnet!).includes(each))
  expect(shared).toEqual(['0x4200000000000000000000000000000000000006'])
  expect(guards(mainnet!).filter((each) => guards(testnet!).includes(each))).toEqual([
    expect.stringMatching(/^LifiSwapGuard /),
  ])
})

// developers.circle.com/cctp, "Contract Addresses", Testnet. Mainnet's are in test/fixtures/real-answers/facts.
test('Circle’s contracts differ on the test networks, and the domains are the same', () => {
  expect(testnet!.circle).toEqual([
    '0x8FE6B999Dc680CcFDD5Bf7EB0974218be2542DAA',
    '0xE737e5cEBEEBa77EFE34D4aa090756590b1CE275',
    '0xb43db544E2c27092c107639Ad201b3dEfAbcF192',
  ])
  expect(testnet!.domains).toEqual(mainnet!.domains)
})

test('keys show their network', () => {
  expect(mainnet!.key).toMatch(/^sy_live_/)
  expect(testnet!.key).toMatch(/^sy_test_/)
})

testAll([
  ['src/guards', mainnet!],
  ['testnet', testnet!],
])('the guards of both networks match the tables', (folder, facts) => {
  const text = readFileSync(join(root, 'contracts', folder, 'Assets.sol'), 'utf8')
  const table = (name: string) => {
    const body = new RegExp(`function ${name}\\(uint256[^)]*\\)[^{]*{([^}]*)}`).exec(text)?.[1] ?? ''
    const rows = [...body.matchAll(/if \(chainId == (\d+)\) return (?:keccak256\("([^"]+)"\)|(\w+));/g)]
    return Object.fromEntries(rows.map(([, id, word, value]) => [id, word ? keccak256(stringToHex(word)) : value]))
  }
  const texts = (record: Record<string, unknown>, make: (text: string) => string = (text) => text) =>
    Object.fromEntries(Object.entries(record).map(([id, value]) => [id, make(String(value))]))
  expect(table('usdc')).toEqual(texts(facts.usdc))
  expect(table('wrappedNative')).toEqual(texts(facts.wrapped))
  expect(table('endpointId')).toEqual(texts(facts.endpoints))
  expect(table('cctpDomain')).toEqual(texts(facts.domainsByChain))
  expect(table('relayName')).toEqual(texts(facts.relayNames, (name) => keccak256(stringToHex(name))))
  const solver = /RELAY_SOLVER_CHAIN = keccak256\("([^"]+)"\)/.exec(text)?.[1]
  expect(solver).toBe(facts.relayNames[facts.ids['base'] as keyof typeof facts.relayNames])
  const ether = [...text.matchAll(/chainId == (\d+) \|\| chainId == (\d+) \|\| chainId == (\d+)/g)]
  expect(ether).toHaveLength(2)
  for (const [, ...ids] of ether) expect(ids.map(Number).toSorted()).toEqual(facts.withEther.toSorted())
})

test('the stop program has the chain ids of both networks', () => {
  const text = readFileSync(join(root, 'src/cli/stop-everything.mjs'), 'utf8')
  const tables = [...text.matchAll(/^ {2}(mainnet|testnet): (\{.*\}),$/gm)]
  const own = Object.fromEntries(
    tables.map(([, name, table]) => [name, JSON.parse(table!.replaceAll(/(\w+):/g, '"$1":'))]),
  )
  expect(own).toEqual({ mainnet: mainnet!.ids, testnet: testnet!.ids })
})
