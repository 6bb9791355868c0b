import { expect, test } from 'bun:test'
import { chainIds } from '../../src/domain/chain/chain'
import { zeroAddress } from '../../src/domain/chain/hex'
import { domainOf } from '../../src/protocols/cctp/burn'
import { endpointIdOf, stargateTokenOf, usdcOf, wrappedNativeAddressOf } from '../../src/protocols/lifi/diamond'
import { relayChain } from '../../src/protocols/relay/relay-order'

const source = await Bun.file('contracts/src/guards/Assets.sol').text()

/** The results of a function of the contracts' table, for each chain that it names. */
function tableOf(name: string): Record<string, string> {
  const body = source.match(new RegExp(`function ${name}\\(uint256 chainId\\)[^{]*\\{([^}]*)\\}`))![1]!
  const rows = [...body.matchAll(/if \(chainId == (\d+)\) return (\w+);/g)]
  return Object.fromEntries(rows.map(([, chainId, value]) => [chainId, value!]))
}

const entries = <Value>(nameOf: (chainId: (typeof chainIds)[number]) => Value | null) =>
  Object.fromEntries(chainIds.map((id) => [String(id), nameOf(id)] as const).filter(([, value]) => value !== null))

test('guard and signer have the same USDC, USDT, wrapped coin, LayerZero number and domain for every chain', () => {
  expect(tableOf('usdc')).toEqual(entries(usdcOf) as never)
  expect(tableOf('usdt')).toEqual(entries((id) => stargateTokenOf(2, id)) as never)
  expect(tableOf('wrappedNative')).toEqual(entries(wrappedNativeAddressOf) as never)
  expect(tableOf('endpointId')).toEqual(entries((id) => String(endpointIdOf(id))) as never)
  expect(tableOf('cctpDomain')).toEqual(entries((id) => String(domainOf(id))) as never)
})

test('guard and signer have the same Relay name for every chain', () => {
  const named = [...source.matchAll(/if \(chainId == (\d+)\) return keccak256\("(\w+)"\);/g)]
  expect(Object.fromEntries(named.map(([, id, name]) => [id, name!]))).toEqual(entries((id) => relayChain(id)) as never)
})

test('guard and signer have the same chains for Stargate’s Ether, and only three assets', () => {
  const [, condition] = source.match(/if \(assetId == 13\) return \(([^,]*), address\(0\)\);/)!
  const named = [...condition!.matchAll(/chainId == (\d+)/g)].map(([, id]) => Number(id)).sort()
  expect(named).toEqual(chainIds.filter((id) => stargateTokenOf(13, id) === zeroAddress).sort())
  expect([...source.matchAll(/assetId == (\d+)/g)].map(([, id]) => Number(id)).sort((a, b) => a - b)).toEqual([
    1, 2, 13,
  ])
  for (const assetId of [0, 3, 4, 14])
    expect(chainIds.map((id) => stargateTokenOf(assetId, id))).toEqual(chainIds.map(() => null))
})
