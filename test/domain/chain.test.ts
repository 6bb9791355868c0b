import { expect, test } from 'bun:test'
import {
  areApart,
  betweenChains,
  blockSecondsOf,
  chainIds,
  chainKeyOf,
  chainKeys,
  chainLabelOf,
  chainOf,
  chains,
  isBetween,
  isChainId,
  network,
  networks,
  perChain,
  perChainKey,
} from '../../src/domain/chain/chain'
import { testAll } from '../support/test-all'

const gwei = 10n ** 9n
const ether = 10n ** 18n

test('real money is the default, and its chains are known by these numbers and names', () => {
  expect([network, networks]).toEqual(['mainnet', ['mainnet', 'testnet']])
  const rows = chainKeys.map((key) => {
    const { id, name, native, explorerUrl, layerZeroEndpointId, relayName, cctpDomain } = chains[key]
    return [key, id, name, native.symbol, native.name, explorerUrl, layerZeroEndpointId, relayName, cctpDomain]
  })
  expect(rows.slice(0, 5)).toEqual([
    ['base', 8453, 'Base', 'ETH', 'Ether', 'https://basescan.org', 30184, 'base', 6],
    ['ethereum', 1, 'Ethereum', 'ETH', 'Ether', 'https://etherscan.io', 30101, 'ethereum', 0],
    ['polygon', 137, 'Polygon', 'POL', 'Polygon Ecosystem Token', 'https://polygonscan.com', 30109, 'polygon', 7],
    ['arbitrum', 42161, 'Arbitrum', 'ETH', 'Ether', 'https://arbiscan.io', 30110, 'arbitrum', 3],
    ['avalanche', 43114, 'Avalanche', 'AVAX', 'Avalanche', 'https://snowtrace.io', 30106, 'avalanche', 1],
  ])
})

testAll([
  ['base', 10, 2, 'BASE_MAINNET', 'base-mainnet', true, 8_000_000n, 10n * gwei, ether / 100n, 'OP_STACK', false],
  ['ethereum', 12, 12, 'ETH_MAINNET', 'eth-mainnet', true, 8_000_000n, 50n * gwei, ether / 100n, null, false],
  ['polygon', 64, 2, 'MATIC_MAINNET', 'polygon-mainnet', false, 8_000_000n, 2_000n * gwei, 50n * ether, null, false],
  ['arbitrum', 20, 0.25, 'ARB_MAINNET', 'arb-mainnet', true, 30_000_000n, gwei, ether / 100n, null, true],
  ['avalanche', 3, 2, 'AVAX_MAINNET', 'avax-mainnet', false, 8_000_000n, 200n * gwei, ether, null, false],
] as const)('each chain has its depth, its pace, and the most that is paid for it', (key, ...facts) => {
  const row = chains[key]
  const { confirmations, blockSeconds, alchemyNetwork, alchemyHost, cctpFast, gasLimitMax, tipMaxWei } = row
  const { nativeFeeMaxWei, l1DataFee, isDataInGas } = row
  const depth = [confirmations, blockSeconds, alchemyNetwork, alchemyHost, cctpFast]
  expect([...depth, gasLimitMax, tipMaxWei, nativeFeeMaxWei, l1DataFee, isDataInGas]).toEqual([...facts])
})

test('only Polygon’s coin has the address of a contract, and another name', () => {
  const named = chainIds.flatMap((id) => {
    const { aliases, tokenAddress } = chainOf(id).native
    return aliases.length > 0 || tokenAddress !== null ? [[id, aliases, tokenAddress]] : []
  })
  expect(named).toEqual([[137, ['MATIC'], '0x0000000000000000000000000000000000001010']])
})

test('a chain is found by its number, and a stored chain that this release no longer has has no label', () => {
  for (const key of chainKeys) {
    const { id, blockSeconds } = chains[key]
    expect([chainKeyOf(id), chainOf(id), chainLabelOf(id), blockSecondsOf(id)]).toEqual([
      key,
      chains[key],
      key,
      blockSeconds,
    ])
  }
  expect([isChainId(1), isChainId(5), blockSecondsOf(5)]).toEqual([true, false, 0])
  expect([chainLabelOf(5), chainLabelOf(null)]).toEqual(['', ''])
  expect(Object.entries(perChainKey((key) => key.length))).toEqual(chainKeys.map((key) => [key, key.length]))
  expect(perChain((id, key) => `${id} ${key}`)[137]).toBe('137 polygon')
})

test('a pair is named by its chains, and pairs are apart if they share none', () => {
  const pair = (fromChainId: number, toChainId: number) => ({ fromChainId, toChainId }) as never
  expect(betweenChains(pair(43114, 8453))).toBe('from Avalanche to Base')
  const apart = [pair(137, 42161), pair(8453, 1), pair(137, 1), pair(1, 137), pair(137, 8453)]
  expect(apart.map((other) => areApart(pair(1, 8453), other))).toEqual([true, false, false, false, false])
  const same = [pair(1, 8453), pair(8453, 1), pair(1, 137), pair(137, 8453)]
  expect(same.map((other) => isBetween(pair(1, 8453), other))).toEqual([true, false, false, false])
})
